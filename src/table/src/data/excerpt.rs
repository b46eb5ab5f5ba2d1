//! The display of bytes in messages.

use std::fmt;

use crate::data::{Bytes, Escaped};

/// Bytes for display in a message: escaped, in backticks, truncated if they are long.
///
/// Printable ASCII is shown as it is; every other byte and the backslash are written `\xNN`. Only
/// the first [`MAX_SHOWN`](Self::MAX_SHOWN) bytes are kept, so an error about a row of a mebibyte
/// stays small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    shown: Bytes,
    total: usize,
}

impl Excerpt {
    /// Maximum number of bytes of a key that a message shows.
    pub const MAX_SHOWN: usize = 60;

    /// Copies at most [`MAX_SHOWN`](Self::MAX_SHOWN) of the bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let shown = bytes.get(..Self::MAX_SHOWN).unwrap_or(bytes);
        Self { shown: Bytes::copy_from_slice(shown), total: bytes.len() }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", Escaped(&self.shown))?;
        if self.shown.len() < self.total {
            write!(f, ".. ({} of {} bytes)", self.shown.len(), self.total)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn escapes_unprintable_bytes() {
        let shown = Excerpt::new(b"a ~\\\x00\n\x7f\xff").to_string();
        assert_eq!(shown, r"`a ~\x5c\x00\x0a\x7f\xff`");
        assert_eq!(Excerpt::new("é".as_bytes()).to_string(), r"`\xc3\xa9`");
        assert_eq!(Excerpt::new(b"").to_string(), "``");
    }

    #[test]
    fn truncates_long_bytes_and_shows_the_total_length() {
        let sixty = "x".repeat(60);
        let all = Excerpt::new(sixty.as_bytes()).to_string();
        assert_eq!(all, format!("`{sixty}`"));
        let cut = Excerpt::new(&[b'x'; 61]).to_string();
        assert_eq!(cut, format!("`{sixty}`.. (60 of 61 bytes)"));
    }
}
