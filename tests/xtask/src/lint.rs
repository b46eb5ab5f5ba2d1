//! `cargo xtask lint` and `tidy`: checks that do not run the code.

use anyhow::Result;

use crate::cargo::{cargo, none_of, say, workspace};
use crate::{api, cycles, dependencies, language, messages, metadata, packages, source};

/// Checks what can be checked without a compiler, and on request the formatting.
pub(crate) fn lint_text(formatting: bool) -> Result<()> {
    if formatting {
        cargo(&["fmt", "--all", "--", "--check"], &[])?;
    }
    cargo(&["xtask", "tidy"], &[])?;
    packages::package()
}

/// Checks the documentation, and on request runs clippy. Warnings are errors.
pub(crate) fn lint_code(clippy: bool) -> Result<()> {
    if clippy {
        let all = ["clippy", "--workspace", "--all-targets"];
        cargo(&[&all[..], &["--", "--deny", "warnings"]].concat(), &[])?;
    }
    let documented = [("RUSTDOCFLAGS", Some("--deny warnings".into()))];
    // With all features, the dependencies are those that clippy has checked.
    let doc = ["doc", "--workspace", "--all-features", "--no-deps"];
    cargo(&[&doc[..], &["--document-private-items"]].concat(), &documented)
}

/// Checks sources, pages and manifests, and prints the findings of all checks. On request writes
/// the lists of the public API.
pub(crate) fn tidy(accept: bool) -> Result<()> {
    let root = workspace();
    let mut findings = language::check(&root)?;
    let metadata = metadata::with_dependencies()?;
    let crates = source::crates(&metadata)?;
    say("> the length of messages");
    findings.extend(messages::find(&crates));
    findings.extend(cycles::check(&crates));
    findings.extend(api::check(&root, &crates, accept)?);
    findings.extend(dependencies::check(&metadata)?);
    findings.extend(packages::check(&metadata));
    none_of(&findings)
}
