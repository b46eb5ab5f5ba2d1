//! The comparison of the split points.

use std::collections::BTreeSet;

use fluo_table::{Bytes, Escaped, Result};
use serde::Serialize;

use super::super::TableOptimizations;
use super::difference::{Difference, DifferenceKind};
use super::unexpected_splits::{self, StraySplit};
use crate::number::{count, share};

/// The subject of differences of split points.
const SPLITS: &str = "split points";

/// The requested and the existing split points. Rows are escaped text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SplitsVerdict {
    /// The number of requested split points.
    pub wanted: usize,
    /// The number of existing split points.
    pub found: usize,
    /// The requested split points that do not exist.
    pub missing: Vec<String>,
    /// The existing split points that are not requested.
    pub extra: Vec<String>,
    /// `true` if extra ones are accepted.
    pub extra_allowed: bool,
    /// The extra ones that take a tablet out of its group: a difference even if extra ones are
    /// accepted.
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
            strays: unexpected_splits::find(optimizations, &wanted, found)?,
        })
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = Difference> {
        let part = |some: usize, whole: usize| share(count(some), count(whole));
        let missing = part(self.missing.len(), self.wanted);
        let missing = sentence(&self.missing, "missing")
            .map(|text| Difference::new(DifferenceKind::MissingSplits, SPLITS, missing, text));
        let extra = sentence(&self.extra, "not part of any recipe")
            .filter(|_| !self.extra_allowed)
            .map(|text| Difference::new(DifferenceKind::ExtraSplits, SPLITS, 0.0, text));
        let stray = part(self.strays.len(), self.found);
        let strays = unexpected_splits::differences(&self.strays).map(move |(recipe, text)| {
            Difference::new(DifferenceKind::StraySplits, recipe, stray, text)
        });
        missing.into_iter().chain(extra).chain(strays)
    }
}

/// Returns the sentence about split points; `None` if there are none.
fn sentence(splits: &[String], what: &str) -> Option<String> {
    match splits {
        [] => None,
        [one] => Some(format!("the split point `{one}` is {what}")),
        [first, ..] => Some(format!(
            "{} split points are {what}, the first is `{first}`",
            splits.len()
        )),
    }
}
