//! Numbers of variable length, and byte strings that carry their length.
//!
//! A number from -112 to 127 is a single byte. Any other number has a first byte that encodes its
//! sign and the number of the following bytes, and then these bytes, most significant first:
//!
//! ```text
//! 127        7f
//! 128        8f 80          first byte -113: positive, 1 byte
//! 256        8e 01 00       first byte -114: positive, 2 bytes
//! ```
//!
//! Negative numbers have first bytes below -120. Lengths are never negative, so none is written
//! here, and a negative length is rejected when it is read. The form is that of
//! `org.apache.hadoop.io.WritableUtils`.

use bytes::BufMut;

/// The lowest first byte of a number without further bytes.
const MIN_SINGLE: i8 = -112;
/// The first byte of a positive number with the most further bytes.
const MAX_BYTES: i8 = -120;

fn push_length(into: &mut Vec<u8>, length: u32) {
    match i8::try_from(length) {
        Ok(single) => into.put_i8(single),
        Err(_) => {
            let bytes = length.to_be_bytes();
            let digits: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
            // There are one to four bytes, so the first one is -113 to -116.
            let count = i8::try_from(digits.len()).unwrap_or_default();
            into.put_i8(MIN_SINGLE - count);
            into.put_slice(&digits);
        }
    }
}

fn split_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (&[first], rest) = bytes.split_first_chunk()?;
    let first = i8::from_be_bytes([first]);
    if first >= MIN_SINGLE {
        return Some((usize::try_from(first).ok()?, rest));
    }
    if first < MAX_BYTES {
        return None;
    }
    let count = usize::try_from(i16::from(MIN_SINGLE) - i16::from(first)).ok()?;
    let (digits, rest) = rest.split_at_checked(count)?;
    // There are at most eight bytes.
    let length = digits.iter().fold(0_u64, |length, digit| length << 8 | u64::from(*digit));
    // A Java array cannot be longer, and a peer reads the length as an `int`.
    let length = i32::try_from(length).ok()?;
    Some((usize::try_from(length).ok()?, rest))
}

/// Returns the fields one after the other, each after its length.
///
/// ```text
/// length of a | a | length of b | b | ..
/// ```
pub(super) fn concat<const N: usize>(fields: [&[u8]; N]) -> Vec<u8> {
    let bytes = fields.iter().map(|field| field.len() + 5).sum();
    let mut into = Vec::with_capacity(bytes);
    for field in fields {
        // A field is a part of a key, and tables limit keys to far below 4 GiB.
        push_length(&mut into, u32::try_from(field.len()).unwrap_or(u32::MAX));
        into.extend_from_slice(field);
    }
    into
}

/// Splits the fields that [`concat()`] joined. Returns `None` if there are not exactly `N`.
pub(super) fn split<const N: usize>(bytes: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields: [&[u8]; N] = [&[]; N];
    let mut rest = bytes;
    for field in &mut fields {
        let (length, after) = split_length(rest)?;
        (*field, rest) = after.split_at_checked(length)?;
    }
    rest.is_empty().then_some(fields)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pushed(length: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_length(&mut bytes, length);
        bytes
    }

    #[test]
    fn encodes_lengths_as_hadoop_does() {
        let cases: [(u32, &[u8]); 7] = [
            (0, &[0x00]),
            (127, &[0x7f]),
            (128, &[0x8f, 0x80]),
            (255, &[0x8f, 0xff]),
            (256, &[0x8e, 0x01, 0x00]),
            (65_535, &[0x8e, 0xff, 0xff]),
            (65_536, &[0x8d, 0x01, 0x00, 0x00]),
        ];
        for (length, bytes) in cases {
            assert_eq!(pushed(length), bytes);
            assert_eq!(split_length(bytes), Some((length as usize, &[][..])));
        }
    }

    #[test]
    fn rejects_negative_and_truncated_lengths() {
        // -112, -113, nothing, and 200 with its byte missing.
        for bytes in [&[0x90][..], &[0x87, 0x70], &[], &[0x8f]] {
            assert_eq!(split_length(bytes), None, "{bytes:02x?}");
        }
        // 2^31, which a peer would read as a negative number.
        assert_eq!(split_length(&[0x8c, 0x80, 0, 0, 0]), None);
        assert_eq!(split_length(&[0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), None);
    }

    #[test]
    fn rejects_too_few_or_too_many_fields() {
        let two = concat([b"a", b"b"]);
        assert_eq!(split::<2>(&two), Some([&b"a"[..], b"b"]));
        assert_eq!((split::<1>(&two), split::<3>(&two)), (None, None));
    }

    proptest! {
        #[test]
        fn splits_what_it_joins(
            a in proptest::collection::vec(any::<u8>(), 0..300),
            b in any::<Vec<u8>>(),
        ) {
            let joined = concat([&a, &b]);
            prop_assert_eq!(split::<2>(&joined), Some([&a[..], &b[..]]));
        }

        #[test]
        fn any_length_is_read_back(length in 0..=i32::MAX.cast_unsigned()) {
            let bytes = pushed(length);
            prop_assert_eq!(split_length(&bytes), Some((length as usize, &[][..])));
        }

        #[test]
        fn any_bytes_are_split_or_rejected(bytes in any::<Vec<u8>>()) {
            let _ = split::<3>(&bytes);
        }
    }
}
