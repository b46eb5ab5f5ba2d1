//! Times as written in rows, and counted down as written in keys.

use fluo_table::{Excerpt, counted};
use serde::{Deserialize, Serialize};

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
    pub(super) fn read(self, text: &[u8]) -> Result<i64, String> {
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

    pub(super) fn write(self, time: i64) -> Vec<u8> {
        match self {
            Self::Decimal => time.to_string().into(),
            Self::Binary => time.to_be_bytes().into(),
        }
    }

    /// Returns the bytes of `MAX - t`. Times are never negative, so this cannot overflow.
    pub(super) fn counted_down(self, time: i64) -> Vec<u8> {
        let left = i64::MAX - time;
        match self {
            Self::Decimal => format!("{left:0DIGITS$}").into(),
            Self::Binary => left.to_be_bytes().into(),
        }
    }

    pub(super) fn counted_up(self, written: &[u8]) -> Option<i64> {
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
