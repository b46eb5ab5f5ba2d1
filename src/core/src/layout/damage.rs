//! The error for stored bytes that are not what they should be.

use crate::data::Escaped;
use crate::error::{Error, ErrorKind};

/// Bytes shown in an error.
const SHOWN_BYTES: usize = 60;

/// The error for a value of `kind` that cannot be read; `form` is what it should be.
pub(super) fn unreadable(kind: &str, bytes: &[u8], form: &str) -> Error {
    let shown: Vec<u8> = bytes.iter().copied().take(SHOWN_BYTES).collect();
    let dots = if bytes.len() > SHOWN_BYTES { ".." } else { "" };
    let message = format!(
        "the value of a {kind} entry cannot be read: {} bytes, `{}{dots}`; it should be {form}",
        bytes.len(),
        Escaped(&shown),
    );
    Error::new(ErrorKind::Corrupt, message)
}
