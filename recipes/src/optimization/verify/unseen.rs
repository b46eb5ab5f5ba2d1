//! Entries of which no row was seen.
//!
//! The scan that counts rows sees what its authorizations show. A tablet can therefore be hot with rows that were not
//! counted. Where none of its rows were seen, its entries say so.

use serde::Serialize;

use super::census::Census;
use super::difference::{Difference, DifferenceKind};
use super::load::TabletLoad;
use super::look::Look;
use super::scale::Whole;
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
    /// Returns the entries without rows, or `None` if rows were not counted.
    pub(super) fn new(look: &Look<'_>, census: &Census) -> Option<Self> {
        if !census.counts_rows {
            return None;
        }
        let entries = look.entries();
        let unseen = census.all.iter().zip(&entries);
        let unseen: Vec<_> = unseen
            .map(|(rows, entries)| if *rows == 0 { *entries } else { 0 })
            .collect();
        let whole = Whole {
            places: look.places(&entries),
            total: entries.iter().sum(),
        };
        let scale = look.by_entries().scale;
        Some(Self {
            entries: unseen.iter().sum(),
            load: scale.of_even_tablets(whole, look.with_counts(&unseen)),
        })
    }

    pub(super) fn finding(&self) -> Option<Difference> {
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
        Some(
            Difference::new(
                DifferenceKind::UnseenEntries,
                tablet.name(),
                load.excess(),
                told,
            )
            .of_load(load),
        )
    }
}
