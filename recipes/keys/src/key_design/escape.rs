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
    use super::read;

    #[test]
    fn rejects_bytes_without_an_end() {
        for written in [&b""[..], b"a", b"a\x00\xff", b"\x00\xff\x00\xff"] {
            assert_eq!(read(written, 0, &mut Vec::new()), None);
        }
    }
}
