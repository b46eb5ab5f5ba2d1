//! A textual form of bytes that is readable, and can be parsed back, and its excerpts.

use std::fmt::{self, Write};

use crate::data::{Bytes, counted};
use crate::error::{Error, Result};

/// Displays bytes as text for people: readable text in UTF-8 unchanged but for backslashes, and
/// other bytes [in ASCII](Self::in_ascii). [`unescape`] is its inverse.
///
/// # Examples
///
/// ```
/// use fluo_table::{Escaped, unescape};
///
/// assert_eq!(Escaped(r"größe\".as_bytes()).to_string(), r"größe\x5c");
/// assert_eq!(Escaped(b"a\\b\x01\xff").to_string(), r"a\x5cb\x01\xff");
/// assert_eq!(Escaped("größe".as_bytes()).in_ascii().to_string(), r"gr\xc3\xb6\xc3\x9fe");
/// assert_eq!(unescape(r"größe\x5c\x01")?.as_ref(), "größe\\\x01".as_bytes());
/// assert!(unescape(r"p:\n").is_err());
/// # Ok::<(), fluo_table::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(
    /// The bytes to show.
    pub &'a [u8],
);

impl<'a> Escaped<'a> {
    /// Shows the start of a text: without the part of a character of UTF-8 at its end.
    pub fn start(bytes: &'a [u8]) -> Self {
        let cut = str::from_utf8(bytes).err().filter(|error| error.error_len().is_none());
        Self(cut.and_then(|error| bytes.get(..error.valid_up_to())).unwrap_or(bytes))
    }

    /// Shows printable ASCII unchanged, and a backslash and every other byte as `\xNN`, as Fluo
    /// does, for programs. [`unescape`] reads this form too.
    pub fn in_ascii(self) -> impl fmt::Display + use<'a> {
        self.in_ascii_and(b"")
    }

    /// Also escapes the bytes in `separators`, which separate names in the surrounding text. Bytes
    /// that an escape itself consists of (`\`, `x`, `0` to `9`, `a` to `f`) cannot be separators.
    pub fn in_ascii_and(self, separators: &'a [u8]) -> impl fmt::Display + use<'a> {
        InAscii { bytes: self.0, separators }
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match str::from_utf8(self.0) {
            Ok(text) if is_readable(text) => f.write_str(&text.replace('\\', r"\x5c")),
            _ => self.in_ascii().fmt(f),
        }
    }
}

/// Checks whether all characters of a text can be read as themselves: none is invisible or controls
/// a terminal, and a combining mark follows another character.
fn is_readable(text: &str) -> bool {
    // Not in the categories of characters that the standard library escapes.
    let is_invisible = |c| {
        matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
    };
    let as_is = |c| matches!(c, '\\' | '"' | '\'');
    let shown = text.replace(as_is, "");
    !shown.contains(is_invisible) && shown.escape_debug().eq(shown.chars())
}

struct InAscii<'a> {
    bytes: &'a [u8],
    separators: &'a [u8],
}

impl fmt::Display for InAscii<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &byte in self.bytes {
            match byte {
                b' '..=b'~' if byte != b'\\' && !self.separators.contains(&byte) => {
                    f.write_char(char::from(byte))?;
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
        let shown = bytes.get(..Self::MAX_SHOWN).map_or(bytes, |start| Escaped::start(start).0);
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

/// Reads the forms that [`Escaped`] writes. A character of UTF-8 stands for its bytes.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) for a backslash that does not start `\xNN`, and for a
/// control character; the message states the position in the text.
pub fn unescape(text: &str) -> Result<Bytes> {
    let invalid = |at: usize, what| {
        Error::invalid(format!(
            "at byte {at}: {what}; write a byte that is not printable as `\\xNN` with two hex digits"
        ))
    };
    if let Some((at, _)) = text.char_indices().find(|(_, c)| c.is_control()) {
        return Err(invalid(at, "a control character"));
    }
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
            _ => {
                bytes.push(first);
                after
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
            "at byte 2: a backslash that does not start `\\xNN`; write a byte that is not printable as \
             `\\xNN` with two hex digits"
        );
        assert!(unescape("é\n").unwrap_err().to_string().starts_with("at byte 2: a control"));
        assert!(unescape("é\u{85}").is_err());
        assert!(unescape(r"\x1").is_err() && unescape(r"\x").is_err() && unescape("\\").is_err());
    }

    #[test]
    fn escapes_unprintable_bytes() {
        let shown = Excerpt::new(b"a ~\\\x00\n\x7f\xff").to_string();
        assert_eq!(shown, r"`a ~\x5c\x00\x0a\x7f\xff`");
        assert_eq!(Excerpt::new("é".as_bytes()).to_string(), "`é`");
        assert_eq!(Escaped("é".as_bytes()).in_ascii().to_string(), r"\xc3\xa9");
        assert_eq!(Excerpt::new(b"").to_string(), "``");
    }

    #[test]
    fn shows_what_can_be_read() {
        let shown = |text: &str| Escaped(text.as_bytes()).to_string();
        for readable in ["größe", "日本語", "e\u{301}", "का", "a \"b\" 'c' ~"] {
            assert_eq!(shown(readable), readable);
        }
        // A mark at the start, a blank that is not ASCII, and characters that are invisible or
        // change the text that follows.
        for hidden in [
            "\u{301}e", "\u{a0}", "\u{202e}", "\u{200b}", "\u{fdd0}", "\u{1b}", "\u{fe0f}",
            "\u{3164}", "\u{85}",
        ] {
            assert!(
                shown(&format!("ä{hidden}")).is_ascii() || hidden.starts_with('\u{301}'),
                "{hidden:?}"
            );
            assert!(shown(hidden).is_ascii(), "{hidden:?}");
        }
        // Letters by chance in binary data.
        assert_eq!(Escaped(b"\xc3\xa9\xc3").to_string(), r"\xc3\xa9\xc3");
        assert_eq!(shown(r"ä\"), r"ä\x5c");
    }

    #[test]
    fn an_excerpt_ends_with_a_whole_character() {
        let text = format!("x{}", "ä".repeat(30));
        let cut = Excerpt::new(text.as_bytes()).to_string();
        assert_eq!(cut, format!("`x{}`.. (59 of 61 bytes)", "ä".repeat(29)));
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
            prop_assert_eq!(unescape(&Escaped(&bytes).in_ascii().to_string()).unwrap(), &*bytes);
            prop_assert_eq!(unescape(&Escaped(&bytes).to_string()).unwrap(), bytes);
        }

        #[test]
        fn text_is_read_back(text in any::<String>()) {
            let shown = Escaped(text.as_bytes()).to_string();
            prop_assert_eq!(unescape(&shown).unwrap(), text);
        }

        #[test]
        fn separators_are_hidden_and_read_back(bytes in any::<Vec<u8>>(), separators in any::<Vec<u8>>()) {
            // Escaping cannot hide the bytes that an escape consists of.
            let separators: Vec<u8> =
                separators.into_iter().filter(|byte| !b"\\x0123456789abcdef".contains(byte)).collect();
            let shown = Escaped(&bytes).in_ascii_and(&separators).to_string();
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
