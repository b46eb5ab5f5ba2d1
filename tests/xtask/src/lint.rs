//! `cargo xtask lint`: what a machine can say about the code without running it.

use anyhow::Result;

use crate::cargo::cargo;

/// Formatting, clippy, documentation; a warning is an error.
pub(crate) fn lint() -> Result<()> {
    cargo(&["fmt", "--all", "--", "--check"], &[])?;
    cargo(
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        &[],
    )?;
    let documented = [("RUSTDOCFLAGS", "--deny warnings".into())];
    cargo(
        &[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ],
        &documented,
    )
}
