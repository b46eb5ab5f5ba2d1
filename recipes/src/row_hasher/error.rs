//! Errors of a row hasher.

use thiserror::Error;

use super::digits::HASH_LEN;
use super::preview::Excerpt;
use super::scheme::HashScheme;

/// The prefix of a [`RowHasher`](super::RowHasher) has no characters.
///
/// Rows without a prefix could not be distinguished from those of another recipe in the same table.
///
/// # Examples
///
/// ```
/// use fluo_recipes::RowHasher;
///
/// let error = RowHasher::new("").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the prefix of a row hasher is empty: give at least one character, such as `p`"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the prefix of a row hasher is empty: give at least one character, such as `p`")]
pub struct EmptyPrefix;

/// A name that belongs to no [`HashScheme`].
///
/// # Examples
///
/// ```
/// use fluo_recipes::HashScheme;
///
/// let error = "md5".parse::<HashScheme>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "there is no hash scheme `md5`: give murmur3-base36 or sha1-base32"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no hash scheme {name}: give {}", scheme_names())]
pub struct UnknownScheme {
    name: Excerpt,
}

impl UnknownScheme {
    pub(super) fn new(name: &str) -> Self {
        let name = Excerpt::new(name.as_bytes());
        Self { name }
    }
}

/// A number of tablets for which there are no splits.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{RowHasher, SplitsError};
///
/// let error = RowHasher::new("p")?.splits(0).unwrap_err();
/// assert_eq!(error, SplitsError::NoTablets);
/// assert_eq!(error.to_string(), "a table has at least 1 tablet, not 0");
/// # Ok::<(), fluo_recipes::EmptyPrefix>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SplitsError {
    /// Zero tablets.
    #[error("a table has at least 1 tablet, not 0")]
    NoTablets,
    /// More tablets than there are hashes to split between.
    #[error(
        "{tablets} tablets are more than the {} hashes of scheme {scheme}: give at most {}",
        scheme.space(), scheme.space()
    )]
    TooMany {
        /// The number asked for.
        tablets: u32,
        /// The scheme, whose [`space`](HashScheme::space) is the limit.
        scheme: HashScheme,
    },
}

/// A key that a [`RowHasher`](super::RowHasher) cannot have made.
///
/// Offsets count bytes of the key from 0.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{HashScheme, RowHasher};
///
/// let hasher = RowHasher::builder("p").scheme(HashScheme::Sha1Base32).build()?;
/// let error = hasher.remove(b"p:1yl0:org.wikipedia/accumulo").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "key `p:1yl0:org.wikipedia/accumulo` is of another hash scheme: \
///      hash `1yl0` is that of scheme murmur3-base36, but this hasher is sha1-base32"
/// );
/// # Ok::<(), fluo_recipes::EmptyPrefix>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Fewer bytes than a key of the empty row has.
    #[error(
        "key {key} has {} bytes, but the keys of this hasher have at least {least}: \
         {head}, 4 characters of hash, and `:`", key.total_len()
    )]
    TooShort {
        /// The key.
        key: Excerpt,
        /// Bytes in the shortest key, that of the empty row.
        least: usize,
        /// The prefix and its colon.
        head: Excerpt,
    },
    /// The key does not begin with the prefix and its colon.
    #[error("key {key} does not begin with {head}, as the keys of this hasher do")]
    WrongPrefix {
        /// The key.
        key: Excerpt,
        /// The prefix and its colon.
        head: Excerpt,
    },
    /// A character of the hash that the scheme does not use.
    #[error(
        "key {key} has {} at offset {offset}, but a hash of scheme {scheme} \
         has only the characters {} there",
        Excerpt::new(&[*.found]), scheme.alphabet()
    )]
    WrongDigit {
        /// The key.
        key: Excerpt,
        /// The offset of the character.
        offset: usize,
        /// The character.
        found: u8,
        /// The hasher's scheme.
        scheme: HashScheme,
    },
    /// No colon after the hash.
    #[error(
        "key {key} has {} at offset {offset}, but `:` follows the 4 characters of hash there",
        Excerpt::new(&[*.found])
    )]
    WrongSeparator {
        /// The key.
        key: Excerpt,
        /// The offset at which the colon is expected.
        offset: usize,
        /// The byte at that offset.
        found: u8,
    },
    /// The hash matches the row, but in another scheme than the hasher's.
    #[error(
        "key {key} is of another hash scheme: hash {} is that of scheme {theirs}, \
         but this hasher is {ours}", Excerpt::new(.hash)
    )]
    OtherScheme {
        /// The key.
        key: Excerpt,
        /// The key's hash.
        hash: [u8; HASH_LEN],
        /// The scheme that gives this hash.
        theirs: HashScheme,
        /// The hasher's scheme.
        ours: HashScheme,
    },
    /// The hash is not that of the row.
    #[error(
        "key {key} has hash {}, but scheme {scheme} gives {} for its row {row}",
        Excerpt::new(.found), Excerpt::new(.right)
    )]
    WrongHash {
        /// The key.
        key: Excerpt,
        /// The key's row.
        row: Excerpt,
        /// The key's hash.
        found: [u8; HASH_LEN],
        /// The row's hash.
        right: [u8; HASH_LEN],
        /// The hasher's scheme.
        scheme: HashScheme,
    },
}

fn scheme_names() -> String {
    let names: Vec<_> = HashScheme::ALL.iter().map(|scheme| scheme.name()).collect();
    names.join(" or ")
}
