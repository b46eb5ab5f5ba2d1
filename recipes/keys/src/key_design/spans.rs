//! The location of a set of rows in the table.

use fluo_table::{Bytes, Grouped, Span, prefix_successor};

use super::design::KeyDesign;
use super::encoding::{Contiguity, RowRange, SelectionKind};
use super::row_selection::RowSelection;
use super::salted_part::SaltedPart;
use super::scan_cost::{MOST_PIECES, ScanCost, Scans};
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
        let ranges = self.parts.encoding.ranges(rows)?;
        let under = |head: &[u8]| kept(head, &ranges);
        let Some(salted) = &self.parts.salt else {
            return Ok(under(&[]));
        };
        // A drawn salt does not determine the location of a row, even of a known row.
        let common = || self.parts.encoding.common_part(rows, &salted.part);
        if let Some(part) = salted.salt.is_computed().then(common).flatten() {
            let mut head = Vec::with_capacity(self.head_len());
            salted.salt.write(&part, None, &mut head)?;
            head.extend_from_slice(salted.separator.as_bytes());
            return Ok(under(&head));
        }
        let count = salted.salt.count();
        if count > MOST_PIECES {
            return Err(RecipeError::scan(too_many(self.name(), count)));
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
        let written = self.parts.encoding.written(row)?;
        let ranges = self.parts.encoding.ranges(rows)?;
        Ok(ranges.iter().any(|range| range.contains(&written)))
    }

    /// Returns the scans that are possible, and the number of pieces of the table that each reads.
    #[must_use]
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
        let only = match self.parts.encoding.contiguity(kind) {
            Contiguity::Always => None,
            Contiguity::Only(only) => Some(only.to_owned()),
            Contiguity::Never(reason) => {
                let reason = reason.to_owned();
                return ScanCost::Unsupported { reason };
            }
        };
        let Some(salted) = &self.parts.salt else {
            return cost_of(1, only);
        };
        let salts = salted.salt.count();
        if let Some(cost) = self.parts.encoding.salted_cost(kind, salts) {
            return cost;
        }
        if kind == SelectionKind::Row && salted.salt.is_computed() {
            return cost_of(1, only);
        }
        if salts > MOST_PIECES {
            return self.cost_within_a_salt(&salted.part, only, salts);
        }
        cost_of(salts, only)
    }

    /// Returns the cost if there are too many salts to read each of them.
    fn cost_within_a_salt(&self, part: &SaltedPart, only: Option<String>, salts: u64) -> ScanCost {
        if *part == SaltedPart::Whole {
            return ScanCost::Unsupported {
                reason: too_many(self.name(), salts),
            };
        }
        let only = only.map(|only| format!("{only}, and of them "));
        let only = format!(
            "{}rows that share their salt, that{part}",
            only.unwrap_or_default()
        );
        ScanCost::Limited { ranges: 1, only }
    }
}

fn cost_of(ranges: u64, only: Option<String>) -> ScanCost {
    match (only, ranges) {
        (Some(only), ranges) => ScanCost::Limited { ranges, only },
        (None, 1) => ScanCost::SingleRange,
        (None, ranges) => ScanCost::FanOut { ranges },
    }
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

fn too_many(name: &str, count: u64) -> String {
    format!(
        "{name} has {} salts, and a scan of several rows would be fanned out over all of them (at most {}): read rows \
         one by one, or use a design with fewer salts, such as a digest-salt of 2 digits",
        Grouped(count),
        Grouped(MOST_PIECES)
    )
}
