//! `cargo xtask lint`: checks that do not run the code.

use anyhow::Result;

use crate::cargo::cargo;

/// Checks what `cargo xtask tidy` checks and the documentation, and on request the formatting and
/// clippy. Warnings are errors.
pub(crate) fn lint(formatting: bool, clippy: bool) -> Result<()> {
    lint_text(formatting)?;
    lint_code(clippy)
}

/// Checks what can be checked without a compiler.
pub(crate) fn lint_text(formatting: bool) -> Result<()> {
    if formatting {
        cargo(&["fmt", "--all", "--", "--check"], &[])?;
    }
    cargo(&["xtask", "tidy"], &[])
}

/// Checks the documentation, and on request runs clippy.
pub(crate) fn lint_code(clippy: bool) -> Result<()> {
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
