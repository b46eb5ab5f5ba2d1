//! `cargo xtask soak`.

use anyhow::Result;

use crate::cargo::cargo;

/// Runs the tests that can be longer, longer.
pub(crate) fn soak(times: u32) -> Result<()> {
    let length = [("FLUO_SOAK", times.to_string().into())];
    let packages = ["--package", "fluo-embedded", "--package", "fluo-tests"];
    cargo(&[&["test", "--release"][..], &packages].concat(), &length)
}
