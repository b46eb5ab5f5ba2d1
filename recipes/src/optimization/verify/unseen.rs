//! Entries of which no row was seen.
//!
//! The scan that counts rows sees what its authorizations show. A tablet can therefore be hot with rows that were not
//! counted. Where none of its rows were seen, its entries say so.

use fluo_core::Tablets;
use serde::Serialize;

use super::census::{self, Census};
use super::finding::{Finding, Stage};
use super::load::TabletLoad;
use super::scale::{Places, Scale};
use super::sentences;
use crate::number::grouped;

/// The entries of tablets none of whose rows were seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnseenVerdict {
    /// The number of them.
    pub entries: u64,
    /// The tablet that has the most of them, held against the mean of all entries of the table.
    pub load: TabletLoad,
}

impl UnseenVerdict {
    /// The entries without rows, or `None` if rows were not counted.
    pub(super) fn new(
        census: &Census,
        tablets: &Tablets,
        planned: usize,
        scale: Scale,
    ) -> Option<Self> {
        if !census.counts_rows {
            return None;
        }
        let scale = Scale {
            counts_rows: false,
            ..scale
        };
        let entries = census::entries(tablets);
        let unseen = census.all.iter().zip(&entries);
        let unseen: Vec<_> = unseen
            .map(|(rows, entries)| if *rows == 0 { *entries } else { 0 })
            .collect();
        let filled = entries.iter().filter(|entries| **entries > 0).count();
        let counts = tablets.as_slice().iter().zip(unseen.iter().copied());
        let places = Places::equal(planned.max(filled));
        Some(Self {
            entries: unseen.iter().sum(),
            load: scale.of_tablets(places, entries.iter().sum(), counts),
        })
    }

    pub(super) fn finding(&self) -> Option<Finding> {
        let TabletLoad { load, fullest } = &self.load;
        let tablet = fullest.as_ref().filter(|_| load.is_too_full())?;
        let told = format!(
            "{} holds {} of {} entries, {} times the mean, and none of its rows can be seen; the limit is {}. Its rows \
             need other authorizations, or were deleted: then a compaction removes them",
            tablet.name(),
            grouped(load.largest),
            grouped(load.total),
            sentences::skew(load),
            sentences::limit(load)
        );
        Some(Finding::new(Stage::UnseenEntries, load.excess(), told))
    }
}
