//! A textual form of bytes that is readable, and can be parsed back, and its excerpts.

use std::fmt;

use crate::data::{Bytes, counted};
use crate::error::{Error, Result};

/// Displays bytes as text: printable ASCII unchanged, a backslash and every other byte as `\xNN`.
///
/// The form is the one that Fluo uses. [`unescape`] is its inverse.
///
/// # Examples
///
/// ```
/// use fluo_table::{Escaped, unescape};
///
/// assert_eq!(Escaped(b"a\\b\x01\xff").to_string(), r"a\x5cb\x01\xff");
/// assert_eq!(unescape(r"a\x5cb\x01\xff")?.as_ref(), b"a\\b\x01\xff");
/// assert!(unescape(r"p:\n").is_err());
/// # Ok::<(), fluo_table::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(
    /// The bytes to show.
    pub &'a [u8],
);

impl<'a> Escaped<'a> {
    /// Also escapes the bytes in `separators`, which separate names in the surrounding text. Bytes
    /// that an escape itself consists of (`\`, `x`, `0` to `9`, `a` to `f`) cannot be separators.
    pub fn and(self, separators: &'a [u8]) -> impl fmt::Display + use<'a> {
        Separated { bytes: self.0, separators }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.and(b"").fmt(f)
    }
}

struct Separated<'a> {
    bytes: &'a [u8],
    separators: &'a [u8],
}

impl fmt::Display for Separated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &byte in self.bytes {
            match byte {
                b' '..=b'~' if byte != b'\\' && !self.separators.contains(&byte) => {
                    fmt::Write::write_char(f, char::from(byte))?;
                }
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        Ok(())
    }
}

/// Returns the start of a text for a message. Only control characters are escaped.
pub(crate) fn shown(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    let rest = if text.chars().nth(60).is_some() { ".." } else { "" };
    text.chars().take(60).map(shown).chain([rest.to_owned()]).collect()
}

/// Bytes for display in a message: [`Escaped`], in backticks, truncated if they are long.
///
/// Only the first [`MAX_SHOWN`](Self::MAX_SHOWN) bytes are kept, so an error about a row of a
/// mebibyte stays small.
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
            let total = counted(self.total, "byte");
            write!(f, ".. ({} of {total})", self.shown.len())?;
        }
        Ok(())
    }
}

/// Reads the form that [`Escaped`] writes.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) for a backslash that does not start `\xNN`, and for a
/// character that is not printable ASCII; the message states the position in the text.
pub fn unescape(text: &str) -> Result<Bytes> {
    let invalid = |at: usize, what| {
        Error::invalid(format!(
            "at byte {at}: {what}; bytes are written as printable ASCII or as `\\xNN` with two hex digits"
        ))
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let at = text.len() - rest.len();
        rest = match first {
            b'\\' => {
                let (byte, after) = hex_byte(after)
                    .ok_or_else(|| invalid(at, "a backslash that does not start `\\xNN`"))?;
                bytes.push(byte);
                after
            }
            0x20..=0x7e => {
                bytes.push(first);
                after
            }
            _ => return Err(invalid(at, "a byte that is not printable ASCII")),
        };
    }
    Ok(bytes.into())
}

fn hex_byte(after_backslash: &[u8]) -> Option<(u8, &[u8])> {
    let (&[x, high, low], rest) = after_backslash.split_first_chunk()?;
    if x != b'x' {
        return None;
    }
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some((digit(high)? << 4 | digit(low)?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn errors_state_the_position() {
        let error = unescape(r"ab\q").unwrap_err();
        assert_eq!(
            error.to_string(),
            "at byte 2: a backslash that does not start `\\xNN`; bytes are written as printable ASCII or \
             as `\\xNN` with two hex digits"
        );
        assert!(
            unescape("é").unwrap_err().to_string().starts_with("at byte 0: a byte that is not")
        );
        assert!(unescape(r"\x1").is_err() && unescape(r"\x").is_err() && unescape("\\").is_err());
    }

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

    proptest! {
        #[test]
        fn unescape_is_the_inverse(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(unescape(&Escaped(&bytes).to_string()).unwrap().to_vec(), bytes);
        }

        #[test]
        fn separators_are_hidden_and_read_back(bytes in any::<Vec<u8>>(), separators in any::<Vec<u8>>()) {
            // Escaping cannot hide the bytes that an escape consists of.
            let separators: Vec<u8> =
                separators.into_iter().filter(|byte| !b"\\x0123456789abcdef".contains(byte)).collect();
            let shown = Escaped(&bytes).and(&separators).to_string();
            prop_assert!(!shown.bytes().any(|byte| separators.contains(&byte)));
            prop_assert_eq!(unescape(&shown).unwrap().to_vec(), bytes);
        }

        #[test]
        fn any_text_is_read_or_rejected(text in any::<String>()) {
            if let Ok(bytes) = unescape(&text) {
                prop_assert_eq!(unescape(&Escaped(&bytes).to_string()).unwrap(), bytes);
            }
        }
    }
}
