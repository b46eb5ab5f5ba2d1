//! The salt: a few bytes before the row that decide its location in the table.

use std::fmt;

use fluo_table::{Bytes, Escaped, Excerpt, Grouped, counted};
use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use super::hash_input::HashInput;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

/// A kind of salt. All salts of one design have the same width.
#[derive(Clone, Debug)]
pub(super) enum SaltKind {
    /// Buckets in decimal digits: an operand modulo their count, or drawn if there is no operand.
    Bucket { count: u32, of: Option<HashInput> },
    /// Hexadecimal digits of a digest.
    Digest { digest: Digest, end: DigestSide, digits: u8 },
    /// The prefix and the hash of a row hasher; the colon after them is the separator.
    Hash(RowHasher),
}

/// A salt, its input, and the separator after it.
#[derive(Clone, Debug)]
pub(super) struct Salt {
    pub(super) kind: SaltKind,
    /// The number of different salts; at least one.
    pub(super) count: u64,
    pub(super) width: usize,
    /// The part of a row from which the salt is computed.
    pub(super) over: SaltedPart,
    /// The description of this part; empty for the usual one.
    pub(super) over_text: String,
    pub(super) separator: String,
    /// The separator that descriptions of the design leave out.
    pub(super) usual_separator: &'static str,
}

impl Salt {
    pub(super) fn new(
        kind: SaltKind,
        over: &SaltedPart,
        separator: &str,
        usual_separator: &'static str,
    ) -> Self {
        let (count, width) = match &kind {
            // Two digits, as is common, or as many as the largest bucket needs.
            SaltKind::Bucket { count, .. } => {
                ((*count).into(), count.saturating_sub(1).to_string().len().max(2))
            }
            SaltKind::Digest { digits, .. } => (1 << (4 * digits), (*digits).into()),
            SaltKind::Hash(hasher) => {
                (hasher.scheme().space().into(), hasher.prefix().len() + ":".len() + 4)
            }
        };
        let (over, over_text, separator) = (over.clone(), over.to_string(), separator.to_owned());
        Self { kind, count, width, over, over_text, separator, usual_separator }
    }

    /// Checks whether salts are drawn, so that they do not determine the location of a row.
    pub(super) fn is_drawn(&self) -> bool {
        matches!(self.kind, SaltKind::Bucket { of: None, .. })
    }

    pub(super) fn hasher(&self) -> Option<&RowHasher> {
        match &self.kind {
            SaltKind::Hash(hasher) => Some(hasher),
            _ => None,
        }
    }

    /// Returns the number of the salt of a part of a row. Fails if the part has no salt, such as
    /// text for a modulus of numbers, or if salts are drawn.
    pub(super) fn number(&self, part: &[u8]) -> Result<u64, RecipeError> {
        match &self.kind {
            SaltKind::Bucket { count, of: Some(of) } => of.modulo(part, *count),
            SaltKind::Bucket { of: None, .. } => Err(RecipeError::settings(
                "the design has no source of random numbers: set one by `with_salt_source`",
            )),
            SaltKind::Digest { digest: Digest::Md5, end, digits } => {
                Ok(end.number(&md5::compute(part).0, *digits))
            }
            SaltKind::Digest { digest: Digest::Sha1, end, digits } => {
                Ok(end.number(&Sha1::from(part).digest().bytes(), *digits))
            }
            SaltKind::Hash(hasher) => Ok(hasher.hash_number(part).into()),
        }
    }

    /// Appends the salt with this number, counted from 0 in byte order. The number is below the
    /// count.
    fn write(&self, number: u64, key: &mut Vec<u8>) {
        match &self.kind {
            SaltKind::Bucket { .. } => write_digits::<10>(number, self.width, key),
            SaltKind::Digest { .. } => write_digits::<16>(number, self.width, key),
            SaltKind::Hash(hasher) => {
                let number = u32::try_from(number).expect("there are fewer than 2^32 hashes");
                hasher.write_head(number, key);
            }
        }
    }

    pub(super) fn meaning(&self) -> String {
        match &self.kind {
            SaltKind::Bucket { count, of: Some(HashInput::JavaHash) } => {
                format!("Java's String.hashCode modulo {count}")
            }
            SaltKind::Bucket { count, of: Some(HashInput::Number) } => {
                format!("the number modulo {count}")
            }
            SaltKind::Bucket { count, of: None } => format!("drawn from {count} buckets"),
            SaltKind::Digest { digest, end, digits } => {
                let end = match end {
                    DigestSide::First => "first",
                    DigestSide::Last => "last",
                };
                let digest = match digest {
                    Digest::Md5 => "MD5",
                    Digest::Sha1 => "SHA-1",
                };
                match digits {
                    1 => format!("{end} hexadecimal digit of {digest}"),
                    _ => format!("{end} {digits} hexadecimal digits of {digest}"),
                }
            }
            SaltKind::Hash(hasher) => {
                format!(
                    "prefix `{}` and {} hash",
                    Escaped(hasher.prefix().as_bytes()),
                    hasher.scheme()
                )
            }
        }
    }

    pub(super) fn head_len(&self) -> usize {
        self.width + self.separator.len()
    }

    pub(super) fn write_head(&self, number: u64, key: &mut Vec<u8>) {
        self.write(number, key);
        key.extend_from_slice(self.separator.as_bytes());
    }

    pub(super) fn nth(&self, number: u64) -> Bytes {
        let mut salt = Vec::with_capacity(self.width);
        self.write(number, &mut salt);
        salt.into()
    }

