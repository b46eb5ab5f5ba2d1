//! The common form of two values: a byte of flags and a timestamp.
//!
//! ```text
//! flags       1 byte
//! timestamp   8 bytes, big-endian
//! ```

use crate::data::{Bytes, Timestamp};

/// The flag of both values for an entry at the primary of its transaction.
pub(super) const PRIMARY: u8 = 1;

/// Returns the bytes of flags and a timestamp.
pub(super) fn encode(flags: u8, timestamp: Timestamp) -> Bytes {
    [&[flags][..], &timestamp.get().to_be_bytes()].concat().into()
}

/// Decodes the flags and the timestamp. Returns `None` for bytes of another form, or with a flag
/// that is not in `known`.
pub(super) fn decode(bytes: &[u8], known: u8) -> Option<(u8, Timestamp)> {
    let (&[flags], timestamp) = bytes.split_first_chunk()?;
    let timestamp = Timestamp::from_bits(u64::from_be_bytes(timestamp.try_into().ok()?))?;
    (flags & !known == 0).then_some((flags, timestamp))
}
