//! The number whose modulus is a salt: a hash of the row, or its value.

use fluo_table::Excerpt;
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;

/// The operand of the modulus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HashInput {
    /// Java's `String.hashCode`: `s[0]*31^(n-1) + .. + s[n-1]` over the UTF-16 units of the text,
    /// in wrapping 32-bit arithmetic. The row must be UTF-8 text.
    #[default]
    JavaHash,
    /// The value of the row: a whole number in decimal digits, with a `-` before a negative one.
    Number,
}

impl HashInput {
    /// Returns the number whose modulus is the bucket of a part, or `None` if the part has no
    /// number or one above 64 bits.
    pub fn value(self, part: &[u8]) -> Option<i64> {
        match self {
            Self::JavaHash => java_hash(part).ok().map(i64::from),
            Self::Number => {
                digits(part)?;
                std::str::from_utf8(part).ok()?.parse().ok()
            }
        }
    }

    /// Returns the number of a part, which must have one, modulo a count: the floor modulus.
    pub(super) fn modulo(self, part: &[u8], count: u32) -> Result<u64, RecipeError> {
        let modulus = i64::from(count);
        let number = match self {
            Self::JavaHash => i64::from(java_hash(part)?),
            // A number of any length, digit by digit.
            Self::Number => {
                let digits = digits(part).ok_or_else(|| {
                    RecipeError::row(format!(
                        "{} is not a whole number in decimal digits: hash it with `of = \"java-hash\"`",
                        Excerpt::new(part)
                    ))
                })?;
                let with = |rest: i64, digit: &u8| (rest * 10 + i64::from(digit - b'0')) % modulus;
                let rest = digits.iter().fold(0, with);
                if part.len() > digits.len() { -rest } else { rest }
            }
        };
        Ok(number.rem_euclid(modulus).unsigned_abs())
    }
}

fn java_hash(part: &[u8]) -> Result<i32, RecipeError> {
    let with = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
    if part.is_ascii() {
        // Each byte is one unit, and four units are processed per step, because scans hash every
        // key that they read.
        let (fours, rest) = part.as_chunks();
        let hash = fours.iter().fold(0_i32, |hash, four| {
            let [a, b, c, d] = four.map(i32::from);
            let sum = a * 31 * 31 * 31 + b * 31 * 31 + c * 31 + d;
            hash.wrapping_mul(31 * 31 * 31 * 31).wrapping_add(sum)
        });
        return Ok(rest.iter().copied().map(u16::from).fold(hash, with));
    }
    let text = std::str::from_utf8(part).map_err(|_| {
        RecipeError::row(format!(
            "{} is not UTF-8 text, which Java's String.hashCode needs: use a digest-salt",
            Excerpt::new(part)
        ))
    })?;
    Ok(text.encode_utf16().fold(0, with))
}

fn digits(part: &[u8]) -> Option<&[u8]> {
    let digits = part.strip_prefix(b"-").unwrap_or(part);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_hash_of_java() {
        // Known values of java.lang.String.hashCode.
        for (text, hash) in [
            ("", 0),
            ("a", 97),
            ("hello", 99_162_322),
            ("polygenelubricants", i32::MIN),
            ("\u{1f600}", 1_772_899),
        ] {
            assert_eq!(java_hash(text.as_bytes()).unwrap(), hash, "{text}");
        }
    }

    #[test]
    fn numbers_of_any_length_have_a_floor_modulus() {
        // 10^n modulo 7 has the period 6, and 1,000 = 6 * 166 + 4.
        let long = "9".repeat(1_000);
        for (number, modulus, bucket) in
            [("123", 10, 3), ("-123", 10, 7), ("-120", 10, 0), (&long, 7, 9_999 % 7)]
        {
            assert_eq!(HashInput::Number.modulo(number.as_bytes(), modulus).unwrap(), bucket);
        }
        for wrong in ["", "-", "1.5", "+1", "1e3", " 1"] {
            assert!(HashInput::Number.modulo(wrong.as_bytes(), 10).is_err(), "{wrong}");
        }
    }
}
