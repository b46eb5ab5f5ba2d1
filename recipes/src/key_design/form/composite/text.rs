//! A composite row as text: what the `fluo` command and the user's rows have.
//!
//! ```text
//!  field <separator> field <separator> .. field
//!
//!  text       as it is; the backslash is \\, and the separator and control characters are \xNN
//!  bytes      lower-case hexadecimal digits
//!  signed     -12        unsigned   12
//!  float      1.5, 1e300, inf, -inf, NaN: the shortest digits that are read as the same number
//!  time       2023-10-08T05:47:31.903Z, in UTC; milliseconds since 1970 where a year would need five digits
//! ```
//!
//! This is how rows are written: each row of fields has one text (*normalised*). More is read: `\xNN` for any ASCII
//! character, upper-case digits, `+1`, `007`, a time in milliseconds or with an offset from UTC; but nothing that
//! would have to be rounded, such as a time of nanoseconds.

use std::fmt::Write as _;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use fluo_core::Escaped;
use jiff::Timestamp;

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

/// The value of a text.
pub(super) fn read(kind: FieldKind, text: &str) -> Result<Field, String> {
    let wrong = |right: &str| format!("`{}` is not {right}", Escaped(text.as_bytes()));
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

/// The bytes with which a text or bytes begin that are cut here.
pub(super) fn read_beginning(kind: FieldKind, text: &str) -> Result<Vec<u8>, String> {
    match kind {
        FieldKind::Text => unescape(text).map(String::into_bytes),
        FieldKind::Bytes => read_bytes(text),
        _ => Err(format!(
            "`{}` is where it ends, and {kind} is not in the order of its digits: end with a whole field and the \
             separator, or ask for the rows whose field lies between two values",
            Escaped(text.as_bytes())
        )),
    }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut pieces = text.split('\\');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            // Two backslashes: what follows them is a piece of its own.
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
        "`{}` has a backslash that begins neither `\\\\` nor `\\xNN` with two hexadecimal digits up to 7f",
        text.escape_debug()
    )
}

fn read_bytes(text: &str) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|_| {
        format!(
            "`{}` is not an even number of hexadecimal digits",
            Escaped(text.as_bytes())
        )
    })
}

fn read_float(text: &str) -> Result<f64, String> {
    let shown = Escaped(text.as_bytes());
    let number: f64 = text.parse().map_err(|_| {
        format!("`{shown}` is not a number such as `1.5`, `1e300`, `-inf` or `NaN`")
    })?;
    if number.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(format!(
            "`{shown}` is beyond the largest floating-point number, {:?}",
            f64::MAX
        ));
    }
    Ok(number)
}

fn read_time(text: &str) -> Result<i64, String> {
    if let Ok(millis) = text.parse() {
        return Ok(millis);
    }
    let shown = Escaped(text.as_bytes());
    let time: Timestamp = text.parse().map_err(|_| {
        format!(
            "`{shown}` is not a time such as `2023-10-08T05:47:31.903Z`, nor milliseconds since 1970"
        )
    })?;
    if time.subsec_nanosecond() % 1_000_000 != 0 {
        return Err(format!(
            "`{shown}` is finer than the milliseconds that are kept: round it"
        ));
    }
    Ok(time.as_millisecond())
}
