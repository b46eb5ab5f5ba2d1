//! The location of a set of rows in the table, and the cost of reading it.

use fluo_table::{Bytes, Grouped, Span, prefix_successor};

use super::design::KeyDesign;
use super::encoding::{RowRange, SelectionKind, written};
use super::row_selection::RowSelection;
use super::salt::{SaltSpec, SaltedPart};
use super::scan_cost::{KeyOrder, MAX_RANGES, ScanCost, Scans};
use crate::error::RecipeError;

impl KeyDesign {
    /// Returns the pieces of the table that hold the keys of exactly these rows (K3): one for each
    /// salt that can hold a row, in the order of the table.
    ///
    /// No piece is empty. A set with a gap in every salt has one more piece for each salt: for
    /// example, the prefix of a whole host in a web table excludes the pages of the host's other
    /// ports.
    ///
    /// # Errors
    ///
    /// Fails if the design scatters the rows of the set, or if the set needs more than 65,536
    /// pieces.
    pub fn spans(&self, rows: &RowSelection) -> Result<Vec<Span>, RecipeError> {
        let ranges = self.ranges(rows)?;
        let under = |head: &[u8]| kept(head, &ranges);
        let Some(salted) = &self.parts.salt else {
            return Ok(under(&[]));
        };
        // A drawn salt does not determine the location of a row, even of a known row.
        let computed = self.computed_salt();
        let common =
            computed.and_then(|salted| self.parts.encoding.common_part(rows, &salted.over));
        if let Some(part) = common {
            let mut head = Vec::with_capacity(self.head_len());
            salted.write_head(&part, None, &mut head)?;
            return Ok(under(&head));
        }
        let count = salted.salt.count();
        if count > MAX_RANGES {
            return Err(RecipeError::scan(too_many(count)));
        }
        let spans = (0..count).flat_map(|number| under(&salted.nth_head(number)));
        Ok(spans.collect())
    }

    /// Checks whether a row is in a set, as this design interprets both.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design, or if the design scatters the rows of the set.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{KeyDesign, ReverseTime, RowSelection};
    ///
    /// let design = KeyDesign::new(ReverseTime::default())?;
    /// let rows = RowSelection::between("sensor7|", "9", "12");
    /// assert!(design.contains(&rows, b"sensor7|10")?);
    /// assert!(!design.contains(&rows, b"sensor7|12")?);
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    pub fn contains(&self, rows: &RowSelection, row: &[u8]) -> Result<bool, RecipeError> {
        let written = written(&*self.parts.encoding, row)?;
        let ranges = self.ranges(rows)?;
        Ok(ranges.iter().any(|range| range.contains(&written)))
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        let cost = SelectionKind::of(rows).map(|kind| self.parts.encoding.cost(kind));
        match cost {
            Some(ScanCost::Unsupported { reason }) => Err(RecipeError::scan(reason)),
            _ => self.parts.encoding.ranges(rows),
        }
    }

    /// Returns the scans that are possible, and the number of pieces of the table that each reads.
    pub fn scans(&self) -> Scans {
        Scans {
            by_row: self.cost(SelectionKind::Row),
            by_prefix: self.cost(SelectionKind::Prefix),
            by_range: self.cost(SelectionKind::Range),
            by_suffix: self.cost(SelectionKind::Suffix),
            between: self.cost(SelectionKind::Between),
            by_domain: self.cost(SelectionKind::Domain),
            order: self.order(),
        }
    }

    fn cost(&self, kind: SelectionKind) -> ScanCost {
        let cost = self.parts.encoding.cost(kind);
        let Some(salted) = &self.parts.salt else {
            return cost;
        };
        let determines_salt = kind == SelectionKind::Row || self.is_of_domains();
        if determines_salt && salted.salt.is_computed() {
            return cost;
        }
        if salted.salt.count() > MAX_RANGES {
            return within_a_salt(salted, cost);
        }
        cost.times(salted.salt.count())
    }

    /// Checks whether the salt is computed from the domain of a page, which every set of pages that
    /// can be read contains.
    pub(super) fn is_of_domains(&self) -> bool {
        self.order() == KeyOrder::Domains
    }
}

/// Returns the cost if there are too many salts to read each of them.
fn within_a_salt(salted: &SaltSpec, cost: ScanCost) -> ScanCost {
    let only = match cost {
        ScanCost::Unsupported { .. } => return cost,
        _ if salted.over == SaltedPart::Whole => {
            return ScanCost::unsupported(too_many(salted.salt.count()));
        }
        ScanCost::Limited { only, .. } => format!("{only}, with the salt{}", salted.over_text),
        _ => format!("rows with one salt{}", salted.over_text),
    };
    ScanCost::only(only)
}

fn span_under(head: &[u8], range: &RowRange) -> Span {
    let under = |bytes: &[u8]| Bytes::from([head, bytes].concat());
    let end = match &range.end {
        Some(end) => Some(under(end)),
        None => prefix_successor(head),
    };
    Span::rows(under(&range.start), end)
}

fn kept(head: &[u8], ranges: &[RowRange]) -> Vec<Span> {
    let spans = ranges.iter().map(|range| span_under(head, range));
    spans.filter(|span| !span.is_empty()).collect()
}

fn too_many(salts: u64) -> String {
    format!(
        "a scan fans out over at most {} salts, and this design has {}: read row by row",
        Grouped(MAX_RANGES),
        Grouped(salts)
    )
}
