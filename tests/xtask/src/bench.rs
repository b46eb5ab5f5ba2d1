//! `cargo xtask bench`.

use anyhow::Result;

use crate::cargo::cargo;

/// Runs every benchmark, or one, with its arguments.
pub(crate) fn bench(name: Option<&str>, of_benchmark: &[String]) -> Result<()> {
    // One of the benchmarks runs the command.
    cargo(&["build", "--release", "--package", "fluo-cli"], &[])?;
    let mut arguments = vec!["bench", "--package", "fluo-tests"];
    match name {
        Some(name) => arguments.extend(["--bench", name]),
        None => arguments.push("--benches"),
    }
    if !of_benchmark.is_empty() {
        arguments.push("--");
        arguments.extend(of_benchmark.iter().map(String::as_str));
    }
    cargo(&arguments, &[])
}
