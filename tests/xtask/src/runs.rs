//! The tasks that are one or two calls of cargo: `bench`, `soak`, `simulate` and `conformance`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo::{cargo, command};

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

/// Runs the tests that can run longer, and then the faults on a live cluster, unless the
/// environment excludes Accumulo.
pub(crate) fn soak(times: u32) -> Result<()> {
    let longer = ("FLUO_SOAK", Some(times.to_string().into()));
    let mut tests = vec!["test", "--release"];
    for package in [
        "accumulo-proxy",
        "fluo-coordination-simulation",
        "fluo-embedded",
        "fluo-simulation",
        "fluo-tests",
    ] {
        tests.extend(["--package", package]);
    }
    let without_cluster = ("FLUO_WITHOUT_ACCUMULO", Some("1".into()));
    cargo(&tests, &[longer.clone(), without_cluster])?;
    let faults = ["--package", "fluo-tests", "--test", "application_faults"];
    cargo(&[&["test", "--release"][..], &faults].concat(), &[longer])
}

/// The runs of the simulation, and their output.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Simulate {
    /// Number of seeds
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// First seed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Run only this seed, and print the end of its trace if it fails
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seeds", "from"])]
    seed: Option<u64>,
    /// Print the whole trace of a failed run instead of its end
    #[arg(long)]
    whole: bool,
    /// Simulate the coordination in ZooKeeper instead of the engine
    #[arg(long)]
    coordination: bool,
}

/// Runs the simulation, compiled with optimization.
pub(crate) fn simulate(asked: &Simulate) -> Result<()> {
    let (from, seeds) = match asked.seed {
        Some(seed) => (seed, 1),
        None => (asked.from, asked.seeds),
    };
    let mut environment = vec![
        ("FLUO_SIMULATE_FROM", Some(from.to_string().into())),
        ("FLUO_SIMULATE_SEEDS", Some(seeds.to_string().into())),
    ];
    if asked.whole {
        environment.push(("FLUO_SIMULATE_WHOLE", Some("1".into())));
    }
    if asked.coordination {
        let test = ["test", "--release", "--package", "fluo-coordination-simulation"];
        return cargo(&test, &environment);
    }
    let build = ["test", "--release", "--package", "fluo-simulation"];
    let test = ["--test", "simulation", "--", "--exact", "--nocapture"];
    let name = ["seeds::every_seed_keeps_every_promise"];
    cargo(&[&build[..], &test, &name].concat(), &environment)
}

/// Runs the command of the package `fluo-conformance`, and returns its exit code.
pub(crate) fn conformance(arguments: &[String]) -> Result<ExitCode> {
    let mut all = vec!["run", "--quiet", "--package", "fluo-conformance", "--"];
    all.extend(arguments.iter().map(String::as_str));
    let status = command(&all, &[]).status().context("cargo cannot be run")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
