//! The split points.

use std::collections::BTreeSet;

use fluo_core::{Bytes, Escaped};
use serde::Serialize;

/// The split points that are wanted against those that are there. Rows are escaped text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SplitsVerdict {
    /// How many are wanted.
    pub wanted: usize,
    /// How many are there.
    pub found: usize,
    /// Those that are wanted and not there.
    pub missing: Vec<String>,
    /// Those that are there and not wanted.
    pub extra: Vec<String>,
    /// Whether extra ones are a difference.
    pub extra_allowed: bool,
}

impl SplitsVerdict {
    pub(super) fn compare(
        wanted: &BTreeSet<Bytes>,
        found: &BTreeSet<Bytes>,
        extra_allowed: bool,
    ) -> Self {
        let shown = |splits: Vec<&Bytes>| {
            splits
                .into_iter()
                .map(|row| Escaped(row).to_string())
                .collect()
        };
        Self {
            wanted: wanted.len(),
            found: found.len(),
            missing: shown(wanted.difference(found).collect()),
            extra: shown(found.difference(wanted).collect()),
            extra_allowed,
        }
    }

    pub(super) fn differences(&self) -> impl Iterator<Item = String> {
        let missing = told(&self.missing, "missing");
        let extra = if self.extra_allowed {
            None
        } else {
            told(&self.extra, "there that no recipe asked for")
        };
        missing.into_iter().chain(extra)
    }
}

fn told(splits: &[String], what: &str) -> Option<String> {
    match splits {
        [] => None,
        [one] => Some(format!("the split point `{one}` is {what}")),
        [first, ..] => Some(format!(
            "{} split points are {what}, the first is `{first}`",
            splits.len()
        )),
    }
}
