//! The form: the way a row is written after its salt.

mod alphabet;
mod composite;
mod escape;
mod plain;
mod reverse_time;
mod reversed;
mod web;

use std::borrow::Cow;

use fluo_table::{Bytes, prefix_successor, row_successor};

pub use self::alphabet::RowAlphabet;
pub use self::composite::{Composite, Field, FieldKind, FieldOrder, FieldSettings};
pub(super) use self::reverse_time::ReverseTimes;
pub use self::reverse_time::{TimeEncoding, TimePosition};
pub(super) use self::reversed::Reversal;
pub use self::reversed::{ReversedUnit, RowLength};
pub(super) use self::web::is_web_address;
pub use self::web::{DomainDirection, WebPart};
pub(super) use self::web::{PagePart, holds as domain_holds};
use super::designs::SaltSpec;
use super::error::DesignError;
use super::explain::KeyField;
use super::row_selection::RowSelection;
use super::salt::{Buckets, HashInput};
use super::salted_part::SaltedPart;
use super::scan_cost::KeyOrder;
use crate::row_hasher::Excerpt;

/// The way a row is written after its salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowEncoding {
    /// The row as it is.
    Plain,
    /// The page of a URL: its host from the top level down, then its path.
    Web,
    /// The row backwards.
    Reversed(Reversal),
    /// The row with its time counted down.
    ReverseTime(ReverseTimes),
    /// The row field by field.
    Composite(Composite),
}

/// A half-open range of written rows; unbounded if `end` is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormRange {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

impl FormRange {
    /// Returns the range of one written row.
    pub(super) fn of_row(written: impl Into<Bytes>) -> Self {
        let start = written.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

    /// Returns the range of all written rows with this prefix.
    pub(super) fn of_prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        let end = prefix_successor(&start);
        Self { start, end }
    }

    /// Returns the range of rows that are written as they are.
    pub(super) fn as_they_are(rows: &RowSelection) -> Self {
        let (start, end) = rows.bounds();
        Self { start, end }
    }

    pub(super) fn holds(&self, written: &[u8]) -> bool {
        let ends_behind = |end: &Bytes| written < end.as_ref();
        written >= self.start.as_ref() && self.end.as_ref().is_none_or(ends_behind)
    }
}

/// The kind of a set of rows, for answers that are the same for all sets of a kind.
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
    /// All rows with given leading parts, and with a next part between two values.
    Between,
    /// The pages of a domain.
    Domain,
}

const NO_DOMAIN: &str =
    "only the keys of a web-table design hold domains: ask for a row, a prefix or a range";

impl Asked {
    /// Returns the kind of a set, or `None` for all rows, which every form stores contiguously.
    fn of(rows: &RowSelection) -> Option<Self> {
        match rows {
            RowSelection::All => None,
            RowSelection::Domain { .. } => Some(Self::Domain),
            RowSelection::Row(_) => Some(Self::Row),
            RowSelection::Prefix(_) => Some(Self::Prefix),
            RowSelection::Range { .. } => Some(Self::Range),
            RowSelection::Suffix(_) => Some(Self::Suffix),
            RowSelection::Between { .. } => Some(Self::Between),
        }
    }
}

impl RowEncoding {
    /// Rejects a part that rows of this form do not have.
    pub(super) fn check_part(&self, part: &SaltedPart) -> Result<(), DesignError> {
        match self {
            // A reversed row has no salt, and a page selects its salted part itself.
            Self::Plain | Self::Web | Self::Reversed(_) => plain::check_part(part),
            Self::ReverseTime(_) => ReverseTimes::check_part(part),
            Self::Composite(composite) => composite.check_part(part),
        }
    }

    /// Rejects a part to which the modulus cannot be applied, for some or all rows.
    pub(super) fn check_modulo(
        &self,
        buckets: Buckets,
        part: &SaltedPart,
    ) -> Result<(), DesignError> {
        match (self, buckets.of(), part) {
            (Self::Plain, HashInput::JavaHash, SaltedPart::First(_)) => Err(DesignError::settings(
                "Java's String.hashCode needs text, but the first bytes of a text can end within a character: salt \
                 over the part before a text, or use a digest-salt, which accepts any bytes",
            )),
            (Self::Composite(composite), HashInput::Number, part) => composite.check_number(part),
            _ => Ok(()),
        }
    }

    /// Returns a row or a key for display in a message; for a web table, without a possible
    /// password.
    pub(super) fn shown(&self, bytes: &[u8]) -> Excerpt {
        match self {
            Self::Web => web::shown(bytes),
            _ => Excerpt::new(bytes),
        }
    }

