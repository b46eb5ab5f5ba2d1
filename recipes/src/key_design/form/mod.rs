//! The form: how a row is written behind its salt.

mod alphabet;
mod composite;
mod escape;
mod plain;
mod reverse_time;
mod reversed;
mod web;

use std::borrow::Cow;

use fluo_core::Bytes;

pub use self::alphabet::RowAlphabet;
pub use self::composite::{Composite, Field, FieldKind, FieldOrder, FieldSettings};
pub(super) use self::reverse_time::ReverseTimes;
pub use self::reverse_time::{TimeEncoding, TimePlace};
pub(super) use self::reversed::Reversal;
pub use self::reversed::{ReversedUnit, RowLength};
use super::error::DesignError;
use super::explain::KeyField;
use super::part::SaltedPart;
use super::reach::KeyOrder;
use super::rows::Rows;
pub use web::{DomainText, WebPart};
pub(super) use web::{WebForm, holds as domain_holds};

/// How a row is written behind its salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// The page of a URL: its host from the top level down, then its path.
    Web(WebForm),
    /// Backwards.
    Reversed(Reversal),
    /// With its time counted down.
    ReverseTime(ReverseTimes),
    /// Field by field.
    Composite(Composite),
}

/// A half-open range of written rows; no end is no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormRange {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

impl FormRange {
    pub(super) fn holds(&self, written: &[u8]) -> bool {
        let ends_behind = |end: &Bytes| written < end.as_ref();
        written >= self.start.as_ref() && self.end.as_ref().is_none_or(ends_behind)
    }
}

/// What a set of rows is asked for, where all of a kind are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// One row.
    Row,
    /// All rows with a prefix.
    Prefix,
    /// All rows between two.
    Range,
    /// All rows with a suffix.
    Suffix,
    /// All rows with leading parts, whose next part lies between two values.
    Between,
}

impl Asked {
    /// Of which kind a set is; None of all rows, which every form has together, and of the pages of a domain.
    fn of(rows: &Rows) -> Option<Self> {
        match rows {
            Rows::All | Rows::Domain { .. } => None,
            Rows::Row(_) => Some(Self::Row),
            Rows::Prefix(_) => Some(Self::Prefix),
            Rows::Range { .. } => Some(Self::Range),
            Rows::Suffix(_) => Some(Self::Suffix),
            Rows::Between { .. } => Some(Self::Between),
        }
    }
}

impl Form {
    /// Refuses a part that rows of this form do not have.
    pub(super) fn check_part(&self, part: &SaltedPart) -> Result<(), DesignError> {
        match self {
            Self::Plain | Self::Web(_) => plain::check_part(part),
            Self::Reversed(_) => Reversal::check_part(part),
            Self::ReverseTime(_) => ReverseTimes::check_part(part),
            Self::Composite(composite) => composite.check_part(part),
        }
    }

