//! The error for stored bytes that cannot be decoded.

use crate::data::Escaped;
use crate::error::{Error, ErrorKind};

/// The maximum number of bytes shown in an error.
const SHOWN_BYTES: usize = 60;

/// Creates the error for a value of `kind` that cannot be decoded; `form` describes the valid form.
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