    /// Rejects a salt that is not the one of a part or, if salts are drawn, that cannot be drawn.
    ///
    /// Uses the end of a buffer and does not allocate, because scans check every key that they
    /// read.
    pub(super) fn check(
        &self,
        salt: &[u8],
        right: Result<u64, RecipeError>,
        buffer: &mut Vec<u8>,
    ) -> Result<(), String> {
        let right = if self.is_drawn() {
            let number = std::str::from_utf8(salt).ok().and_then(|salt| salt.parse::<u64>().ok());
            number.filter(|number| *number < self.count)
        } else {
            Some(right.map_err(|error| error.to_string())?)
        };
        let before = buffer.len();
        if let Some(right) = right {
            self.write(right, buffer);
        }
        let is_right = buffer.get(before..) == Some(salt);
        buffer.truncate(before);
        if is_right {
            return Ok(());
        }
        let shown = |number| Excerpt::new(&self.nth(number));
        let expected = match right {
            Some(right) if !self.is_drawn() => format!("that of its row is {}", shown(right)),
            _ => format!("salts are {} to {}", shown(0), shown(self.count - 1)),
        };
        Err(format!("its salt is {}, but {expected}", Excerpt::new(salt)))
    }

    /// Returns the points between this many tablets, and the weight of each tablet.
    ///
    /// Tablet `i` begins at salt `i * salts / tablets`, rounded down. A row hasher has its own
    /// formulas.
    pub(super) fn split(&self, tablets: u32) -> Result<(Vec<Bytes>, Vec<u64>), RecipeError> {
        if let Some(hasher) = self.hasher() {
            return Ok((hasher.splits(tablets)?, hasher.tablet_weights(tablets)?));
        }
        let count = self.count;
        if u64::from(tablets) > count {
            let (tablets, salts) = (counted(tablets, "tablet"), counted(count, "salt"));
            let most = Grouped(count);
            return Err(RecipeError::splits(format!(
                "{tablets} are more than {salts}: give at most {most}"
            )));
        }
        let start = |tablet: u32| {
            let start = u128::from(tablet) * u128::from(count) / u128::from(tablets);
            u64::try_from(start).expect("a tablet starts at or below the number of salts")
        };
        let points = (1..tablets).map(|tablet| self.nth(start(tablet)));
        let weights = (0..tablets).map(|tablet| start(tablet + 1) - start(tablet));
        Ok((points.collect(), weights.collect()))
    }
}

/// Appends a number in digits of one width.
///
/// Written without `format!`, which takes ten times as long, because it runs for every row that is
/// written.
fn write_digits<const RADIX: u64>(number: u64, width: usize, key: &mut Vec<u8>) {
    let start = key.len();
    key.resize(start + width, b'0');
    let mut rest = number;
    for place in key.iter_mut().skip(start).rev() {
        let digit = u8::try_from(rest % RADIX).expect("a radix is at most 16");
        *place = if digit < 10 { b'0' + digit } else { b'a' + (digit - 10) };
        rest /= RADIX;
    }
}

/// Describes the salt and its input, and the separator if it is not the usual one.
impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.meaning(), self.over_text)?;
        match self.separator.as_str() {
            separator if separator == self.usual_separator => Ok(()),
            "" => f.write_str(", without a separator"),
            separator => write!(f, ", then `{}`", Escaped(separator.as_bytes())),
        }
    }
}

/// The part of a row from which its salt is computed.
///
/// Rows with the same part have the same salt and are stored together: a scan within one part reads
/// one range of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum SaltedPart {
    /// The whole row.
    #[default]
    Whole,
    /// The text before the first occurrence of this separator, or the whole row if it does not
    /// occur.
    Before(String),
    /// This number of leading bytes, or the whole row if it is shorter.
    First(usize),
    /// This number of leading fields of a composite row.
    Fields(usize),
    /// The entity of a row with a time: a row of the design `reverse-time` without its time and
    /// separator.
    Entity,
}

/// Writes the salted part, or nothing for the whole row.
impl fmt::Display for SaltedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Before(text) => write!(f, " of the text before `{}`", Escaped(text.as_bytes())),
            Self::First(1) => f.write_str(" of the first byte"),
            Self::First(bytes) => write!(f, " of the first {}", counted(*bytes, "byte")),
            Self::Fields(1) => f.write_str(" of the first field"),
            Self::Fields(fields) => write!(f, " of the first {}", counted(*fields, "field")),
            Self::Entity => f.write_str(" of the entity"),
        }
    }
}

/// The digest that supplies the digits of a salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Digest {
    /// MD5 (RFC 1321): 32 hexadecimal digits. It serves to spread rows, not to protect them.
    #[default]
    Md5,
    /// SHA-1 (FIPS 180-4): 40 hexadecimal digits.
    Sha1,
}

/// The end of the digest's text that supplies the digits of a salt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DigestSide {
    /// The first digits.
    #[default]
    First,
    /// The last digits.
    Last,
}

impl DigestSide {
    fn number(self, digest: &[u8], digits: u8) -> u64 {
        let four = |bytes: Option<&[u8; 4]>| bytes.copied().map_or(0, u32::from_be_bytes).into();
        let (first, last): (u64, u64) = (four(digest.first_chunk()), four(digest.last_chunk()));
        match self {
            Self::First => first >> (32 - 4 * digits),
            Self::Last => last % (1 << (4 * digits)),
        }
    }
}
