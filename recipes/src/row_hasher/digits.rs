//! Numbers as four digits: the hash part of a key.
//!
//! Both schemes write digits from `0-9a-z`, of which base 32 uses the first 32. (That is the
//! extended-hex alphabet of RFC 4648 in lower case.) The digits ascend as bytes, and all numbers
//! have the same length, so the order of the text is the order of the numbers.

/// Characters in the hash part of a key.
pub(super) const HASH_LEN: usize = 4;

/// The number as four digits in the radix, the most significant first.
///
/// The radix is a constant of the type so that each division is a multiplication.
#[inline]
pub(super) fn to_digits<const RADIX: u32>(number: u32) -> [u8; HASH_LEN] {
    debug_assert!(RADIX <= 36 && number < RADIX.pow(4));
    let (high, low) = (number / (RADIX * RADIX), number % (RADIX * RADIX));
    [high / RADIX, high % RADIX, low / RADIX, low % RADIX].map(digit)
}

#[expect(clippy::cast_possible_truncation, reason = "a digit is below 36")]
fn digit(value: u32) -> u8 {
    let value = value as u8;
    // Letters follow the figures after a gap of 39. Adding it without a branch lets the compiler
    // work on the four digits at once.
    value + b'0' + 39 * u8::from(value > 9)
}

/// The value of a digit of `0-9a-z`, or nothing for any other byte.
pub(super) fn digit_value(digit: u8) -> Option<u32> {
    match digit {
        b'0'..=b'9' => Some(u32::from(digit - b'0')),
        b'a'..=b'z' => Some(u32::from(digit - b'a') + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{digit_value, to_digits};

    #[test]
    fn pads_to_four_digits() {
        assert_eq!(&to_digits::<36>(0), b"0000");
        assert_eq!(&to_digits::<36>(35), b"000z");
        assert_eq!(&to_digits::<36>(36), b"0010");
        assert_eq!(&to_digits::<36>(1_679_615), b"zzzz");
        assert_eq!(&to_digits::<32>(31), b"000v");
        assert_eq!(&to_digits::<32>(1_048_575), b"vvvv");
    }

    #[test]
    fn text_order_is_number_order() {
        let mut last = [0; 4];
        for number in 0..36_u32.pow(4) {
            let digits = to_digits::<36>(number);
            assert!(last < digits, "{number}");
            last = digits;
        }
    }

    #[test]
    fn every_digit_has_its_value_and_no_other_byte_has_one() {
        let values: Vec<u32> = (0..=u8::MAX).filter_map(digit_value).collect();
        assert_eq!(values, (0..36).collect::<Vec<u32>>());
        for value in 0..36 {
            let [.., digit] = to_digits::<36>(value);
            assert_eq!(digit_value(digit), Some(value));
        }
    }
}
