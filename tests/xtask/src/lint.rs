//! `cargo xtask lint`: what a machine can say about the code without running it.

use anyhow::Result;

use crate::cargo::cargo;

/// Checks formatting and clippy, each if asked to, and documentation; a warning is an error.
pub(crate) fn lint(formatting: bool, clippy: bool) -> Result<()> {
    if formatting {
        cargo(&["fmt", "--all", "--", "--check"], &[])?;
    }
    if clippy {
        let all = ["clippy", "--workspace", "--all-targets"];
        cargo(&[&all[..], &["--", "--deny", "warnings"]].concat(), &[])?;
    }
    let documented = [("RUSTDOCFLAGS", Some("--deny warnings".into()))];
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
