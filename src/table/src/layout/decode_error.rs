//! The error for stored bytes that cannot be decoded.

use crate::data::Excerpt;
use crate::error::Error;

/// Creates the error for a value of `kind` that cannot be decoded; `form` describes the valid form.
pub(super) fn unreadable(kind: &str, bytes: &[u8], form: &str) -> Error {
    Error::corrupt(format!(
        "the value of a {kind} entry cannot be read: {} bytes, {}; it should be {form}",
        bytes.len(),
        Excerpt::new(bytes)
    ))
}
