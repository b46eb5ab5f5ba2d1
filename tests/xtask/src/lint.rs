//! `cargo xtask lint`: checks of the code that do not run it.

use anyhow::Result;

use crate::cargo::{cargo, workspace};
use crate::language;

/// Checks the language of comments and the documentation, and formatting and clippy if asked to. A warning is an error.
pub(crate) fn lint(formatting: bool, clippy: bool) -> Result<()> {
    if formatting {
        cargo(&["fmt", "--all", "--", "--check"], &[])?;
    }
    language::check(&workspace())?;
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