    /// Appends a row in its written form.
    pub(super) fn write(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => key.extend_from_slice(row),
            Self::Reversed(reversal) => reversal.write(row, key)?,
            Self::ReverseTime(times) => times.write(row, key)?,
            Self::Composite(composite) => composite.write(row, key)?,
            Self::Web => web::write(row, key)?,
        }
        Ok(())
    }

    /// Appends the row that a written form encodes.
    pub(super) fn read(&self, written: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
        match self {
            Self::Plain => row.extend_from_slice(written),
            Self::Reversed(reversal) => reversal.read(written, row)?,
            Self::ReverseTime(times) => times.read(written, row)?,
            Self::Composite(composite) => composite.read(written, row)?,
            Self::Web => web::read(written, row)?,
        }
        Ok(())
    }

    /// Returns the part of a row from which its salt is computed.
    pub(super) fn part_of<'a>(
        &self,
        row: &'a [u8],
        salted: &SaltSpec,
    ) -> Result<Cow<'a, [u8]>, DesignError> {
        let part = &salted.part;
        match self {
            Self::Plain | Self::Reversed(_) => Ok(plain::part_of(row, part)),
            Self::ReverseTime(times) => times.part_of(row, part).map(Cow::from),
            Self::Composite(composite) => composite.part_of(row, part).map(Cow::from),
            Self::Web => salted.page.part_of(row),
        }
    }

    /// Returns the salted part that all rows of a set have in common, if there is one.
    pub(super) fn common_part(&self, rows: &RowSelection, salted: &SaltSpec) -> Option<Bytes> {
        let part = &salted.part;
        match self {
            Self::Plain | Self::Reversed(_) => plain::common_part(rows, part),
            Self::ReverseTime(times) => times.common_part(rows, part),
            Self::Composite(composite) => composite.common_part(rows, part),
            Self::Web => salted.page.common_part(rows),
        }
    }

    /// Returns the written forms of exactly the rows of a set, in their order.
    ///
    /// # Errors
    ///
    /// Fails if the rows of the set are not contiguous in this form; the error gives the reason.
    pub(super) fn ranges(&self, rows: &RowSelection) -> Result<Vec<FormRange>, DesignError> {
        let asked = Asked::of(rows);
        let range = match self {
            // Its messages name the requested set.
            Self::Web => return web::ranges(rows),
            _ if let Some(reason) = asked.and_then(|asked| self.scatters(asked)) => {
                return Err(DesignError::scan(reason));
            }
            Self::Plain => FormRange::as_they_are(rows),
            Self::Reversed(reversal) => reversal.range(rows)?,
            Self::ReverseTime(times) => times.range(rows)?,
            Self::Composite(composite) => composite.range(rows)?,
        };
        Ok(vec![range])
    }

    /// Returns the reason why sets of this kind are not contiguous, or `None` if they are.
    pub(super) fn scatters(&self, asked: Asked) -> Option<String> {
        match self {
            Self::Web => web::scatters(asked),
            _ if asked == Asked::Domain => Some(NO_DOMAIN.to_owned()),
            Self::Plain => plain::scatters(asked),
            Self::Reversed(_) => Reversal::scatters(asked),
            Self::ReverseTime(times) => times.scatters(asked),
            Self::Composite(_) => Composite::scatters(asked),
        }
    }

    /// Returns the settings that distinguish the form from others of the same name, if there are
    /// any.
    pub(super) fn detail(&self) -> Option<String> {
        match self {
            Self::Plain | Self::Web => None,
            Self::Reversed(reversal) => Some(reversal.detail()),
            Self::ReverseTime(times) => times.detail(),
            Self::Composite(composite) => Some(composite.detail()),
        }
    }

    /// Returns a description of the sets of a kind that can be read, or `None` if all can.
    pub(super) fn only(&self, asked: Asked) -> Option<String> {
        match self {
            Self::Plain | Self::Reversed(_) => None,
            Self::ReverseTime(times) => times.only(asked),
            Self::Composite(_) => Composite::only(asked),
            Self::Web => web::only(asked),
        }
    }

    /// Checks whether the other form writes each row in the same way. Only the written bytes count,
    /// not the names of fields.
    pub(super) fn writes_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Composite(one), Self::Composite(other)) => one.writes_as(other),
            (Self::Reversed(one), Self::Reversed(other)) => one.writes_as(other),
            _ => self == other,
        }
    }

    /// Returns the order of the written forms.
    pub(super) fn order(&self) -> KeyOrder {
        match self {
            Self::Plain => KeyOrder::Rows,
            Self::Reversed(_) => KeyOrder::ReversedRows,
            Self::ReverseTime(times) => times.order(),
            Self::Composite(_) => KeyOrder::Fields,
            Self::Web => KeyOrder::Domains,
        }
    }

    /// Returns points that cut the space of written forms into this many even pieces, for designs
    /// without a salt.
    pub(super) fn split_points(&self, tablets: u32) -> Result<Vec<Bytes>, DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.split_points(tablets),
            Self::ReverseTime(times) => Err(times.unsplit()),
            Self::Composite(_) => Err(DesignError::no_even_splits(
                "the leading fields of rows have no alphabet to split evenly: set a salt, or take the points from a \
                 sample",
            )),
            Self::Plain | Self::Web => Err(DesignError::no_even_splits(
                "rows that are written as they are have no alphabet to split evenly: take the points from a sample",
            )),
        }
    }

    /// Checks for the errors of [`split_points`](Self::split_points), without computing the points.
    pub(super) fn check_split(&self, tablets: u32) -> Result<(), DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.check_split(tablets),
            // The other forms have no split points.
            _ => self.split_points(tablets).map(drop),
        }
    }

    /// Explains a written form, without its salt.
    pub(super) fn explain(
        &self,
        written: &[u8],
        salted: Option<&SaltSpec>,
    ) -> Result<Vec<KeyField>, DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.explain(written),
            Self::ReverseTime(times) => times.explain(written),
            Self::Composite(composite) => composite.explain(written),
            Self::Plain => Ok(vec![KeyField::new(
                "row",
                written.to_vec(),
                "the row as it is",
            )]),
            Self::Web => web::explain(written, salted.map(|salted| salted.page)),
        }
    }
}
