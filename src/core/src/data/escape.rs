//! Bytes as text that a person can read and a program can read back.

use std::fmt;

use thiserror::Error;

use crate::data::Bytes;

/// Shows bytes as text: printable ASCII as it is, a backslash and every other byte as `\xNN`.
///
/// The form is Fluo's own. [`unescape`] is its inverse.
///
/// ```
/// use fluo_core::Escaped;
///
/// assert_eq!(Escaped(b"a\\b\x01\xff").to_string(), r"a\x5cb\x01\xff");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(
    /// The bytes to show.
    pub &'a [u8],
);

/// What the form of a byte that is not shown as it is may hold.
const FORM: &[u8] = b"\\x0123456789abcdef";

impl<'a> Escaped<'a> {
    /// The same, where these bytes are `\xNN` too: what separates names from each other in the text around them.
    ///
    /// No separator may be one of the bytes that `\xNN` is made of, which it would not hide: a backslash, `x`, and the
    /// digits `0` to `9` and `a` to `f`.
    ///
    /// # Panics
    /// In a debug build, where a separator is one of these.
    ///
    /// ```
    /// use fluo_core::Escaped;
    ///
    /// assert_eq!(Escaped(b"a b:c").and(b" ").to_string(), r"a\x20b:c");
    /// ```
    pub fn and(self, separators: &'a [u8]) -> impl fmt::Display + use<'a> {
        debug_assert!(
            !separators.iter().any(|byte| FORM.contains(byte)),
            "a separator is one of the bytes that `\\xNN` is made of"
        );
        Separated {
            bytes: self.0,
            separators,
        }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.and(b"").fmt(f)
    }
}

/// Bytes in which some that could be shown as they are separate names.
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

/// Text that is not of the form which [`Escaped`] writes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "at byte {at}: {what}; bytes are written as printable ASCII or as `\\xNN` with two hex digits"
)]
pub struct EscapeError {
    at: usize,
    what: &'static str,
}

/// Reads the form that [`Escaped`] writes.
///
/// # Errors
/// A backslash that does not start `\xNN`, or a character that is not printable ASCII; the error says at
/// which byte of the text.
///
/// ```
/// # fn main() -> Result<(), fluo_core::EscapeError> {
/// assert_eq!(fluo_core::unescape(r"p:\x00")?.as_ref(), b"p:\0");
/// assert!(fluo_core::unescape(r"p:\n").is_err());
/// # Ok(())
/// # }
/// ```
pub fn unescape(text: &str) -> Result<Bytes, EscapeError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let at = text.len() - rest.len();
        rest = match first {
            b'\\' => {
                let (byte, after) = hex_byte(after).ok_or(EscapeError {
                    at,
                    what: "a backslash that does not start `\\xNN`",
                })?;
                bytes.push(byte);
                after
            }
            0x20..=0x7e => {
                bytes.push(first);
                after
            }
            _ => {
                return Err(EscapeError {
                    at,
                    what: "a byte that is not printable ASCII",
                });
            }
        };
    }
    Ok(bytes.into())
}

fn hex_byte(after_backslash: &[u8]) -> Option<(u8, &[u8])> {
    let (&[x, high, low], rest) = after_backslash.split_first_chunk()?;
    if x != b'x' {
        return None;
    }
    let digit = |c: u8| {
        char::from(c)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    Some((digit(high)? << 4 | digit(low)?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn errors_say_where() {
        let error = unescape(r"ab\q").unwrap_err();
        assert_eq!(
            error.to_string(),
            "at byte 2: a backslash that does not start `\\xNN`; bytes are written as printable ASCII or \
             as `\\xNN` with two hex digits"
        );
        assert!(
            unescape("é")
                .unwrap_err()
                .to_string()
                .starts_with("at byte 0: a byte that is not")
        );
        assert!(unescape(r"\x1").is_err() && unescape(r"\x").is_err() && unescape("\\").is_err());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a separator is one of the bytes that `\\xNN` is made of")]
    fn a_separator_that_the_form_holds_is_a_mistake() {
        drop(Escaped(b"a").and(b" 5").to_string());
    }

    proptest! {
        #[test]
        fn unescape_is_the_inverse(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(unescape(&Escaped(&bytes).to_string()).unwrap().to_vec(), bytes);
        }

        #[test]
        fn separators_are_hidden_and_read_back(bytes in any::<Vec<u8>>(), separators in any::<Vec<u8>>()) {
            // Those that the form itself is made of cannot be hidden by it.
            let separators: Vec<u8> =
                separators.into_iter().filter(|byte| !FORM.contains(byte)).collect();
            let shown = Escaped(&bytes).and(&separators).to_string();
            prop_assert!(!shown.bytes().any(|byte| separators.contains(&byte)));
            prop_assert_eq!(unescape(&shown).unwrap().to_vec(), bytes);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Ok(bytes) = unescape(&text) {
                prop_assert_eq!(unescape(&Escaped(&bytes).to_string()).unwrap(), bytes);
            }
        }
    }
}
