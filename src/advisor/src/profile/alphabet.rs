//! The bytes that keys consist of.

use serde::Serialize;

/// The name of a set of bytes: the first of these that contains all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Alphabet {
    /// No bytes at all.
    #[default]
    Empty,
    /// `0` to `9`.
    Digits,
    /// `0` to `9` and `a` to `f`.
    HexLowerCase,
    /// `0` to `9` and `A` to `F`.
    HexUpperCase,
    /// `a` to `z`.
    LowerCaseLetters,
    /// Letters and digits of ASCII.
    LettersAndDigits,
    /// Printable ASCII, the blank included.
    AsciiText,
    /// UTF-8 beyond ASCII, without control characters of ASCII.
    Utf8Text,
    /// Any bytes.
    Binary,
}

type Member = (Alphabet, fn(u8) -> bool);

#[derive(Debug)]
pub(super) struct ByteSet {
    bytes: [bool; 256],
    is_utf8: bool,
}

impl Default for ByteSet {
    fn default() -> Self {
        Self { bytes: [false; 256], is_utf8: true }
    }
}

impl ByteSet {
    pub(super) fn push(&mut self, key: &[u8]) {
        for byte in key {
            if let Some(has_byte) = self.bytes.get_mut(usize::from(*byte)) {
                *has_byte = true;
            }
        }
        if self.is_utf8 && !key.is_ascii() {
            self.is_utf8 = std::str::from_utf8(key).is_ok();
        }
    }

    pub(super) fn alphabet(&self) -> Alphabet {
        let alphabets: [Member; 8] = [
            (Alphabet::Empty, |_| false),
            (Alphabet::Digits, |byte| byte.is_ascii_digit()),
            (Alphabet::HexLowerCase, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
            (Alphabet::HexUpperCase, |byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')),
            (Alphabet::LowerCaseLetters, |byte| byte.is_ascii_lowercase()),
            (Alphabet::LettersAndDigits, |byte| byte.is_ascii_alphanumeric()),
            (Alphabet::AsciiText, |byte| matches!(byte, b' '..=b'~')),
            (Alphabet::Utf8Text, |byte| byte >= b' ' && byte != 0x7f),
        ];
        let has_all = |(alphabet, is_member): &Member| {
            let mut bytes = (0..=u8::MAX).zip(self.bytes);
            bytes.all(|(byte, has_byte)| !has_byte || is_member(byte))
                && (self.is_utf8 || *alphabet != Alphabet::Utf8Text)
        };
        alphabets.into_iter().find(has_all).map_or(Alphabet::Binary, |(alphabet, _)| alphabet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_alphabets() {
        for (key, alphabet) in [
            (b"".as_slice(), Alphabet::Empty),
            (b"0123", Alphabet::Digits),
            (b"0a9f", Alphabet::HexLowerCase),
            (b"0A9F", Alphabet::HexUpperCase),
            (b"xyz", Alphabet::LowerCaseLetters),
            (b"xY0", Alphabet::LettersAndDigits),
            (b"x y/~", Alphabet::AsciiText),
            ("é".as_bytes(), Alphabet::Utf8Text),
            (b"a\tb", Alphabet::Binary),
            (b"\xff", Alphabet::Binary),
        ] {
            let mut bytes = ByteSet::default();
            bytes.push(key);
            assert_eq!(bytes.alphabet(), alphabet, "{key:?}");
        }
    }
}
