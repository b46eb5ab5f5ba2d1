//! The split points.

use std::collections::BTreeSet;

use fluo_core::{Bytes, Escaped, Result};
use serde::Serialize;

use super::super::TableOptimizations;
use super::difference::{Difference, DifferenceKind};
use super::strays::{self, StraySplit};
use crate::number::{count, share};

/// The subject of differences about them.
const SPLITS: &str = "split points";

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
    /// Whether extra ones are accepted.
    pub extra_allowed: bool,
    /// Those of the extra ones that take a tablet out of its group: a difference even where extra ones are accepted.
    pub strays: Vec<StraySplit>,
}

impl SplitsVerdict {
    pub(super) fn compare(
        optimizations: &TableOptimizations,
        found: &BTreeSet<Bytes>,
        extra_allowed: bool,
    ) -> Result<Self> {
        let wanted = optimizations.splits();
        let shown = |splits: Vec<&Bytes>| {
            splits
                .into_iter()
                .map(|row| Escaped(row).to_string())
                .collect()
        };
        Ok(Self {
            wanted: wanted.len(),
            found: found.len(),
            missing: shown(wanted.difference(found).collect()),
            extra: shown(found.difference(&wanted).collect()),
            extra_allowed,
            strays: strays::find(optimizations, &wanted, found)?,
        })
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = Difference> {
        let part = |some: usize, whole: usize| share(count(some), count(whole));
        let missing = part(self.missing.len(), self.wanted);
        let missing = told(&self.missing, "missing")
            .map(|told| Difference::new(DifferenceKind::MissingSplits, SPLITS, missing, told));
        let extra = told(&self.extra, "there that no recipe asked for")
            .filter(|_| !self.extra_allowed)
            .map(|told| Difference::new(DifferenceKind::ExtraSplits, SPLITS, 0.0, told));
        let stray = part(self.strays.len(), self.found);
        let strays = strays::differences(&self.strays).map(move |(recipe, told)| {
            Difference::new(DifferenceKind::StraySplits, recipe, stray, told)
        });
        missing.into_iter().chain(extra).chain(strays)
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
