//! Numbers as four digits: the hash part of a key.
//!
//! Both schemes take their digits from one alphabet, of which base 32 uses the first 32. (Those
//! are the extended-hex alphabet of RFC 4648 in lower case.) The digits ascend as bytes, and all
//! numbers have the same length, so the order of the text is the order of the numbers.

pub(super) const HASH_LEN: usize = 4;

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Two digits for each number below 36 * 36.
type Pairs = [[u8; 2]; 36 * 36];

/// Returns the number as four digits in the radix, the most significant first.
///
/// Digits are looked up in a table, two at a time: computing each digit by itself took as long as
/// hashing 24 bytes does.
#[inline]
pub(super) fn to_digits<const RADIX: usize>(number: u32) -> [u8; HASH_LEN] {
    debug_assert!((number as usize) < RADIX.pow(4));
    let pairs = const { &pairs(RADIX) };
    let number = number as usize;
    let [a, b] = pair(pairs, number / (RADIX * RADIX));
    let [c, d] = pair(pairs, number % (RADIX * RADIX));
    [a, b, c, d]
}

#[inline]
fn pair(pairs: &Pairs, number: usize) -> [u8; 2] {
    // Callers stay below the square of the radix, so there always is a pair.
    pairs.get(number).copied().unwrap_or_default()
}

/// Builds the table of digit pairs at compile time, once for each radix.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would fail the build")]
const fn pairs(radix: usize) -> Pairs {
    let mut pairs = [[0; 2]; 36 * 36];
    let mut number = 0;
    while number < radix * radix {
        pairs[number] = [ALPHABET[number / radix], ALPHABET[number % radix]];
        number += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::to_digits;

    #[test]
    fn pads_to_four_digits() {
        assert_eq!(&to_digits::<36>(0), b"0000");
        assert_eq!(&to_digits::<36>(35), b"000z");
        assert_eq!(&to_digits::<36>(36), b"0010");
        assert_eq!(&to_digits::<36>(1_679_615), b"zzzz");
        assert_eq!(&to_digits::<32>(31), b"000v");
        assert_eq!(&to_digits::<32>(1_048_575), b"vvvv");
    }

    /// Lower-case digits of one length sort as their numbers.
    #[test]
    fn is_lower_case_and_reads_back_as_the_same_number() {
        let read = |digits: [u8; 4], radix| {
            let text = std::str::from_utf8(&digits).unwrap();
            assert!(text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'z')), "{text}");
            u32::from_str_radix(text, radix).unwrap()
        };
        for number in 0..36_u32.pow(4) {
            assert_eq!(read(to_digits::<36>(number), 36), number);
        }
        for number in 0..32_u32.pow(4) {
            assert_eq!(read(to_digits::<32>(number), 32), number);
        }
    }
}
