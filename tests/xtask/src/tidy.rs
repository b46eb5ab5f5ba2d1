//! `cargo xtask tidy`: checks that read sources and manifests, and compile nothing.

use anyhow::Result;

use crate::cargo::workspace;
use crate::{api, cycles, dependencies, language, source};

/// Checks cycles of modules, the public API and the dependencies. On request writes the lists of
/// the public API instead of comparing them.
pub(crate) fn tidy(accept: bool) -> Result<()> {
    let root = workspace();
    language::check(&root)?;
    let crates = source::crates(&root)?;
    cycles::check(&crates)?;
    api::check(&root, &crates, accept)?;
    dependencies::check()
}
