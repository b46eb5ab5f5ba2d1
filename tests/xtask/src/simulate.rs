//! `cargo xtask simulate`.

use std::ffi::OsString;

use anyhow::Result;

use crate::cargo::cargo;

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
}

/// Runs the simulation, compiled with optimisation.
pub(crate) fn simulate(asked: &Simulate) -> Result<()> {
    let (from, seeds) = match asked.seed {
        Some(seed) => (seed, 1),
        None => (asked.from, asked.seeds),
    };
    let mut environment: Vec<(&str, Option<OsString>)> = vec![
        ("FLUO_SIMULATE_FROM", Some(from.to_string().into())),
        ("FLUO_SIMULATE_SEEDS", Some(seeds.to_string().into())),
    ];
    if asked.whole {
        environment.push(("FLUO_SIMULATE_WHOLE", Some("1".into())));
    }
    let target = [
        "test",
        "--release",
        "--package",
        "fluo-simulation",
        "--test",
        "simulation",
        "--",
        "--exact",
        "seeds::every_seed_keeps_every_promise",
        "--nocapture",
    ];
    cargo(&target, &environment)
}
