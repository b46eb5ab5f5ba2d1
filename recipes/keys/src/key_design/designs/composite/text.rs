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
use jiff::Timestamp;
use jiff::civil::Date;

use fluo_table::Excerpt;

use super::field::{Field, FieldKind};

/// Appends the text of a value.
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

/// Parses the value of a text.
pub(super) fn read(kind: FieldKind, text: &str) -> Result<Field, String> {
    let wrong = |right: &str| format!("{} is not {right}", Excerpt::new(text.as_bytes()));
    match kind {
        FieldKind::Text => unescape(text).map(Field::Text),
        FieldKind::Bytes => read_bytes(text).map(|bytes| Field::Bytes(bytes.into())),
        FieldKind::Signed => text
            .parse()
            .map(Field::Signed)
            .map_err(|_| wrong("a whole number from -9223372036854775808 to 9223372036854775807")),
        FieldKind::Unsigned => text
            .parse()
            .map(Field::Unsigned)
            .map_err(|_| wrong("a whole number from 0 to 18446744073709551615")),
        FieldKind::Float => read_float(text).map(Field::Float),
        FieldKind::Time => read_time(text).map(Field::Time),
    }
}

/// Returns the common beginning of the values whose text begins with `text`, for text and bytes.
pub(super) fn read_beginning(kind: FieldKind, text: &str) -> Result<Vec<u8>, String> {
    match kind {
        FieldKind::Text => unescape(text).map(String::into_bytes),
        FieldKind::Bytes => read_bytes(text),
        _ => Err(format!(
            "{} has no separator after it, and {kind} is not in the order of its digits: end with a whole field and \
             the separator, or ask for the rows whose field lies between two values",
            Excerpt::new(text.as_bytes())
        )),
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut pieces = text.split('\\');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            // Two backslashes: the text after them is a separate piece.
            let Some(behind) = pieces.next() else {
                return Err(bad_escape(text));
            };
            unescaped.push('\\');
            unescaped.push_str(behind);
        } else {
            let (character, rest) = read_escape(piece).ok_or_else(|| bad_escape(text))?;
            unescaped.push(character);
            unescaped.push_str(rest);
        }
    }
    Ok(unescaped)
}

fn read_escape(piece: &str) -> Option<(char, &str)> {
    let (digits, rest) = piece.strip_prefix('x')?.split_at_checked(2)?;
    let code = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?;
    let code = *code.first()?;
    code.is_ascii().then(|| (char::from(code), rest))
}

fn bad_escape(text: &str) -> String {
    format!(
        "{} has a backslash that begins neither `\\\\` nor `\\xNN` with two hexadecimal digits up to 7f",
        Excerpt::new(text.as_bytes())
    )
}

fn read_bytes(text: &str) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|_| {
        format!(
            "{} is not an even number of hexadecimal digits",
            Excerpt::new(text.as_bytes())
        )
    })
}

fn read_float(text: &str) -> Result<f64, String> {
    let shown = Excerpt::new(text.as_bytes());
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{shown} is not a number such as `1.5`, `1e300`, `-inf` or `NaN`"))?;
    let has_digit = |digits: std::ops::RangeInclusive<u8>| {
        let mantissa = text.bytes().take_while(|byte| !b"eE".contains(byte));
        mantissa.into_iter().any(|byte| digits.contains(&byte))
    };
    if number.is_infinite() && has_digit(b'0'..=b'9') {
        return Err(format!(
            "{shown} is beyond the largest floating-point number, {:?}",
            f64::MAX
        ));
    }
    if number == 0.0 && has_digit(b'1'..=b'9') {
        return Err(format!(
            "{shown} is not 0, but nearer to 0 than any other 64-bit floating-point number: round it"
        ));
    }
    let digits = text.trim_start_matches(['+', '-']);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let exact = format!("{:.0}", number.abs());
    if is_whole && digits.trim_start_matches('0') != exact.trim_start_matches('0') {
        return Err(format!(
            "{shown} is a whole number that no floating-point number equals; the nearest is {exact}: round it, or \
             make the field a signed or an unsigned integer"
        ));
    }
    Ok(number)
}

fn read_time(text: &str) -> Result<i64, String> {
    let shown = Excerpt::new(text.as_bytes());
    if let Ok(millis) = text.parse() {
        return match date_of(text) {
            None => Ok(millis),
            Some(date) => Err(format!(
                "{shown} is a date or milliseconds since 1970: write `{date}T00:00:00Z` for the one and `+{text}` for \
                 the other"
            )),
        };
    }
    let time: Timestamp = text.parse().map_err(|_| {
        format!(
            "{shown} is not a time such as `2023-10-08T05:47:31.903Z`, nor milliseconds since 1970"
        )
    })?;
    if text.contains('[') {
        return Err(format!(
            "{shown} names a time zone, which is not kept: give the time and its offset from UTC alone"
        ));
    }
    if has_leap_second(text) {
        return Err(format!(
            "{shown} has the second 60, which no count of milliseconds has: write 59, or 0 of the next minute"
        ));
    }
    if time.subsec_nanosecond() % 1_000_000 != 0 {
        return Err(format!(
            "{shown} is finer than the milliseconds that are kept: round it"
        ));
    }
    Ok(time.as_millisecond())
}

/// Returns the date that eight digits could mean, such as `20161231`.
fn date_of(digits: &str) -> Option<Date> {
    let is_compact = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_compact.then(|| digits.parse().ok()).flatten()
}

/// Checks whether the second of a time is 60, with or without colons in the time.
fn has_leap_second(text: &str) -> bool {
    let time = text.split(['T', 't', ' ']).nth(1).unwrap_or_default();
    let time = time
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b':');
    time.filter(u8::is_ascii_digit).skip(4).take(2).eq(*b"60")
}
