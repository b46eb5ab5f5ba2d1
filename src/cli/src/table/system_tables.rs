//! The system tables of a live Accumulo.

use anyhow::{Result, bail};

const START: &str = "accumulo.";

pub(super) fn is_one(name: &str) -> bool {
    name.starts_with(START)
}

/// Refuses to change a system table: Accumulo needs them to find all others.
pub(super) fn check_is_none(name: &str) -> Result<()> {
    if is_one(name) {
        bail!(
            "table `{name}` belongs to Accumulo itself, as all names with `{START}` do; name a table of your own"
        );
    }
    Ok(())
}
