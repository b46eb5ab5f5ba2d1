//! `cargo xtask ci`: what continuous integration runs.

use anyhow::Result;

use crate::generate::generate;
use crate::test::{Without, test};

/// The check of the generated code, which is over in a second, then every test.
pub(crate) fn ci() -> Result<()> {
    generate(true)?;
    test(Without::default())
}

#[cfg(test)]
mod tests {
    #[test]
    fn integration_runs_the_same() {
        let script = include_str!("../../../.ci/run");
        let commands: Vec<_> = script
            .lines()
            .filter(|line| line.contains("cargo xtask"))
            .collect();
        assert_eq!(
            commands,
            ["cargo xtask generate --check", "exec cargo xtask test"]
        );
    }
}
