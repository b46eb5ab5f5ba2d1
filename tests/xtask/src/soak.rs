//! `cargo xtask soak`.

use anyhow::Result;

use crate::cargo::cargo;

/// The packages with tests that can run longer.
const PACKAGES: [&str; 8] = [
    "--package",
    "accumulo-proxy",
    "--package",
    "fluo-embedded",
    "--package",
    "fluo-simulation",
    "--package",
    "fluo-tests",
];

/// Runs these tests longer, and then the faults on a live cluster, unless the environment excludes
/// Accumulo.
pub(crate) fn soak(times: u32) -> Result<()> {
    let longer = ("FLUO_SOAK", Some(times.to_string().into()));
    let without_cluster = ("FLUO_WITHOUT_ACCUMULO", Some("1".into()));
    cargo(
        &[&["test", "--release"][..], &PACKAGES].concat(),
        &[longer.clone(), without_cluster],
    )?;
    let faults = ["--package", "fluo-tests", "--test", "application_faults"];
    cargo(&[&["test", "--release"][..], &faults].concat(), &[longer])
}
