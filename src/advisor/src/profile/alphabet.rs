//! The bytes that keys consist of.

use serde::Serialize;

/// The number of leading positions that have an alphabet of their own.
const POSITIONS: usize = 64;

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

/// The bytes of all keys; counted over all keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AlphabetProfile {
    /// The alphabet of all positions together.
    pub all: Alphabet,
    /// The number of different bytes.
    pub distinct_bytes: u32,
    /// For keys of one length, the alphabets of the first 64 positions; neighbours with one
    /// alphabet are one entry. Empty for keys of different lengths.
    pub positions: Vec<PositionAlphabet>,
}

/// The alphabet of neighbouring positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PositionAlphabet {
    /// The first position, from 0.
    pub first: u32,
    /// The last position.
    pub last: u32,
    /// Their alphabet.
    pub alphabet: Alphabet,
    /// The most different bytes at one of the positions; 1 if the byte at each never changes.
    pub distinct_bytes: u32,
}

impl Alphabet {
    /// Returns the name for use in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "no bytes",
            Self::Digits => "digits",
            Self::HexLowerCase => "hex digits in lower case",
            Self::HexUpperCase => "hex digits in upper case",
            Self::LowerCaseLetters => "lower-case letters",
            Self::LettersAndDigits => "letters and digits",
            Self::AsciiText => "ASCII text",
            Self::Utf8Text => "UTF-8 text",
            Self::Binary => "binary data",
        }
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn insert(&mut self, byte: u8) {
        if let Some(word) = self.0.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
    }

    fn contains(self, byte: u8) -> bool {
        let word = self.0.get(usize::from(byte >> 6));
        word.is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    fn union(self, other: Self) -> Self {
        let mut all = self;
        for (word, others) in all.0.iter_mut().zip(other.0) {
            *word |= others;
        }
        all
    }

    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn all(self, is_member: impl Fn(u8) -> bool) -> bool {
        (0..=u8::MAX).all(|byte| !self.contains(byte) || is_member(byte))
    }

    /// Returns the alphabet of the set. `is_utf8` is `true` if the keys are text.
    fn alphabet(self, is_utf8: bool) -> Alphabet {
        if self.len() == 0 {
            Alphabet::Empty
        } else if self.all(|byte| byte.is_ascii_digit()) {
            Alphabet::Digits
        } else if self.all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')) {
            Alphabet::HexLowerCase
        } else if self.all(|byte| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F')) {
            Alphabet::HexUpperCase
        } else if self.all(|byte| byte.is_ascii_lowercase()) {
            Alphabet::LowerCaseLetters
        } else if self.all(|byte| byte.is_ascii_alphanumeric()) {
            Alphabet::LettersAndDigits
        } else if self.all(|byte| matches!(byte, b' '..=b'~')) {
            Alphabet::AsciiText
        } else if is_utf8 && self.all(|byte| byte >= b' ' && byte != 0x7f) {
            Alphabet::Utf8Text
        } else {
            Alphabet::Binary
        }
    }
}

/// Gathers the bytes of keys in constant memory.
#[derive(Debug)]
pub(super) struct Alphabets {
    positions: Box<[ByteSet]>,
    rest: ByteSet,
    is_utf8: bool,
}

impl Default for Alphabets {
    fn default() -> Self {
        Self {
            positions: vec![ByteSet::default(); POSITIONS].into(),
            rest: ByteSet::default(),
            is_utf8: true,
        }
    }
}

impl Alphabets {
    pub(super) fn push(&mut self, key: &[u8]) {
        let (head, tail) = key.split_at_checked(POSITIONS).unwrap_or((key, &[]));
        for (set, byte) in self.positions.iter_mut().zip(head) {
            set.insert(*byte);
        }
        for byte in tail {
            self.rest.insert(*byte);
        }
        if self.is_utf8 && !key.is_ascii() {
            self.is_utf8 = std::str::from_utf8(key).is_ok();
        }
    }

    pub(super) fn finish(&self, is_fixed_length: bool) -> AlphabetProfile {
        let all = self
            .positions
            .iter()
            .fold(self.rest, |all, set| all.union(*set));
        AlphabetProfile {
            all: all.alphabet(self.is_utf8),
            distinct_bytes: all.len(),
            positions: if is_fixed_length {
                self.runs()
            } else {
                Vec::new()
            },
        }
    }

    fn runs(&self) -> Vec<PositionAlphabet> {
        let mut runs: Vec<PositionAlphabet> = Vec::new();
        for (position, set) in (0..).zip(&self.positions).filter(|(_, set)| set.len() > 0) {
            // One position alone does not show whether its bytes are UTF-8.
            let (alphabet, distinct_bytes) = (set.alphabet(self.is_utf8), set.len());
            match runs.last_mut() {
                Some(run)
                    if run.alphabet == alphabet
                        && (run.distinct_bytes == 1) == (distinct_bytes == 1) =>
                {
                    run.last = position;
                    run.distinct_bytes = run.distinct_bytes.max(distinct_bytes);
                }
                _ => runs.push(PositionAlphabet {
                    first: position,
                    last: position,
                    alphabet,
                    distinct_bytes,
                }),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(keys: &[&[u8]]) -> AlphabetProfile {
        let mut alphabets = Alphabets::default();
        for key in keys {
            alphabets.push(key);
        }
        alphabets.finish(keys.iter().all(|key| key.len() == keys[0].len()))
    }

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
            assert_eq!(profile(&[key]).all, alphabet, "{key:?}");
        }
    }

    #[test]
    fn fixed_positions_have_their_own_alphabets() {
        let profile = profile(&[b"u-01", b"u-12", b"u-21"]);
        let runs: Vec<_> = profile
            .positions
            .iter()
            .map(|run| (run.first, run.last, run.alphabet, run.distinct_bytes))
            .collect();
        assert_eq!(
            runs,
            [
                (0, 0, Alphabet::LowerCaseLetters, 1),
                (1, 1, Alphabet::AsciiText, 1),
                (2, 3, Alphabet::Digits, 3)
            ]
        );
        assert_eq!(profile.distinct_bytes, 5);
    }

    #[test]
    fn counts_the_bytes_of_long_keys() {
        let mut key = vec![b'1'; 100];
        key[99] = b'z';
        let profile = profile(&[&key]);
        assert_eq!(
            (profile.all, profile.distinct_bytes),
            (Alphabet::LettersAndDigits, 2)
        );
        assert_eq!(profile.positions.last().unwrap().last, 63);
    }
}
