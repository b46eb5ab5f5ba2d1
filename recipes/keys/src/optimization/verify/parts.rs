//! The salted parts of rows, each of which is in one tablet by design.

use std::collections::HashSet;
use std::hash::BuildHasher;

use fluo_table::Escaped;
use foldhash::quality::FixedState;

use super::rows::HotPart;
use crate::heavy_hitters::HeavyHitters;
use crate::key_design::KeyDesign;

/// Maximum number of remembered salted parts of one salt, a few bytes each: a bound on memory.
/// Beyond it, a part whose rows do not follow each other may be counted twice.
const MOST_PARTS: usize = 1 << 20;

/// The salted parts seen under one salt. Rows of one part need not follow each other: `a-b/1` is
/// between `a/1` and `a/2`.
pub(super) struct Parts {
    head: Vec<u8>,
    seen: HashSet<u64>,
    /// The current tablet.
    tablet: usize,
    /// The number of its rows so far.
    rows: u64,
    /// The most frequent parts of its rows.
    hitters: HeavyHitters,
    /// The number of rows of the fullest tablet before the current one, and their most frequent
    /// part.
    fullest: (u64, Option<HotPart>),
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            head: Vec::new(),
            seen: HashSet::new(),
            tablet: 0,
            rows: 0,
            hitters: HeavyHitters::new(0),
            fullest: (0, None),
        }
    }
}

impl Parts {
    /// Counts the part of a row. Returns `true` if the row is the first of its part.
    pub(super) fn is_new(
        &mut self,
        design: &KeyDesign,
        key: &[u8],
        row: &[u8],
        tablet: usize,
    ) -> bool {
        let head = design.head_of(key);
        if self.head != head || self.seen.len() >= MOST_PARTS {
            self.head.clear();
            self.head.extend_from_slice(head);
            self.seen.clear();
        }
        if self.tablet != tablet {
            self.end_tablet();
            self.tablet = tablet;
        }
        self.rows += 1;
        let Ok(Some(part)) = design.salted_part(row) else {
            return true;
        };
        self.hitters.push(&part);
        self.seen
            .insert(FixedState::default().hash_one(part.as_ref()))
    }

    fn end_tablet(&mut self) {
        let hitters = std::mem::replace(&mut self.hitters, HeavyHitters::new(0));
        let rows = std::mem::take(&mut self.rows);
        if rows > self.fullest.0 {
            let hottest = hitters.at_least(1).into_iter().next();
            let part = hottest.map(|(part, rows)| HotPart {
                part: Escaped(&part).to_string(),
                rows,
            });
            self.fullest = (rows, part);
        }
    }

    /// Returns the most frequent part of the rows of the fullest tablet.
    pub(super) fn hottest(mut self) -> Option<HotPart> {
        self.end_tablet();
        self.fullest.1
    }
}