    /// Appends the written form of a row.
    pub(super) fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => key.extend_from_slice(row),
            Self::Reversed(reversal) => reversal.write(row, key)?,
            Self::ReverseTime(times) => times.write(row, key)?,
            Self::Composite(composite) => composite.write(row, key)?,
            Self::Web(_) => WebForm::write(row, key)?,
        }
        Ok(())
    }

    /// Appends the row of a written form.
    pub(super) fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => row.extend_from_slice(written),
            Self::Reversed(reversal) => reversal.read(written, row)?,
            Self::ReverseTime(times) => times.read(written, row)?,
            Self::Composite(composite) => composite.read(written, row)?,
            Self::Web(_) => WebForm::read(written, row)?,
        }
        Ok(())
    }

    /// The part of a row that its salt is made of.
    pub(super) fn part_of<'a>(
        &self,
        row: &'a [u8],
        part: &SaltedPart,
    ) -> Result<Cow<'a, [u8]>, DesignError> {
        match self {
            Self::Plain => Ok(plain::part_of(row, part)),
            Self::Reversed(_) => Ok(row.into()),
            Self::ReverseTime(times) => times.part_of(row, part).map(Cow::from),
            Self::Composite(composite) => composite.part_of(row, part).map(Cow::from),
            Self::Web(web) => web.part_of(row),
        }
    }

    /// The one part that all rows of a set have, if they all have the same.
    pub(super) fn common_part(&self, rows: &Rows, part: &SaltedPart) -> Option<Bytes> {
        match self {
            Self::Plain => plain::common_part(rows, part),
            Self::Reversed(_) => match rows {
                Rows::Row(row) => Some(row.clone()),
                _ => None,
            },
            Self::ReverseTime(times) => times.common_part(rows, part),
            Self::Composite(composite) => composite.common_part(rows, part),
            Self::Web(web) => web.common_part(rows),
        }
    }

    /// The written forms of exactly the rows of a set, in their order.
    ///
    /// # Errors
    /// A set whose rows do not lie together in this form, with the reason.
    pub(super) fn ranges(&self, rows: &Rows) -> Result<Vec<FormRange>, DesignError> {
        if let Self::Web(_) = self {
            return WebForm::ranges(rows);
        }
        if let Rows::Domain { .. } = rows {
            return Err(DesignError::scan(
                "only the keys of a web-table design hold domains: ask for a row, a prefix or a range",
            ));
        }
        if let Some(reason) = Asked::of(rows).and_then(|asked| self.scatters(asked)) {
            return Err(DesignError::scan(reason));
        }
        let range = match self {
            Self::Plain | Self::Web(_) => plain::range(rows),
            Self::Reversed(reversal) => reversal.range(rows)?,
            Self::ReverseTime(times) => times.range(rows)?,
            Self::Composite(composite) => composite.range(rows)?,
        };
        Ok(vec![range])
    }

    /// Why such sets of rows do not lie together, if they do not.
    pub(super) fn scatters(&self, asked: Asked) -> Option<String> {
        match self {
            Self::Plain => plain::scatters(asked),
            Self::Reversed(_) => Reversal::scatters(asked),
            Self::ReverseTime(times) => times.scatters(asked),
            Self::Composite(_) => Composite::scatters(asked),
            Self::Web(_) => WebForm::scatters(asked),
        }
    }

    /// The order of the written forms.
    pub(super) fn order(&self) -> KeyOrder {
        match self {
            Self::Plain => KeyOrder::Rows,
            Self::Reversed(_) => KeyOrder::ReversedRows,
            Self::ReverseTime(times) => times.order(),
            Self::Composite(_) => KeyOrder::Fields,
            Self::Web(_) => KeyOrder::Domains,
        }
    }

    /// Points that cut the space of written forms into this many even pieces, for designs without a salt.
    pub(super) fn split_points(&self, tablets: u32) -> Result<Vec<Bytes>, DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.split_points(tablets),
            Self::ReverseTime(times) => Err(DesignError::splits(times.unsplit())),
            Self::Composite(_) => Err(DesignError::splits(
                "the leading fields of rows have no alphabet to split evenly: set a salt, or take the points from a \
                 sample with `fluo advise`",
            )),
            Self::Plain | Self::Web(_) => Err(DesignError::splits(
                "rows that are written as they are have no alphabet to split evenly: take the points from a sample \
                 with `fluo advise`",
            )),
        }
    }

    /// Whether a split point stands before the first salt, and so a tablet that holds nothing.
    pub(super) fn has_leading_point(&self) -> bool {
        match self {
            Self::Web(web) => web.leading_point,
            _ => false,
        }
    }

    /// What a written form means.
    pub(super) fn explain(&self, written: &[u8]) -> Result<Vec<KeyField>, DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.explain(written),
            Self::ReverseTime(times) => times.explain(written),
            Self::Composite(composite) => composite.explain(written),
            Self::Plain => Ok(vec![KeyField::new(
                "row",
                written.to_vec(),
                "the row as it is",
            )]),
            Self::Web(web) => web.explain(written),
        }
    }
}
