//! The handle of a key design: a salt and an encoding.

use std::sync::Arc;

use fluo_table::{Bytes, Escaped, Excerpt, counted};

use super::designs::{DesignSettings, HashedRows};
use super::explain::KeyField;
use super::parts::DesignParts;
use super::salt::{SaltSource, SaltSpec};
use super::scan_cost::KeyOrder;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

/// A mapping from the rows of a table to keys and back, with the split points and scans that it
/// allows.
///
/// A design is only configuration: cloning it costs one reference count, and any number of threads
/// may share one.
///
/// Two designs are equal if their settings are equal; the source of random salts does not count.
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
#[derive(Clone, Debug)]
pub struct KeyDesign {
    pub(super) parts: Arc<DesignParts>,
    settings: Arc<DesignSettings>,
    source: Option<SaltSource>,
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
        let parts = Arc::new(settings.parts()?);
        let settings = Arc::new(settings);
        Ok(Self {
            parts,
            settings,
            source: None,
        })
    }

    /// Returns the settings of the design, to be stored or shown. [`new`](Self::new) creates an
    /// equal design from them. They do not include a source of random salts.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_keys::{DesignSettings, KeyDesign, Modulo};
    ///
    /// let design = KeyDesign::new(Modulo { buckets: 64, ..Modulo::default() })?;
    /// let DesignSettings::Modulo(settings) = design.settings() else { unreachable!() };
    /// assert_eq!(settings.buckets, 64);
    /// assert_eq!(KeyDesign::new(design.settings().clone())?, design);
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[must_use]
    pub fn settings(&self) -> &DesignSettings {
        &self.settings
    }

    /// Returns the same design with a source of random salts: a function that returns numbers
    /// distributed evenly over all of `u64`. Designs whose salts are computed never call it.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use fluo_keys::{KeyDesign, RandomSalt};
    ///
    /// // A program passes a random number generator here; a test passes fixed numbers.
    /// let next = AtomicU64::new(6);
    /// let design = KeyDesign::new(RandomSalt::new(10))?;
    /// let design = design.with_salt_source(move || next.fetch_add(1, Ordering::Relaxed));
    /// assert_eq!(design.encode_row(b"row")?, "06|row");
    /// assert_eq!(design.encode_row(b"row")?, "07|row");
    /// # Ok::<(), fluo_keys::RecipeError>(())
    /// ```
    #[must_use]
    pub fn with_salt_source(self, draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let source = Some(SaltSource::new(draw));
        Self { source, ..self }
    }

    /// Returns the name of the design, such as `modulo`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.parts.name
    }

    /// Returns the order in which a scan yields rows.
    #[must_use]
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
        let added = self.append(row, key);
        if added.is_err() {
            key.truncate(before);
        }
        added
    }

    /// Returns the only key under which a row is stored: for a get, a deletion, or a write that
    /// must not store the row twice.
    ///
    /// # Errors
    ///
    /// Fails if the row has no key in this design, or if salts are drawn, because a row may then
    /// have any of several keys.
    pub fn key_of(&self, row: &[u8]) -> Result<Bytes, RecipeError> {
        let salted = self.parts.salt.as_ref();
        if let Some(drawn) = salted.filter(|salted| !salted.salt.is_computed()) {
            return Err(RecipeError::scan(format!(
                "the key of {} cannot be computed, because its salt was drawn from {} buckets: scan for the row, which \
                 reads every bucket, or use the design modulo or digest-salt, whose keys can be computed",
                Excerpt::new(row),
                drawn.salt.count()
            )));
        }
        self.encode_row(row)
    }

    fn append(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), RecipeError> {
        if let Some(salted) = &self.parts.salt {
            let part = self.parts.encoding.part_of(row, &salted.part)?;
            salted.salt.write(&part, self.source.as_ref(), key)?;
            key.extend_from_slice(salted.separator.as_bytes());
        }
        self.parts.encoding.write(row, key)
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
        let removed = self.extract(key, row, before);
        if removed.is_err() {
            row.truncate(before);
        }
        removed
    }

    fn extract(&self, key: &[u8], row: &mut Vec<u8>, before: usize) -> Result<(), RecipeError> {
        let written = self.unsalted(key)?;
        self.parts.encoding.read(written, row)?;
        let (Some(salted), Some(salt)) = (&self.parts.salt, self.salt_of(key)) else {
            return Ok(());
        };
        let part = self
            .parts
            .encoding
            .part_of(row.get(before..).unwrap_or_default(), &salted.part)?;
        salted
            .salt
            .check(salt, &part)
            .map_err(|reason| self.not_a_key(key, &reason))
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
        if let Some(hasher) = salted.salt.row_hasher() {
            return hasher.remove(key);
        }
        let width = salted.salt.width();
        let Some((_, rest)) = key.split_at_checked(width) else {
            return Err(self.not_a_key(
                key,
                &format!("a salt of {} comes first", counted(width, "byte")),
            ));
        };
        rest.strip_prefix(salted.separator.as_bytes())
            .ok_or_else(|| {
                let separator = Escaped(salted.separator.as_bytes());
                self.not_a_key(
                    key,
                    &format!(
                        "`{separator}` follows the {} of salt",
                        counted(width, "byte")
                    ),
                )
            })
    }

    /// Explains a key piece by piece.
    ///
    /// # Errors
    ///
    /// As [`decode_key`](Self::decode_key).
    pub fn explain(&self, key: &[u8]) -> Result<Vec<KeyField>, RecipeError> {
        self.decode_key(key)?;
        let written = self.unsalted(key)?;
        let mut fields = Vec::new();
        if let (Some(salted), Some(salt)) = (&self.parts.salt, self.salt_of(key)) {
            let meaning = salted.salt.meaning();
            fields.push(KeyField::new("salt", salt.to_vec(), meaning));
            if !salted.separator.is_empty() {
                let separator = salted.separator.clone().into_bytes();
                fields.push(KeyField::new("separator", separator, "always the same"));
            }
        }
        fields.extend(self.parts.encoding.explain(written)?);
        Ok(fields)
    }

    fn salt_of<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.get(..self.parts.salt.as_ref()?.salt.width())
    }

    /// Returns the number of bytes before the encoded row.
    pub(super) fn head_len(&self) -> usize {
        self.parts.salt.as_ref().map_or(0, SaltSpec::head_len)
    }

    fn not_a_key(&self, key: &[u8], reason: &str) -> RecipeError {
        let name = self.name();
        RecipeError::key(format!(
            "{} is not a key of this {name} design: {reason}",
            self.parts.encoding.excerpt(key)
        ))
    }
}

impl From<&RowHasher> for KeyDesign {
    fn from(hasher: &RowHasher) -> Self {
        let settings = HashedRows {
            prefix: hasher.prefix().to_owned(),
            scheme: hasher.scheme(),
        };
        Self {
            parts: Arc::new(DesignParts::for_row_hasher(hasher.clone())),
            settings: Arc::new(settings.into()),
            source: None,
        }
    }
}
