//! The handle of a key design: a salt and an encoding.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::designs::{DesignSettings, HashedRows};
use super::encoding::{DesignParts, KeyField};
use super::salt::Salt;
use super::scan_cost::KeyOrder;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

/// A mapping from the rows of a table to keys and back, with the split points and scans that it
/// allows.
///
/// A design is only configuration: cloning it costs one reference count, and any number of threads
/// may share one. Two designs are equal if their settings are equal; the source of random salts
/// does not count.
///
/// # Examples
///
/// ```
/// use fluo_keys::{DigestSalt, KeyDesign};
///
/// let design = KeyDesign::new(DigestSalt { digits: 1, separator: "-".to_owned(), ..DigestSalt::default() })?;
/// let key = design.encode_row(b"abc001")?;
/// assert_eq!(key, "9-abc001");
/// assert_eq!(design.decode_key(&key)?, "abc001");
/// assert_eq!(design.splits(4)?, ["4", "8", "c"]);
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone)]
pub struct KeyDesign {
    pub(super) parts: Arc<DesignParts>,
    settings: Arc<DesignSettings>,
    source: Option<Arc<SaltSource>>,
}

type SaltSource = dyn Fn() -> u64 + Send + Sync;

impl fmt::Debug for KeyDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyDesign").field(&self.settings).finish()
    }
}

impl PartialEq for KeyDesign {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Eq for KeyDesign {}

impl KeyDesign {
    /// Creates the design that the settings describe.
    ///
    /// # Errors
    ///
    /// Fails if the settings are invalid, or if the design could not serve its purpose; the error
    /// gives the reason.
    pub fn new(settings: impl Into<DesignSettings>) -> Result<Self, RecipeError> {
        let settings = settings.into();
        Ok(Self { parts: Arc::new(settings.parts()?), settings: Arc::new(settings), source: None })
    }

    /// Returns the settings of the design, to be stored or shown. [`new`](Self::new) creates an
    /// equal design from them. They do not include a source of random salts.
    pub fn settings(&self) -> &DesignSettings {
        &self.settings
    }

