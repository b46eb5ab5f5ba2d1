//! The location of a set of rows in the table.

use fluo_table::{Bytes, Span, prefix_successor};

use super::design::KeyDesign;
use super::designs::SaltSpec;
use super::error::DesignError;
use super::form::{Asked, FormRange, RowEncoding};
use super::row_selection::RowSelection;
use super::salted_part::SaltedPart;
use super::scan_cost::{ScanCost, Scans};
use crate::number::grouped;

/// Maximum number of pieces that one read is fanned out over. With more, a scan costs more than
/// reading the whole table.
pub(crate) const MOST_PIECES: u64 = 65_536;

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
    pub fn spans(&self, rows: &RowSelection) -> Result<Vec<Span>, DesignError> {
        let ranges = self.parts.form.ranges(rows)?;
        let under = |head: &[u8]| kept(head, &ranges);
        let Some(salted) = &self.parts.salt else {
            return Ok(under(&[]));
        };
        // A drawn salt does not determine the location of a row, even of a known row.
        let common = || self.parts.form.common_part(rows, salted);
        if let Some(part) = salted.salt.is_computed().then(common).flatten() {
            let mut head = Vec::with_capacity(self.head_len());
            salted.salt.write(&part, None, &mut head)?;
            head.extend_from_slice(salted.separator.as_bytes());
            return Ok(under(&head));
        }
        let count = salted.salt.count();
        if count > MOST_PIECES {
            return Err(DesignError::scan(too_many(self.name(), count)));
        }
        let spans = (0..count).flat_map(|number| under(&head_of(salted, number)));
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
    /// use fluo_recipes::{KeyDesign, ReverseTime, RowSelection};
    ///
    /// let design = KeyDesign::new(ReverseTime::default())?;
    /// let rows = RowSelection::between("sensor7|", "9", "12");
    /// assert!(design.contains(&rows, b"sensor7|10")?);
    /// assert!(!design.contains(&rows, b"sensor7|12")?);
    /// # Ok::<(), fluo_recipes::DesignError>(())
    /// ```
    pub fn contains(&self, rows: &RowSelection, row: &[u8]) -> Result<bool, DesignError> {
        let mut written = Vec::with_capacity(row.len());
        self.parts.form.write(row, &mut written)?;
        let ranges = self.parts.form.ranges(rows)?;
        Ok(ranges.iter().any(|range| range.holds(&written)))
    }

    /// Returns the scans that are possible, and the number of pieces of the table that each reads.
    #[must_use]
    pub fn scans(&self) -> Scans {
        Scans {
            by_row: self.reach(Asked::Row),
            by_prefix: self.reach(Asked::Prefix),
            by_range: self.reach(Asked::Range),
            by_suffix: self.reach(Asked::Suffix),
            between: self.reach(Asked::Between),
            by_domain: self.domain_reach(),
            order: self.order(),
        }
    }

    fn reach(&self, asked: Asked) -> ScanCost {
        if let Some(reason) = self.parts.form.scatters(asked) {
            return ScanCost::Unsupported { reason };
        }
        let pieces = match &self.parts.salt {
            None => 1,
            Some(salted) if asked == Asked::Row && salted.salt.is_computed() => 1,
            // A readable prefix contains a whole host: one salt, with two pieces if there are other
            // ports.
            Some(_) if asked == Asked::Prefix && self.parts.form == RowEncoding::Web => 2,
            Some(salted) => salted.salt.count(),
        };
        let only = self.parts.form.only(asked);
        if pieces > MOST_PIECES {
            return self.reach_within_a_salt(only, pieces);
        }
        match (only, pieces) {
            (Some(only), pieces) => ScanCost::Limited {
                ranges: pieces,
                only,
            },
            (None, 1) => ScanCost::SingleRange,
            (None, pieces) => ScanCost::FanOut { ranges: pieces },
        }
    }

    /// Returns the reach if there are too many salts to read each of them.
    fn reach_within_a_salt(&self, only: Option<String>, salts: u64) -> ScanCost {
        let salted = self.parts.salt.as_ref();
        let salted = salted.filter(|salted| salted.part != SaltedPart::Whole);
        let Some(salted) = salted else {
            return ScanCost::Unsupported {
                reason: too_many(self.name(), salts),
            };
        };
        let only = only.map(|only| format!("{only}, and of them "));
        let only = format!(
            "{}rows that share their salt, that{}",
            only.unwrap_or_default(),
            salted.part
        );
        ScanCost::Limited { ranges: 1, only }
    }

    fn domain_reach(&self) -> ScanCost {
        match (self.reach(Asked::Domain), &self.parts.salt) {
            (ScanCost::FanOut { .. } | ScanCost::Unsupported { .. }, Some(salted))
                if self.parts.form == RowEncoding::Web =>
            {
                let count = salted.salt.count();
                let only = salted
                    .page
                    .only_domains((count <= MOST_PIECES).then_some(count));
                ScanCost::Limited { ranges: 1, only }
            }
            (reach, _) => reach,
        }
    }
}

fn head_of(salted: &SaltSpec, number: u64) -> Vec<u8> {
    let mut head = salted.salt.nth(number).to_vec();
    head.extend_from_slice(salted.separator.as_bytes());
    head
}

fn span_under(head: &[u8], range: &FormRange) -> Span {
    let under = |bytes: &[u8]| Bytes::from([head, bytes].concat());
    let end = match &range.end {
        Some(end) => Some(under(end)),
        None => prefix_successor(head),
    };
    Span::rows(under(&range.start), end)
}

fn kept(head: &[u8], ranges: &[FormRange]) -> Vec<Span> {
    let spans = ranges.iter().map(|range| span_under(head, range));
    spans.filter(|span| !span.is_empty()).collect()
}

fn too_many(name: &str, count: u64) -> String {
    format!(
        "{name} has {} salts, and a scan of several rows would be fanned out over all of them (at most {}): read rows \
         one by one, or use a design with fewer salts, such as a digest-salt of 2 digits",
        grouped(count),
        grouped(MOST_PIECES)
    )
}
