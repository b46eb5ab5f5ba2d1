//! Entries whose rows the counting scan did not see.
//!
//! The scan that counts rows sees only cells that its authorizations show. So a tablet can be hot
//! with rows that were not counted. If none of its rows were seen, its entries show this.

use fluo_table::Grouped;
use serde::Serialize;

use super::census::Census;
use super::difference::{Difference, DifferenceKind};
use super::load::TabletLoad;
use super::look::Look;
use super::scale::Whole;
use super::sentences;

/// The entries of tablets none of whose rows were seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnseenVerdict {
    /// The number of these entries.
    pub entries: u64,
    /// The tablet with most of them, compared with the mean of all entries of the table.
    pub load: TabletLoad,
}

impl UnseenVerdict {
    /// Returns the entries without rows, or `None` if rows were not counted.
    pub(super) fn new(look: &Look<'_>, census: &Census) -> Option<Self> {
        if !census.counts_rows {
            return None;
        }
        let entries = look.included(&look.entries());
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
            load: look.judged(scale.of_even_tablets(whole, look.with_counts(&unseen))),
        })
    }

    pub(super) fn finding(&self) -> Option<Difference> {
        let TabletLoad { load, fullest } = &self.load;
        let tablet = fullest.as_ref().filter(|_| load.is_too_full())?;
        let sentence = format!(
            "{} holds {} of {} entries, {} times the mean, and none of its rows can be seen; the limit is {}. Its rows \
             need other authorizations, or were deleted: then a compaction removes them",
            tablet.name(),
            Grouped(load.largest),
            Grouped(load.total),
            sentences::skew(load),
            sentences::limit(load)
        );
        Some(
            Difference::new(
                DifferenceKind::UnseenEntries,
                tablet.name(),
                load.excess(),
                sentence,
            )
            .of_load(load),
        )
    }
}
