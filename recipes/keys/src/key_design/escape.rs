//! Bytes of any length, written so that their end can be found and their order is kept.
//!
//! ```text
//!  byte 00        00 ff
//!  other bytes    as they are
//!  the end        00, and then anything but ff
//! ```
//!
//! The end sorts before an escaped zero, and an escaped zero before every other byte: so `a` <
//! `a 00` < `a 01`, as without escapes. The encoding defines the bytes after the end.

use memchr::memchr;

const END: u8 = 0;
const ESCAPED_ZERO: u8 = 0xff;

/// Appends the bytes, without an end.
pub(super) fn write(bytes: &[u8], written: &mut Vec<u8>) {
    for &byte in bytes {
        written.push(byte);
        if byte == END {
            written.push(ESCAPED_ZERO);
        }
    }
}

/// Appends the bytes before the end, and returns the bytes after the `00` of the end, or `None` if
/// there is no end.
///
/// With a mask of `ff`, the written bytes are read as their complement; the returned bytes are not
/// complemented.
pub(super) fn read<'a>(written: &'a [u8], mask: u8, bytes: &mut Vec<u8>) -> Option<&'a [u8]> {
    let mut rest = written;
    loop {
        let (before, found) = rest.split_at_checked(memchr(END ^ mask, rest)?)?;
        bytes.extend(before.iter().map(|byte| byte ^ mask));
        let behind = found.get(1..)?;
        match behind.split_first() {
            Some((next, further)) if next ^ mask == ESCAPED_ZERO => {
                bytes.push(END);
                rest = further;
            }
            _ => return Some(behind),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(0_u8), Just(1), Just(0xfe), Just(0xff)];
        proptest::collection::vec(byte, 0..6)
    }

    fn ended(bytes: &[u8], mask: u8) -> Vec<u8> {
        let mut written = Vec::new();
        write(bytes, &mut written);
        written.extend([0, 7]);
        written.iter().map(|byte| byte ^ mask).collect()
    }

    #[test]
    fn rejects_bytes_without_an_end() {
        for written in [&b""[..], b"a", b"a\x00\xff", b"\x00\xff\x00\xff"] {
            assert_eq!(read(written, 0, &mut Vec::new()), None);
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_wrote(bytes in bytes(), mask in prop_oneof![Just(0_u8), Just(0xff)]) {
            let (written, mut read_back) = (ended(&bytes, mask), Vec::new());
            prop_assert_eq!(read(&written, mask, &mut read_back), Some(&[7 ^ mask][..]));
            prop_assert_eq!(read_back, bytes);
        }

        #[test]
        fn keeps_the_order_of_the_bytes(a in bytes(), b in bytes()) {
            prop_assert_eq!(ended(&a, 0).cmp(&ended(&b, 0)), a.cmp(&b));
            prop_assert_eq!(ended(&a, 0xff).cmp(&ended(&b, 0xff)), b.cmp(&a));
        }

        #[test]
        fn keeps_prefixes(a in bytes(), b in bytes()) {
            let mut begun = Vec::new();
            write(&b, &mut begun);
            prop_assert_eq!(ended(&a, 0).starts_with(&begun), a.starts_with(&b));
        }
    }
}
