//! What reads cost in a design.

use serde::Serialize;

use crate::advisor::profile::FieldCut;
use crate::advisor::{HotField, LeadingFields};
use crate::key_design::{KeyDesign, Reach, Rows};

/// Into how many pieces of the table a read falls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "cost")]
pub enum ScanCost {
    /// One contiguous piece.
    OnePiece,
    /// At most so many.
    FanOut {
        /// How many.
        pieces: u64,
    },
    /// It cannot be done.
    Impossible {
        /// Why, and what to use instead.
        reason: String,
    },
}

/// What each kind of read costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScanCosts {
    /// One row whose key is known.
    pub by_row: ScanCost,
    /// All rows with a known prefix.
    pub by_prefix: ScanCost,
    /// All rows between two.
    pub by_range: ScanCost,
    /// All rows with one known leading field; none where the keys have no such field.
    pub by_leading_field: Option<ScanCost>,
    /// The order in which rows come.
    pub order: String,
}

impl From<Reach> for ScanCost {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::OnePiece => Self::OnePiece,
            Reach::FanOut(pieces) => Self::FanOut { pieces },
            Reach::Impossible(reason) => Self::Impossible { reason },
        }
    }
}

impl ScanCost {
    /// How many pieces; none where it is impossible.
    #[must_use]
    pub fn pieces(&self) -> Option<u64> {
        match self {
            Self::OnePiece => Some(1),
            Self::FanOut { pieces } => Some(*pieces),
            Self::Impossible { .. } => None,
        }
    }
}

impl ScanCosts {
    pub(super) fn of_unsalted(fields: &LeadingFields) -> Self {
        let by_field = field_with_end(fields).map(|_| ScanCost::OnePiece);
        Self {
            by_row: ScanCost::OnePiece,
            by_prefix: ScanCost::OnePiece,
            by_range: ScanCost::OnePiece,
            by_leading_field: by_field,
            order: crate::key_design::KeyOrder::Rows.to_string(),
        }
    }

    pub(super) fn of(design: &KeyDesign, fields: &LeadingFields) -> Self {
        let scans = design.scans();
        let by_leading_field =
            field_with_end(fields).map(|prefix| match design.spans(&Rows::Prefix(prefix.into())) {
                Ok(spans) if spans.len() <= 1 => ScanCost::OnePiece,
                Ok(spans) => ScanCost::FanOut {
                    pieces: crate::advisor::number::count(spans.len()),
                },
                Err(error) => ScanCost::Impossible {
                    reason: error.to_string(),
                },
            });
        Self {
            by_row: scans.by_row.into(),
            by_prefix: scans.by_prefix.into(),
            by_range: scans.by_range.into(),
            by_leading_field,
            order: scans.order.to_string(),
        }
    }
}

/// A leading field that keys have, with the separator behind it.
fn field_with_end(fields: &LeadingFields) -> Option<Vec<u8>> {
    let Some(FieldCut::Separator { byte, .. }) = fields.cut else {
        return None;
    };
    let HotField { field, .. } = fields.hot.first()?;
    Some([field.as_ref(), &[byte]].concat())
}
