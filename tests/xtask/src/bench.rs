//! `cargo xtask bench`.

use anyhow::Result;

use crate::cargo::cargo;

/// Runs every benchmark, or one.
pub(crate) fn bench(name: Option<&str>) -> Result<()> {
    // One of the benchmarks runs the command.
    cargo(&["build", "--release", "--package", "fluo-cli"], &[])?;
    let mut arguments = vec!["bench", "--package", "fluo-tests"];
    match name {
        Some(name) => arguments.extend(["--bench", name]),
        None => arguments.push("--benches"),
    }
    cargo(&arguments, &[])
}
