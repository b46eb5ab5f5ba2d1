//! Where in the table a set of rows lies.

use fluo_core::{Bytes, Span, prefix_successor};

use super::design::KeyDesign;
use super::designs::SaltOf;
use super::error::DesignError;
use super::form::{Asked, FormRange};
use super::reach::{Reach, Scans};
use super::rows::Rows;

/// Most pieces that one read is fanned out over. Beyond, a scan costs more than reading the whole table.
pub(super) const MOST_PIECES: u64 = 65_536;

impl KeyDesign {
    /// The pieces of the table that hold the keys of exactly these rows (K3), one for each salt that can hold one,
    /// in the order of the table. None is empty.
    ///
    /// # Errors
    /// A set whose rows the design scatters, and one that falls into more than 65,536 pieces.
    pub fn spans(&self, rows: &Rows) -> Result<Vec<Span>, DesignError> {
        let range = self.halves.form.range(rows)?;
        let Some(salted) = &self.halves.salt else {
            return Ok(kept(span_under(&[], &range)));
        };
        if let Some(part) = self.halves.form.common_part(rows, &salted.part) {
            let mut head = Vec::with_capacity(self.head_len());
            salted.salt.write(&part, &mut head)?;
            head.extend_from_slice(salted.separator.as_bytes());
            return Ok(kept(span_under(&head, &range)));
        }
        let count = salted.salt.count();
        if count > MOST_PIECES {
            return Err(DesignError::scan(too_many(self.name(), count)));
        }
        let spans = (0..count).map(|number| span_under(&head_of(salted, number), &range));
        Ok(spans.filter(|span| !span.is_empty()).collect())
    }

    /// Which scans are possible, and over how many pieces of the table.
    #[must_use]
    pub fn scans(&self) -> Scans {
        Scans {
            by_row: self.reach(Asked::Row),
            by_prefix: self.reach(Asked::Prefix),
            by_range: self.reach(Asked::Range),
            order: self.order(),
        }
    }

    fn reach(&self, asked: Asked) -> Reach {
        if let Some(reason) = self.halves.form.scatters(asked) {
            return Reach::Impossible(reason);
        }
        match &self.halves.salt {
            None => Reach::OnePiece,
            Some(_) if asked == Asked::Row => Reach::OnePiece,
            Some(salted) => match salted.salt.count() {
                1 => Reach::OnePiece,
                count if count > MOST_PIECES => Reach::Impossible(too_many(self.name(), count)),
                count => Reach::FanOut(count),
            },
        }
    }
}

fn head_of(salted: &SaltOf, number: u64) -> Vec<u8> {
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

fn kept(span: Span) -> Vec<Span> {
    if span.is_empty() {
        Vec::new()
    } else {
        vec![span]
    }
}

fn too_many(name: &str, count: u64) -> String {
    format!(
        "{name} has {count} salts, and a scan of several rows would be fanned out over all of them (at most \
         {MOST_PIECES}): read rows one by one, or use a design with fewer salts, such as a digest-salt of 2 digits"
    )
}
