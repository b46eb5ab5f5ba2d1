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

/// Runs these tests longer. None of them needs a live cluster.
pub(crate) fn soak(times: u32) -> Result<()> {
    let environment = [
        ("FLUO_SOAK", Some(times.to_string().into())),
        ("FLUO_WITHOUT_ACCUMULO", Some("1".into())),
    ];
    cargo(
        &[&["test", "--release"][..], &PACKAGES].concat(),
        &environment,
    )
}
