//! The alphabets of key beginnings, and their even split points.

use std::fmt;

use fluo_table::{Bytes, Grouped, counted};
use serde::{Deserialize, Serialize};

use crate::error::RecipeError;
use crate::number;

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
    /// Returns the bytes of the alphabet, ascending.
    fn symbols(self) -> Vec<u8> {
        match self {
            Self::Digits => (b'0'..=b'9').collect(),
            Self::Hex => (b'0'..=b'9').chain(b'a'..=b'f').collect(),
            Self::Lower => (b'a'..=b'z').collect(),
            Self::Printable => (b' '..=b'~').collect(),
            Self::Bytes => (0..=0xff).collect(),
        }
    }

    /// Returns the points that cut all texts over the alphabet into this many even pieces,
    /// ascending.
    ///
    /// Point `i` is `i * symbols^d / tablets`, rounded down, in `d` symbols, without the lowest
    /// symbols at its end. `d` is the smallest number of symbols that divides evenly, or that
    /// leaves the pieces about equal; at most `longest`. Fails if there are more tablets than rows
    /// of the longest length.
    pub(super) fn points(self, tablets: u32, longest: usize) -> Result<Vec<Bytes>, RecipeError> {
        let (symbols, wanted) = (self.symbols(), u64::from(tablets));
        let radix = number::count(symbols.len());
        let (mut digits, mut count) = (1, radix);
        while !count.is_multiple_of(wanted) && count < wanted * EVEN_ENOUGH && digits < longest {
            digits += 1;
            count *= radix;
        }
        if count < wanted {
            let (tablets, count) = (counted(tablets, "tablet"), Grouped(count));
            return Err(RecipeError::splits(format!(
                "{tablets} are more than the {count} rows of length {longest} over {self}: give at most {count}"
            )));
        }
        let point = |number| {
            let start = u128::from(number) * u128::from(count) / u128::from(wanted);
            text(u64::try_from(start).expect("a point is below the count"), digits, &symbols)
        };
        Ok((1..wanted).map(point).collect())
    }
}

/// Returns a number in digits of an alphabet, without the lowest symbols at its end.
fn text(number: u64, digits: usize, symbols: &[u8]) -> Bytes {
    let (mut rest, radix) = (number, number::count(symbols.len()));
    let digit = || {
        let digit = usize::try_from(rest % radix).ok().and_then(|digit| symbols.get(digit));
        rest /= radix;
        digit.copied().expect("a digit is below the number of symbols")
    };
    let all = std::iter::repeat_with(digit).take(digits);
    let mut text: Vec<_> = all.skip_while(|symbol| symbols.first() == Some(symbol)).collect();
    text.reverse();
    text.into()
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
