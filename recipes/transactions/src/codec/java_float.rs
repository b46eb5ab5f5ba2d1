//! The text of floats in Java.
//!
//! Java writes a float with as few digits as identify it, but with at least two, and chooses among
//! texts of this length the nearest to the float. Rust's shortest text can have one digit: Java
//! writes 4.9E-324 and Rust 5e-324.
//!
//! Numbers from 10^-3 to below 10^7 have no exponent.

use std::fmt::LowerExp;
use std::iter::repeat_n;
use std::str::FromStr;

pub(super) fn to_text<T: LowerExp + FromStr + PartialEq>(float: &T) -> String {
    let shortest = format!("{float:e}");
    match shortest.as_str() {
        "NaN" => shortest,
        "inf" => "Infinity".to_owned(),
        "-inf" => "-Infinity".to_owned(),
        _ => lay_out(&nearest(float, shortest)),
    }
}

/// Returns the float of a text in Java, or `None` if Java does not accept the text or reads it as a
/// hexadecimal float.
pub(super) fn from_text<T: FromStr>(text: &str) -> Option<T> {
    let text = text.trim_matches(|c| c <= ' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, "NaN" | "Infinity") {
        return text.parse().ok();
    }
    let digits = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Rust also reads names such as `inf`.
    let is_decimal = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let is_number = digits.chars().all(is_decimal);
    digits.parse().ok().filter(|_| is_number)
}

/// Returns the nearest text with as many digits as the shortest one, and with at least two.
///
/// The neighbors of a power of two are at different distances, so the nearest text can be that of
/// a neighbor. Java and Rust write the shortest text then.
fn nearest<T: LowerExp + FromStr + PartialEq>(float: &T, shortest: String) -> String {
    let mantissa = shortest.split('e').next().unwrap_or_default();
    let digits = mantissa.chars().filter(char::is_ascii_digit).count();
    let fraction = digits.max(2) - 1;
    let rounded = format!("{float:.fraction$e}");
    let is_same = rounded.parse().is_ok_and(|read: T| read == *float);
    if is_same { rounded } else { shortest }
}

/// Turns Rust's scientific notation into Java's form.
fn lay_out(scientific: &str) -> String {
    let (sign, unsigned) = match scientific.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", scientific),
    };
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    let number = match exponent.parse().unwrap_or(0) {
        whole @ 0..7 => decimal(digits, whole + 1),
        -3 => decimal(&format!("000{digits}"), 1),
        -2 => decimal(&format!("00{digits}"), 1),
        -1 => decimal(&format!("0{digits}"), 1),
        _ => format!("{}E{exponent}", decimal(digits, 1)),
    };
    format!("{sign}{number}")
}

/// Returns digits with a point after the first ones, and zeros where digits are missing.
fn decimal(digits: &str, whole: i32) -> String {
    let whole = usize::try_from(whole).unwrap_or(1);
    let missing = (whole + 1).saturating_sub(digits.len());
    let mut text: String = digits.chars().chain(repeat_n('0', missing)).collect();
    text.insert(whole, '.');
    text
}