    /// Returns the same design with a source of random salts: a function that returns numbers
    /// distributed evenly over all of `u64`. Designs whose salts are computed never call it.
    ///
    /// A program passes its random number generator, and a test fixed numbers.
    pub fn with_salt_source(self, draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(draw)), ..self }
    }

    /// Returns the name of the design, such as `modulo`.
    pub fn name(&self) -> &'static str {
        self.parts.name
    }

    /// Returns the order in which a scan yields rows.
    pub fn order(&self) -> KeyOrder {
        self.parts.encoding.order()
    }

    /// Returns a key under which to write a row.
    ///
    /// To find a row that was written, use [`key_of`](Self::key_of). It returns the same key if
    /// salts are computed, and fails if they are drawn.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design, or if salts are drawn and there is no
    /// [source](Self::with_salt_source).
    pub fn encode_row(&self, row: &[u8]) -> Result<Bytes, RecipeError> {
        let mut key = Vec::with_capacity(self.head_len() + row.len());
        self.encode_row_to(row, &mut key)?;
        Ok(key.into())
    }

    /// Appends a key under which to write a row. Leaves the buffer unchanged if it fails.
    ///
    /// # Errors
    ///
    /// As [`encode_row`](Self::encode_row).
    pub fn encode_row_to(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        let before = key.len();
        self.append(row, key).inspect_err(|_| key.truncate(before))
    }

    fn append(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        if let Some(salted) = &self.parts.salt {
            let number = match &self.source {
                Some(draw) if salted.is_drawn() => draw() % salted.count,
                _ => salted.number(&self.parts.encoding.part_of(row, &salted.over)?)?,
            };
            salted.write_head(number, key);
        }
        self.parts.encoding.write(row, key)
    }

    /// Returns the only key under which a row is stored: for a get, a deletion, or a write that
    /// must not store the row twice.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design, or if salts are drawn, because a row may then
    /// have any of several keys.
    pub fn key_of(&self, row: &[u8]) -> Result<Bytes, RecipeError> {
        if self.draws_salts() {
            return Err(RecipeError::scan(format!(
                "the salt of {} was drawn, so its key cannot be computed: scan for the row",
                Excerpt::new(row)
            )));
        }
        self.encode_row(row)
    }

    /// Returns the row of a key.
    ///
    /// # Errors
    ///
    /// Fails if this design cannot have made the key (K2).
    pub fn decode_key(&self, key: &[u8]) -> Result<Bytes, RecipeError> {
        let mut row = Vec::with_capacity(key.len());
        self.decode_key_to(key, &mut row)?;
        Ok(row.into())
    }

    /// Appends the row of a key. Leaves the buffer unchanged if it fails.
    ///
    /// # Errors
    ///
    /// As [`decode_key`](Self::decode_key).
    pub fn decode_key_to(&self, key: &[u8], row: &mut Vec<u8>) -> Result<(), RecipeError> {
        let before = row.len();
        self.extract(key, row, before).inspect_err(|_| row.truncate(before))
    }

    fn extract(&self, key: &[u8], row: &mut Vec<u8>, before: usize) -> Result<(), RecipeError> {
        self.parts.encoding.read(self.unsalted(key)?, row)?;
        // A row hasher has checked the salt already.
        let Some(salted) = self.parts.salt.as_ref().filter(|one| one.hasher().is_none()) else {
            return Ok(());
        };
        let part = self.parts.encoding.part_of(row.get(before..).unwrap_or_default(), &salted.over);
        let number = salted.number(&part?);
        let salt = key.get(..salted.width).unwrap_or_default();
        salted.check(salt, number, row).map_err(|reason| self.not_a_key(key, &reason))
    }

    /// Returns the row after the salt of a key, whether or not the salt matches the row.
    ///
    /// [`decode_key`](Self::decode_key) also checks the salt; use it to read a table.
    ///
    /// # Errors
    ///
    /// Fails if the key is too short for a salt, or if the rest is not a row of this design.
    pub fn row_behind_salt(&self, key: &[u8]) -> Result<Bytes, RecipeError> {
        let written = self.unsalted(key)?;
        let mut row = Vec::with_capacity(written.len());
        self.parts.encoding.read(written, &mut row)?;
        Ok(row.into())
    }

    /// Returns the part of a key after the salt and its separator. Scans are ordered by this part.
    ///
    /// # Errors
    ///
    /// Fails if the key is too short for a salt, or has another separator after it.
    pub fn unsalted<'a>(&self, key: &'a [u8]) -> Result<&'a [u8], RecipeError> {
        let Some(salted) = &self.parts.salt else {
            return Ok(key);
        };
        if let Some(hasher) = salted.hasher() {
            return hasher.remove(key);
        }
        let (width, separator) = (salted.width, salted.separator.as_bytes());
        let salt = || counted(width, "byte");
        let Some((_, rest)) = key.split_at_checked(width) else {
            return Err(self.not_a_key(key, &format!("a salt of {} comes first", salt())));
        };
        rest.strip_prefix(separator).ok_or_else(|| {
            let reason = format!("`{}` follows the {} of salt", Escaped(separator), salt());
            self.not_a_key(key, &reason)
        })
    }

    /// Explains a key piece by piece.
    ///
    /// # Errors
    ///
    /// As [`decode_key`](Self::decode_key).
    pub fn explain(&self, key: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        self.decode_key(key)?;
        let mut fields = Vec::new();
        if let Some(salted) = &self.parts.salt {
            let salt = key.get(..salted.width).unwrap_or_default();
            fields.push(KeyField::new("salt", salt.to_vec(), salted.meaning()));
            if !salted.separator.is_empty() {
                let separator = salted.separator.clone();
                fields.push(KeyField::new("separator", separator, "always the same"));
            }
        }
        fields.extend(self.parts.encoding.explain(self.unsalted(key)?)?);
        Ok(fields)
    }

    /// Checks whether salts are drawn, so that the key of a row cannot be computed again.
    pub fn draws_salts(&self) -> bool {
        self.parts.salt.as_ref().is_some_and(Salt::is_drawn)
    }

    /// Returns the part of a row from which its salt is computed, or `None` if the design has no
    /// salt or draws it.
    ///
    /// Rows with the same part have the same salt and are stored together.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design.
    pub fn salted_part<'a>(&self, row: &'a [u8]) -> Result<Option<Cow<'a, [u8]>>, RecipeError> {
        let salted = self.computed_salt();
        salted.map(|salted| self.parts.encoding.part_of(row, &salted.over)).transpose()
    }

    pub(crate) fn has_encoding_of(&self, other: &Self) -> bool {
        let (one, other) = (&self.parts.encoding, &other.parts.encoding);
        one.order() == other.order() && one.detail() == other.detail()
    }

    pub(super) fn computed_salt(&self) -> Option<&Salt> {
        let salted = self.parts.salt.as_ref();
        salted.filter(|salted| !salted.is_drawn())
    }

    pub(crate) fn head_len(&self) -> usize {
        self.parts.salt.as_ref().map_or(0, Salt::head_len)
    }

    fn not_a_key(&self, key: &[u8], reason: &str) -> RecipeError {
        RecipeError::key(format!(
            "{} is not a key of this {} design: {reason}",
            self.parts.encoding.excerpt(key),
            self.name()
        ))
    }
}

/// Writes the name of the design, and the settings on which its keys depend.
impl fmt::Display for KeyDesign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let parts = &self.parts;
        let salt = parts.salt.as_ref().map(ToString::to_string);
        let point = parts.leading_point.then(|| "a leading point".to_owned());
        let details: Vec<_> =
            [salt, parts.encoding.detail(), point].into_iter().flatten().collect();
        if details.is_empty() { Ok(()) } else { write!(f, " ({})", details.join("; ")) }
    }
}

impl From<&RowHasher> for KeyDesign {
    fn from(hasher: &RowHasher) -> Self {
        let settings = HashedRows { prefix: hasher.prefix().to_owned(), scheme: hasher.scheme() };
        Self::new(settings).expect("the prefix of a hasher is not empty")
    }
}
