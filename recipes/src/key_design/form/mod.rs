//! The form: how a row is written behind its salt.

mod alphabet;
mod composite;
mod escape;
mod plain;
mod reverse_time;
mod reversed;
mod web;

use std::borrow::Cow;

use fluo_core::{Bytes, prefix_successor, row_successor};

pub use self::alphabet::RowAlphabet;
pub use self::composite::{Composite, Field, FieldKind, FieldOrder, FieldSettings};
pub(super) use self::reverse_time::ReverseTimes;
pub use self::reverse_time::{TimeEncoding, TimePlace};
pub(super) use self::reversed::Reversal;
pub use self::reversed::{ReversedUnit, RowLength};
pub(crate) use self::web::is_web_address;
pub use self::web::{DomainText, WebPart};
pub(super) use self::web::{PagePart, holds as domain_holds};
use super::designs::SaltOf;
use super::error::DesignError;
use super::explain::KeyField;
use super::part::SaltedPart;
use super::reach::KeyOrder;
use super::rows::Rows;
use super::salt::{Buckets, ModuloOf};
use crate::row_hasher::Excerpt;

/// How a row is written behind its salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// The page of a URL: its host from the top level down, then its path.
    Web,
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
    /// One written row.
    pub(super) fn of_row(written: impl Into<Bytes>) -> Self {
        let start = written.into();
        let end = Some(row_successor(&start));
        Self { start, end }
    }

    /// What begins with these bytes.
    pub(super) fn of_prefix(prefix: impl Into<Bytes>) -> Self {
        let start = prefix.into();
        let end = prefix_successor(&start);
        Self { start, end }
    }

    /// Where rows lie that are written as they are.
    pub(super) fn as_they_are(rows: &Rows) -> Self {
        let (start, end) = rows.bounds();
        Self { start, end }
    }

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
    /// The pages of a domain.
    Domain,
}

const NO_DOMAIN: &str =
    "only the keys of a web-table design hold domains: ask for a row, a prefix or a range";

impl Asked {
    /// Of which kind a set is; None of all rows, which every form has together.
    fn of(rows: &Rows) -> Option<Self> {
        match rows {
            Rows::All => None,
            Rows::Domain { .. } => Some(Self::Domain),
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
            // No reversed row has a salt, and that of a page knows its part by itself.
            Self::Plain | Self::Web | Self::Reversed(_) => plain::check_part(part),
            Self::ReverseTime(_) => ReverseTimes::check_part(part),
            Self::Composite(composite) => composite.check_part(part),
        }
    }

    /// Refuses a part that is never, or not always, what a modulus is taken of.
    pub(super) fn check_modulo(
        &self,
        buckets: Buckets,
        part: &SaltedPart,
    ) -> Result<(), DesignError> {
        match (self, buckets.of(), part) {
            (Self::Plain, ModuloOf::JavaHash, SaltedPart::First(_)) => Err(DesignError::settings(
                "Java's String.hashCode is that of text, and the first bytes of a text can end within a \
                     character: salt over what stands before a text, or use a digest-salt, which takes any bytes",
            )),
            (Self::Composite(composite), ModuloOf::Number, part) => composite.check_number(part),
            _ => Ok(()),
        }
    }

    /// A row or a key as a message shows it: one of a web table without what could be a password.
    pub(super) fn shown(&self, bytes: &[u8]) -> Excerpt {
        match self {
            Self::Web => web::shown(bytes),
            _ => Excerpt::new(bytes),
        }
    }

    /// Appends the written form of a row.
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

    /// Appends the row of a written form.
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

    /// The part of a row that its salt is made of.
    pub(super) fn part_of<'a>(
        &self,
        row: &'a [u8],
        salted: &SaltOf,
    ) -> Result<Cow<'a, [u8]>, DesignError> {
        let part = &salted.part;
        match self {
            Self::Plain | Self::Reversed(_) => Ok(plain::part_of(row, part)),
            Self::ReverseTime(times) => times.part_of(row, part).map(Cow::from),
            Self::Composite(composite) => composite.part_of(row, part).map(Cow::from),
            Self::Web => salted.page.part_of(row),
        }
    }

    /// The one part that all rows of a set have, if they all have the same.
    pub(super) fn common_part(&self, rows: &Rows, salted: &SaltOf) -> Option<Bytes> {
        let part = &salted.part;
        match self {
            Self::Plain | Self::Reversed(_) => plain::common_part(rows, part),
            Self::ReverseTime(times) => times.common_part(rows, part),
            Self::Composite(composite) => composite.common_part(rows, part),
            Self::Web => salted.page.common_part(rows),
        }
    }

    /// The written forms of exactly the rows of a set, in their order.
    ///
    /// # Errors
    /// A set whose rows do not lie together in this form, with the reason.
    pub(super) fn ranges(&self, rows: &Rows) -> Result<Vec<FormRange>, DesignError> {
        let asked = Asked::of(rows);
        let range = match self {
            // Its sentences name what was asked for.
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

    /// Why such sets of rows do not lie together, if they do not.
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

    /// What tells it from other forms of its name, if anything does.
    pub(super) fn detail(&self) -> Option<String> {
        match self {
            Self::Plain | Self::Web => None,
            Self::Reversed(reversal) => Some(reversal.detail()),
            Self::ReverseTime(times) => times.detail(),
            Self::Composite(composite) => Some(composite.detail()),
        }
    }

    /// Which sets of a kind are read, where it is not all of them.
    pub(super) fn only(&self, asked: Asked) -> Option<String> {
        match self {
            Self::Plain | Self::Reversed(_) => None,
            Self::ReverseTime(times) => times.only(asked),
            Self::Composite(_) => Composite::only(asked),
            Self::Web => web::only(asked),
        }
    }

    /// Whether each row is written by the other form as it is by this one: nothing but what is written counts, and no
    /// name of a field.
    pub(super) fn writes_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Composite(one), Self::Composite(other)) => one.writes_as(other),
            (Self::Reversed(one), Self::Reversed(other)) => one.writes_as(other),
            _ => self == other,
        }
    }

    /// The order of the written forms.
    pub(super) fn order(&self) -> KeyOrder {
        match self {
            Self::Plain => KeyOrder::Rows,
            Self::Reversed(_) => KeyOrder::ReversedRows,
            Self::ReverseTime(times) => times.order(),
            Self::Composite(_) => KeyOrder::Fields,
            Self::Web => KeyOrder::Domains,
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
            Self::Plain | Self::Web => Err(DesignError::splits(
                "rows that are written as they are have no alphabet to split evenly: take the points from a sample \
                 with `fluo advise`",
            )),
        }
    }

    /// Refuses what [`split_points`](Self::split_points) refuses, without the points.
    pub(super) fn check_split(&self, tablets: u32) -> Result<(), DesignError> {
        match self {
            Self::Reversed(reversal) => reversal.check_split(tablets),
            // They have none.
            _ => self.split_points(tablets).map(drop),
        }
    }

    /// What a written form means, behind its salt.
    pub(super) fn explain(
        &self,
        written: &[u8],
        salted: Option<&SaltOf>,
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
