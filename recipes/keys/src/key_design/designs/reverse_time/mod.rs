//! `reverse-time`: a time counted down, so that the newest row comes first.

mod encoding;

use fluo_table::{Escaped, Excerpt, counted};
use serde::{Deserialize, Serialize};

use super::salted::SaltSettings;
use crate::error::RecipeError;
use crate::key_design::encoding::DesignParts;

/// Settings of the design `reverse-time`: `<entity><separator><MAX - t>`, or the time first.
///
/// A row consists of an *entity* and a time, as `sensor7|1696744051903`; the stored time is the
/// difference to `i64::MAX`.
///
/// If the time is last, the rows of an entity are one piece of the table, the newest first. So are
/// its rows between two times ([`RowSelection::Between`](crate::RowSelection::Between) with the
/// entity and its separator as prefix). Entities are ordered by their bytes, including the
/// separator, which an entity cannot contain. If the time is first, the newest of all rows comes
/// first; without a salt, all new rows then go into the first tablet.
///
/// # Examples
///
/// ```
/// use fluo_keys::{DigestSalt, KeyDesign, ReverseTime, RowSelection, SaltedPart};
///
/// let design = KeyDesign::new(ReverseTime::default())?;
/// assert_eq!(design.encode_row(b"sensor7|1696744051903")?, "sensor7|9223370340110723904");
///
/// // A salt over the entity keeps together the rows that are read together.
/// let salt = DigestSalt { digits: 1, over: SaltedPart::Entity, ..DigestSalt::default() };
/// let design = KeyDesign::new(ReverseTime { salt: Some(salt.into()), ..ReverseTime::default() })?;
/// assert_eq!(design.spans(&RowSelection::Prefix("sensor7|".into()))?.len(), 1);
/// assert_eq!(design.spans(&RowSelection::between("sensor7|", "1696744000000", "1696745000000"))?.len(), 1);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReverseTime {
    /// The position of the time. The default is last.
    pub time: TimePosition,
    /// The encoding of the time. The default is decimal digits.
    pub encoding: TimeEncoding,
    /// The text between the entity and the time. The default is `|`. It must contain no digit if
    /// times are decimal, and may be empty only if times are binary and come first.
    pub separator: String,
    /// A salt before the entity and the time. The default is no salt. A salt over the entity
    /// (`over = "entity"`) keeps the rows of each entity in one piece.
    pub salt: Option<SaltSettings>,
}

impl Default for ReverseTime {
    fn default() -> Self {
        let (time, encoding) = (TimePosition::Last, TimeEncoding::Decimal);
        Self { time, encoding, separator: "|".to_owned(), salt: None }
    }
}

impl ReverseTime {
    pub(super) fn parts(&self) -> Result<DesignParts, RecipeError> {
        let needs_none = (self.time, self.encoding) == (TimePosition::First, TimeEncoding::Binary);
        if self.separator.is_empty() && !needs_none {
            return Err(RecipeError::settings(
                "only binary times that come first need no separator: give one, such as `|`",
            ));
        }
        let has_digit = self.separator.bytes().any(|byte| byte.is_ascii_digit());
        if self.encoding == TimeEncoding::Decimal && has_digit {
            return Err(RecipeError::settings(format!(
                "the separator `{}` contains a digit, as decimal times do: give one without digits",
                Escaped(self.separator.as_bytes())
            )));
        }
        let salt = self.salt.as_ref().map(SaltSettings::salt).transpose()?;
        DesignParts::new("reverse-time", salt, self.clone())
    }
}

/// The position of the time in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimePosition {
    /// After the entity: the newest row of each entity comes first.
    #[default]
    Last,
    /// Before the entity: the newest of all rows comes first.
    First,
}

/// The encoding of a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeEncoding {
    /// Decimal digits: as many as the time needs in a row, 19 in a key.
    #[default]
    Decimal,
    /// 8 bytes, big-endian, in rows and in keys.
    Binary,
}

/// Number of decimal digits of `i64::MAX`.
const DIGITS: usize = 19;

impl TimeEncoding {
    fn read(self, text: &[u8]) -> Result<i64, String> {
        let time = match self {
            Self::Decimal => decimal_time(text)?,
            Self::Binary => i64::from_be_bytes(text.try_into().map_err(|_| {
                let found = counted(text.len(), "byte");
                format!("it has {found}, and a binary time has 8")
            })?),
        };
        if time < 0 {
            return Err(format!("{time} is negative: give 0 or more, or use a composite design"));
        }
        Ok(time)
    }

    fn write(self, time: i64) -> Vec<u8> {
        match self {
            Self::Decimal => time.to_string().into(),
            Self::Binary => time.to_be_bytes().into(),
        }
    }

    /// Returns the bytes of `MAX - t`. Times are never negative, so this cannot overflow.
    fn counted_down(self, time: i64) -> Vec<u8> {
        let left = i64::MAX - time;
        match self {
            Self::Decimal => format!("{left:0DIGITS$}").into(),
            Self::Binary => left.to_be_bytes().into(),
        }
    }

    fn counted_up(self, written: &[u8]) -> Option<i64> {
        let left = match self {
            Self::Decimal => {
                let is_written = written.len() == DIGITS && written.iter().all(u8::is_ascii_digit);
                std::str::from_utf8(written).ok().filter(|_| is_written)?.parse().ok()?
            }
            Self::Binary => i64::from_be_bytes(written.try_into().ok()?),
        };
        (left >= 0).then(|| i64::MAX - left)
    }
}

fn decimal_time(text: &[u8]) -> Result<i64, String> {
    let shown = Excerpt::new(text);
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(format!("{shown} is not a whole number in decimal digits"));
    }
    if text.len() > 1 && text.starts_with(b"0") {
        return Err(format!("{shown} begins with a zero: leave it out"));
    }
    let digits = std::str::from_utf8(text).expect("digits are ASCII");
    digits.parse().map_err(|_| format!("{shown} is beyond {}", i64::MAX))
}
