//! The alphabets of key beginnings, and their even split points.

use std::fmt;

use fluo_table::Bytes;
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;

/// The characters of which rows consist, for their split points. Rows with other characters can be
/// stored as well, but the points are not even for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RowAlphabet {
    /// `0` to `9`.
    Digits,
    /// `0` to `9` and `a` to `f`.
    Hex,
    /// `a` to `z`.
    Lower,
    /// Printable ASCII, from the space to `~`.
    Printable,
    /// Any bytes.
    Bytes,
}

/// Minimum number of beginnings per tablet, if they do not divide evenly. Tablets then differ by
/// less than two parts in this number.
const EVEN_ENOUGH: u64 = 64;

impl RowAlphabet {
    fn symbols(self) -> u64 {
        match self {
            Self::Digits => 10,
            Self::Hex => 16,
            Self::Lower => 26,
            Self::Printable => 95,
            Self::Bytes => 256,
        }
    }

    fn symbol(self, number: u64) -> u8 {
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        match self {
            Self::Digits => b'0' + number,
            Self::Hex if number < 10 => b'0' + number,
            Self::Hex => b'a' + (number - 10),
            Self::Lower => b'a' + number,
            Self::Printable => b' ' + number,
            Self::Bytes => number,
        }
    }

    /// Returns the points that cut all texts over the alphabet into this many even pieces,
    /// ascending.
    ///
    /// Point `i` is `i * symbols^d / tablets`, rounded down, in `d` symbols, without the lowest
    /// symbols at its end. `d` is the smallest number of symbols that divides evenly, or that
    /// leaves the pieces about equal; at most `longest`.
    ///
    /// # Errors
    ///
    /// Fails if there are more tablets than rows of the longest length.
    pub(super) fn points(self, tablets: u32, longest: usize) -> Result<Vec<Bytes>, RecipeError> {
        let (symbols, wanted) = (self.symbols(), u64::from(tablets));
        let (mut digits, mut count) = (1, symbols);
        while !count.is_multiple_of(wanted) && count < wanted * EVEN_ENOUGH && digits < longest {
            digits += 1;
            count *= symbols;
        }
        if count < wanted {
            return Err(RecipeError::splits(format!(
                "{tablets} tablets are more than the {count} rows of length {longest} over {self}: give at most {count}"
            )));
        }
        // The product of two large numbers may exceed 64 bits; the quotient is below the count
        // again.
        let start = |number| u128::from(number) * u128::from(count) / u128::from(wanted);
        let point = |number| self.text(u64::try_from(start(number)).unwrap_or(u64::MAX), digits);
        Ok((1..wanted).map(point).collect())
    }

    fn text(self, number: u64, digits: usize) -> Bytes {
        let mut rest = number;
        let mut text: Vec<u8> = std::iter::repeat_with(|| {
            let symbol = self.symbol(rest % self.symbols());
            rest /= self.symbols();
            symbol
        })
        .take(digits)
        .skip_while(|symbol| *symbol == self.symbol(0))
        .collect();
        text.reverse();
        text.into()
    }
}

impl fmt::Display for RowAlphabet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Digits => "the digits",
            Self::Hex => "the hexadecimal digits",
            Self::Lower => "the lower-case letters",
            Self::Printable => "printable ASCII",
            Self::Bytes => "all bytes",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_short_and_about_even() {
        use RowAlphabet::{Bytes, Digits, Hex, Lower};
        for (alphabet, tablets, longest, expected) in [
            (Digits, 5, 20, &["2", "4", "6", "8"].map(str::as_bytes)[..]),
            (Hex, 4, 20, &[b"4", b"8", b"c"]),
            (Lower, 2, 20, &[b"n"]),
            (Bytes, 2, 20, &[b"\x80"]),
            (Digits, 1, 20, &[]),
            // 10^3 = 1,000 is the first power with 64 beginnings for each of 3.
            (Digits, 3, 20, &[b"333", b"666"]),
            (Digits, 3, 1, &[b"3", b"6"]),
        ] {
            assert_eq!(alphabet.points(tablets, longest).unwrap(), expected);
        }
    }

    #[test]
    fn points_ascend_for_any_number_of_tablets() {
        use RowAlphabet::{Bytes, Digits, Hex, Lower, Printable};
        for alphabet in [Digits, Hex, Lower, Printable, Bytes] {
            for tablets in [2, 3, 7, 97, 1_000, 99_991] {
                let points = alphabet.points(tablets, 40).unwrap();
                assert_eq!(points.len() + 1, usize::try_from(tablets).unwrap());
                assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
