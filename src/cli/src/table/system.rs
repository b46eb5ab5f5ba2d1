//! The tables that are a live Accumulo's own.

use anyhow::{Result, bail};

/// What their names start with.
const START: &str = "accumulo.";

/// Whether a table of this name is one of them.
pub(super) fn is_one(name: &str) -> bool {
    name.starts_with(START)
}

/// Refuses to change one of them: it holds what Accumulo needs to find all others.
pub(super) fn check_is_none(name: &str) -> Result<()> {
    if is_one(name) {
        bail!(
            "table `{name}` is one of Accumulo's own, as all whose names start with `{START}`, and is not changed here: \
             name a table of your own"
        );
    }
    Ok(())
}
