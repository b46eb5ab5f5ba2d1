//! The location of keys in the table: the pieces that hold a set of rows, and the split points.

use std::borrow::Cow;

use fluo_table::{Bytes, Grouped, Span, counted, prefix_successor};

use super::design::KeyDesign;
use super::row_selection::{RowRange, RowSelection};
use super::salt::SaltedPart;
use super::scan_cost::{KeyOrder, MAX_RANGES, ScanCost, Scans};
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

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
        let Some(salted) = &self.parts.salt else {
            return Ok(spans_under(&[], &ranges));
        };
        let under_salt = |number| {
            let mut head = Vec::with_capacity(self.head_len());
            salted.write_head(number, &mut head);
            spans_under(&head, &ranges)
        };
        let encoding = &self.parts.encoding;
        let common = match rows {
            // A drawn salt does not determine the location of a row, even of a known row.
            _ if salted.is_drawn() => None,
            RowSelection::Row(row) => encoding.part_of(row, &salted.over).ok(),
            _ => encoding.common_part(rows, &salted.over).map(Cow::Owned),
        };
        if let Some(part) = common {
            return Ok(under_salt(salted.number(&part)?));
        }
        let count = salted.count;
        if count > MAX_RANGES {
            return Err(RecipeError::scan(too_many(count)));
        }
        Ok((0..count).flat_map(under_salt).collect())
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
        let written = self.written(row)?;
        Ok(self.ranges(rows)?.iter().any(|range| range.contains(&written)))
    }

    /// Maximum number of tablets for which split points are computed: 2^21. That is more than any
    /// table has. It also exceeds the 1,679,616 hashes of the row hasher, so the hasher's own
    /// formulas apply up to their own limit.
    pub const MAX_TABLETS: u32 = 1 << 21;

    /// Returns the end rows that cut a table into this many tablets, ascending.
    ///
    /// Tablet `i` begins at salt `i * salts / tablets`, rounded down. There is one point less than
    /// there are tablets, because the last tablet extends to the end of the table. A web table can
    /// have a [leading point](crate::WebTable::leading_point), which adds one tablet. The keys of
    /// the row hasher do not extend to the end of the table: it has as many points as tablets,
    /// computed by its own [formula](crate::RowHasher::splits).
    ///
    /// # Errors
    ///
    /// Fails if `tablets` is 0, more than [`MAX_TABLETS`](Self::MAX_TABLETS), or more than the
    /// number of salts; also if the design has no salt and no alphabet to split evenly.
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        self.split(tablets).map(|(points, _)| points)
    }

    /// Returns the expected share of the rows in each tablet of [`splits`](Self::splits), as a
    /// weight, or `None` if the design does not spread rows evenly by itself.
    ///
    /// # Errors
    ///
    /// As [`splits`](Self::splits).
    pub fn tablet_weights(&self, tablets: u32) -> Result<Option<Vec<u64>>, RecipeError> {
        self.split(tablets).map(|(_, weights)| weights)
    }

    /// Returns the split points and, if rows are spread evenly, the weights of the tablets.
    pub(crate) fn split(
        &self,
        tablets: u32,
    ) -> Result<(Vec<Bytes>, Option<Vec<u64>>), RecipeError> {
        if tablets == 0 {
            return Err(RecipeError::no_tablets());
        }
        let most = Self::MAX_TABLETS;
        if tablets > most {
            let (tablets, most) = (counted(tablets, "tablet"), Grouped::new(most));
            return Err(RecipeError::splits(format!(
                "{tablets} are more than the maximum for split points: give 1 to {most}"
            )));
        }
        let Some(salted) = &self.parts.salt else {
            return Ok((self.parts.encoding.split_points(tablets)?, None));
        };
        let (mut points, mut weights) = salted.split(tablets)?;
        if self.parts.leading_point {
            points.insert(0, salted.nth(0));
            weights.insert(0, 0);
        }
        Ok((points, Some(weights)))
    }

    /// Checks whether several rows can have the same [salted part](Self::salted_part), so that they
    /// are stored together.
    pub fn keeps_rows_together(&self) -> bool {
        let salted = self.computed_salt();
        salted.is_some_and(|salted| salted.over != SaltedPart::Whole || self.is_of_domains())
    }

    /// Returns the row hasher, or `None` if this is another design.
    pub fn row_hasher(&self) -> Option<&RowHasher> {
        self.parts.salt.as_ref()?.hasher()
    }

    /// Returns the bytes with which every key begins. Empty if keys have no common beginning; such
    /// a design must be the only one in its table.
    pub fn prefix(&self) -> Bytes {
        let hasher = self.row_hasher();
        hasher.map_or_else(Bytes::new, |hasher| format!("{}:", hasher.prefix()).into())
    }

    /// Returns the part of the balancer's pattern that matches this design's rows, or `None` if its
    /// rows have no common beginning. In that case all tablets of the table form one group and need
    /// no pattern.
    pub fn group_regex(&self) -> Option<String> {
        self.row_hasher().map(RowHasher::group_regex)
    }

    fn written(&self, row: &[u8]) -> Result<Vec<u8>, RecipeError> {
        let mut written = Vec::with_capacity(row.len());
        self.parts.encoding.write(row, &mut written)?;
        Ok(written)
    }

    fn ranges(&self, rows: &RowSelection) -> Result<Vec<RowRange>, RecipeError> {
        match (rows, self.parts.encoding.cost(rows)) {
            (RowSelection::All, _) => Ok(vec![rows.bounds()]),
            (RowSelection::Row(row), _) => Ok(vec![RowRange::of_row(self.written(row)?)]),
            (_, ScanCost::Unsupported { reason }) => Err(RecipeError::scan(reason)),
            _ => self.parts.encoding.ranges(rows),
        }
    }

    /// Returns the scans that are possible, and the number of pieces of the table that each reads.
    pub fn scans(&self) -> Scans {
        let cost = |rows| self.cost(&rows);
        Scans {
            by_row: cost(RowSelection::Row(Bytes::new())),
            by_prefix: cost(RowSelection::Prefix(Bytes::new())),
            by_range: cost(RowSelection::range("", "")),
            by_suffix: cost(RowSelection::Suffix(Bytes::new())),
            between: cost(RowSelection::between("", "", "")),
            by_domain: cost(RowSelection::domain("")),
            order: self.order(),
        }
    }

    fn cost(&self, rows: &RowSelection) -> ScanCost {
        let is_row = matches!(rows, RowSelection::Row(_));
        let cost = if is_row { ScanCost::SingleRange } else { self.parts.encoding.cost(rows) };
        let Some(salted) = &self.parts.salt else {
            return cost;
        };
        match cost {
            ScanCost::Unsupported { .. } => cost,
            _ if (is_row || self.is_of_domains()) && !salted.is_drawn() => cost,
            _ if salted.count <= MAX_RANGES => cost.times(salted.count),
            // There are too many salts to read each of them.
            _ if salted.over == SaltedPart::Whole => ScanCost::unsupported(too_many(salted.count)),
            ScanCost::Limited { only, .. } => {
                ScanCost::only(format!("{only}, with the salt{}", salted.over_text))
            }
            _ => ScanCost::only(format!("rows with one salt{}", salted.over_text)),
        }
    }

    /// Checks whether the salt is computed from the domain of a page, which every set of pages that
    /// can be read contains.
    fn is_of_domains(&self) -> bool {
        self.order() == KeyOrder::Domains
    }
}

/// Returns the ranges under a salt and its separator, without empty ones.
fn spans_under(head: &[u8], ranges: &[RowRange]) -> Vec<Span> {
    let key = |bytes: &[u8]| Bytes::from([head, bytes].concat());
    let span = |RowRange { start, end }: &RowRange| {
        let end = end.as_ref().map_or_else(|| prefix_successor(head), |end| Some(key(end)));
        Span::rows(key(start), end)
    };
    ranges.iter().map(span).filter(|span| !span.is_empty()).collect()
}

fn too_many(salts: u64) -> String {
    format!(
        "a scan fans out over at most {} salts, and this design has {}: read row by row",
        Grouped(MAX_RANGES),
        Grouped(salts)
    )
}
