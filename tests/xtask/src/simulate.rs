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
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seeds", "from", "planted"])]
    seed: Option<u64>,
    /// Plant a bug, by its name in docs/testing.md
    #[arg(long, value_name = "NAME", conflicts_with = "planted")]
    plant: Option<String>,
    /// Print the whole trace of a failed run instead of its end
    #[arg(long)]
    whole: bool,
    /// Plant every bug in turn, and print the first seed that finds it
    #[arg(long)]
    planted: bool,
}

/// Runs the simulation, compiled with optimisation.
pub(crate) fn simulate(asked: Simulate) -> Result<()> {
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
    if let Some(plant) = asked.plant {
        environment.push(("FLUO_SIMULATE_PLANT", Some(plant.into())));
    }
    let test = match asked.planted {
        true => "planted::every_planted_bug_is_found",
        false => "seeds::every_seed_keeps_every_promise",
    };
    let target = [
        "test",
        "--release",
        "--package",
        "fluo-tests",
        "--test",
        "simulation",
    ];
    cargo(
        &[&target[..], &["--", "--exact", test, "--nocapture"]].concat(),
        &environment,
    )
}
