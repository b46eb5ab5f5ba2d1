//! `cargo xtask lint` and `tidy`: checks that do not run the code.

use anyhow::Result;

use crate::cargo::{cargo, none_of, say, workspace};
use crate::{api, cycles, dependencies, language, messages, metadata, ratchet, source};

/// Checks what can be checked without a compiler, and on request the formatting.
pub(crate) fn lint_text(formatting: bool) -> Result<()> {
    if formatting {
        cargo(&["fmt", "--all", "--", "--check"], &[])?;
    }
    cargo(&["xtask", "tidy"], &[])
}

/// Checks the documentation, and on request runs clippy. Warnings are errors.
pub(crate) fn lint_code(clippy: bool) -> Result<()> {
    if clippy {
        let all = ["clippy", "--workspace", "--all-targets"];
        cargo(&[&all[..], &["--", "--deny", "warnings"]].concat(), &[])?;
    }
    let documented = [("RUSTDOCFLAGS", Some("--deny warnings".into()))];
    let doc = ["doc", "--workspace", "--no-deps"];
    cargo(
        &[&doc[..], &["--document-private-items"]].concat(),
        &documented,
    )
}

/// Checks the language, cycles of modules, the public API and the dependencies. On request writes
/// the lists of the public API instead of comparing them.
pub(crate) fn tidy(accept: bool) -> Result<()> {
    let root = workspace();
    language::check(&root, accept)?;
    let metadata = metadata::with_dependencies()?;
    let crates = source::crates(&metadata)?;
    say("\n> the length of messages");
    let messages = messages::find(&crates);
    none_of(&ratchet::check(&root, "messages", &messages, accept)?)?;
    cycles::check(&root, &crates, accept)?;
    api::check(&root, &crates, accept)?;
    dependencies::check(&metadata)
}
