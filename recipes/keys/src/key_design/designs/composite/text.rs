//! Composite rows as text, as in the user's rows and in the `fluo` command.
//!
//! ```text
//!  field <separator> field <separator> .. field
//!
//!  text       as it is; a backslash is \\, and the separator and control characters are \xNN
//!  bytes      lower-case hexadecimal digits
//!  signed     -12        unsigned   12
//!  float      1.5, 1e300, inf, -inf, NaN: the shortest digits that are read as the same number
//!  time       2023-10-08T05:47:31.903Z, in UTC; milliseconds since 1970 before the
//!             year -9999, and from 22:00 on the last day but one of the year 9999
//! ```
//!
//! Rows are written in this form: each row of fields has one text (*normalized*). Other forms are
//! accepted as well: `\xNN` for any ASCII character, upper-case digits, `+1`, `007`, a time with an
//! offset from UTC. Digits alone are a time in milliseconds; they are rejected if they could be a
//! date such as `20161231`.
//!
//! Text that would change its value is rejected, so that two unequal rows never have the same key:
//! a time finer than a millisecond, the second 60, a time zone, an integer that no floating-point
//! number equals, and a number beyond the largest or the smallest. The only rounding is of the
//! digits of a fraction after those that distinguish two floating-point numbers: `0.1` and
//! `0.10000000000000001` are one number, and one row.

use std::fmt::Write as _;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use fluo_table::Excerpt;
use jiff::Timestamp;
use jiff::civil::Date;

use super::field::{Field, FieldKind};

pub(super) fn write(value: &Field, separator: u8, row: &mut String) {
    // Writing to a string cannot fail.
    let _ = match value {
        Field::Text(text) => text.chars().try_for_each(|c| write_char(c, separator, row)),
        Field::Bytes(bytes) => row.write_str(&HEXLOWER.encode(bytes)),
        Field::Signed(number) => write!(row, "{number}"),
        Field::Unsigned(number) => write!(row, "{number}"),
        Field::Float(number) => write!(row, "{:?}", if *number == 0.0 { 0.0 } else { *number }),
        Field::Time(millis) => match Timestamp::from_millisecond(*millis) {
            Ok(time) => write!(row, "{time:.3}"),
            Err(_) => write!(row, "{millis}"),
        },
    };
}

fn write_char(character: char, separator: u8, row: &mut String) -> std::fmt::Result {
    match character {
        '\\' => row.write_str("\\\\"),
        c if c.is_ascii_control() || c == char::from(separator) => {
            write!(row, "\\x{:02x}", u32::from(c))
        }
        c => row.write_char(c),
    }
}

pub(super) fn read(kind: FieldKind, text: &str) -> Result<Field, String> {
    let not_within =
        |least, most: u64| move |_| format!("is not a whole number from {least} to {most}");
    let result = match kind {
        FieldKind::Text => unescape(text).map(Field::Text),
        FieldKind::Bytes => read_bytes(text).map(|bytes| Field::Bytes(bytes.into())),
        FieldKind::Signed => {
            text.parse().map(Field::Signed).map_err(not_within(i64::MIN, i64::MAX.unsigned_abs()))
        }
        FieldKind::Unsigned => text.parse().map(Field::Unsigned).map_err(not_within(0, u64::MAX)),
        FieldKind::Float => read_float(text).map(Field::Float),
        FieldKind::Time => read_time(text).map(Field::Time),
    };
    result.map_err(|reason| format!("{} {reason}", Excerpt::new(text.as_bytes())))
}

/// Returns the common beginning of the values whose text begins with `text`, for text and bytes.
pub(super) fn read_beginning(kind: FieldKind, text: &str) -> Result<Vec<u8>, String> {
    let result = match kind {
        FieldKind::Text => unescape(text).map(String::into_bytes),
        FieldKind::Bytes => read_bytes(text),
        _ => Err(format!("is a part of {kind}: end with the separator, or give two values")),
    };
    result.map_err(|reason| format!("{} {reason}", Excerpt::new(text.as_bytes())))
}

fn unescape(text: &str) -> Result<String, String> {
    let bad_escape =
        || "has a backslash that begins neither `\\\\` nor `\\xNN` up to `\\x7f`".to_owned();
    let mut pieces = text.split('\\');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    while let Some(piece) = pieces.next() {
        let (character, rest) = match piece {
            // Two backslashes: the text after them is a separate piece.
            "" => pieces.next().map(|behind| ('\\', behind)),
            piece => read_escape(piece),
        }
        .ok_or_else(bad_escape)?;
        unescaped.push(character);
        unescaped.push_str(rest);
    }
    Ok(unescaped)
}

fn read_escape(piece: &str) -> Option<(char, &str)> {
    let (digits, rest) = piece.strip_prefix('x')?.split_at_checked(2)?;
    let code = *HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?.first()?;
    code.is_ascii().then(|| (char::from(code), rest))
}

fn read_bytes(text: &str) -> Result<Vec<u8>, String> {
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes());
    bytes.map_err(|_| "is not an even number of hexadecimal digits".to_owned())
}

fn read_float(text: &str) -> Result<f64, String> {
    let number: f64 =
        text.parse().map_err(|_| "is not a number such as `1.5`, `1e300`, `-inf` or `NaN`")?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let has_digit = |least: u8| mantissa.bytes().any(|byte| (least..=b'9').contains(&byte));
    if number.is_infinite() && has_digit(b'0') {
        return Err(format!("is beyond the largest floating-point number, {:?}", f64::MAX));
    }
    if number == 0.0 && has_digit(b'1') {
        return Err(
            "is nearer to 0 than any other 64-bit floating-point number: round it".to_owned()
        );
    }
    let digits = text.trim_start_matches(['+', '-']);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let exact = format!("{:.0}", number.abs());
    if is_whole && digits.trim_start_matches('0') != exact.trim_start_matches('0') {
        return Err(format!("equals no floating-point number; the nearest is {exact}: round it"));
    }
    Ok(number)
}

fn read_time(text: &str) -> Result<i64, String> {
    if let Ok(millis) = text.parse() {
        return match date_of(text) {
            None => Ok(millis),
            Some(date) => Err(format!("is ambiguous: write `{date}T00:00:00Z` or `+{text}`")),
        };
    }
    let time: Timestamp = text.parse().map_err(
        |_| "is not a time such as `2023-10-08T05:47:31.903Z`, nor milliseconds since 1970",
    )?;
    let reason = if text.contains('[') {
        "names a time zone, which is not kept: give the offset from UTC alone"
    } else if has_leap_second(text) {
        "has the second 60, which no count of milliseconds has: write 59"
    } else if time.subsec_nanosecond() % 1_000_000 != 0 {
        "is finer than the milliseconds that are kept: round it"
    } else {
        return Ok(time.as_millisecond());
    };
    Err(reason.to_owned())
}

/// Returns the date that eight digits could mean, such as `20161231`.
fn date_of(digits: &str) -> Option<Date> {
    let is_compact = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_compact.then(|| digits.parse().ok()).flatten()
}

/// Checks whether the second of a time is 60, with or without colons in the time.
fn has_leap_second(text: &str) -> bool {
    let time = text.split(['T', 't', ' ']).nth(1).unwrap_or_default();
    let is_more = |byte: &u8| byte.is_ascii_digit() || *byte == b':';
    time.bytes().take_while(is_more).filter(u8::is_ascii_digit).skip(4).take(2).eq(*b"60")
}
