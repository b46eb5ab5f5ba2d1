//! The handle: a salt and a form.

use std::sync::Arc;

use fluo_core::{Bytes, Escaped};

use super::designs::{DesignSettings, Halves, HashedRows};
use super::error::DesignError;
use super::explain::KeyField;
use super::reach::KeyOrder;
use super::salt::{Salt, SaltSource};
use crate::number::counted;
use crate::row_hasher::{Excerpt, RowHasher};

/// How the rows of a table become keys, and what that leaves possible.
///
/// A design is configuration and nothing else: a clone costs one reference count, and any number of threads may use
/// one at the same time.
///
/// # Examples
///
/// ```
/// use fluo_recipes::{DigestSalt, KeyDesign};
///
/// let design = KeyDesign::new(DigestSalt { digits: 1, separator: "-".to_owned(), ..DigestSalt::default() })?;
/// let key = design.add(b"abc001")?;
/// assert_eq!(key, "9-abc001");
/// assert_eq!(design.remove(&key)?, "abc001");
/// assert_eq!(design.splits(4)?, ["4", "8", "c"]);
/// # Ok::<(), fluo_recipes::DesignError>(())
/// ```
///
/// Two designs are equal if their settings are, wherever random salts are drawn from.
#[derive(Clone, Debug)]
pub struct KeyDesign {
    pub(super) halves: Arc<Halves>,
    settings: Arc<DesignSettings>,
    source: Option<SaltSource>,
}

impl PartialEq for KeyDesign {
    fn eq(&self, other: &Self) -> bool {
        self.halves == other.halves && self.settings == other.settings
    }
}

impl Eq for KeyDesign {}

impl KeyDesign {
    /// The design that the settings describe.
    ///
    /// # Errors
    /// Settings that make no design, or one that could not do what it is for, with the reason.
    pub fn new(settings: impl Into<DesignSettings>) -> Result<Self, DesignError> {
        let settings = settings.into();
        let halves = Arc::new(settings.halves()?);
        let settings = Arc::new(settings);
        Ok(Self {
            halves,
            settings,
            source: None,
        })
    }

    /// The settings that the design was made of, to be stored or shown; [`new`](Self::new) makes an equal design of
    /// them. They hold no source of random salts.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::{DesignSettings, KeyDesign, Modulo};
    ///
    /// let design = KeyDesign::new(Modulo { buckets: 64, ..Modulo::default() })?;
    /// let DesignSettings::Modulo(settings) = design.settings() else { unreachable!() };
    /// assert_eq!(settings.buckets, 64);
    /// assert_eq!(KeyDesign::new(design.settings().clone())?, design);
    /// # Ok::<(), fluo_recipes::DesignError>(())
    /// ```
    #[must_use]
    pub fn settings(&self) -> &DesignSettings {
        &self.settings
    }

    /// The same design, with random salts drawn from this source: numbers that are spread evenly over all of `u64`.
    /// Designs whose salts are computed draw none.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use fluo_recipes::{KeyDesign, RandomSalt};
    ///
    /// // A program gives a generator of random numbers here, and a test what it wants to be drawn.
    /// let next = AtomicU64::new(6);
    /// let design = KeyDesign::new(RandomSalt::new(10))?;
    /// let design = design.with_salt_source(move || next.fetch_add(1, Ordering::Relaxed));
    /// assert_eq!(design.add(b"row")?, "06|row");
    /// assert_eq!(design.add(b"row")?, "07|row");
    /// # Ok::<(), fluo_recipes::DesignError>(())
    /// ```
    #[must_use]
    pub fn with_salt_source(self, draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let source = Some(SaltSource::new(draw));
        Self { source, ..self }
    }

    /// The name of the design, such as `modulo`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.halves.name
    }

    /// The order in which a scan yields rows.
    #[must_use]
    pub fn order(&self) -> KeyOrder {
        self.halves.form.order()
    }

    /// A key under which a row can be written. To find a row that was written take [`key_of`](Self::key_of), which
    /// is the same where salts are computed, and refused where they are drawn.
    ///
    /// # Errors
    /// A row that has no key in this design, and a random salt without a [source](Self::with_salt_source).
    pub fn add(&self, row: &[u8]) -> Result<Bytes, DesignError> {
        let mut key = Vec::with_capacity(self.head_len() + row.len());
        self.add_to(row, &mut key)?;
        Ok(key.into())
    }

    /// Appends a key under which a row can be written. After an error what was appended is taken away again.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_to(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
        let before = key.len();
        let added = self.append(row, key);
        if added.is_err() {
            key.truncate(before);
        }
        added
    }

    /// The one key under which a row is stored: for a get, a deletion, or a write that must not make a second one.
    ///
    /// # Errors
    /// A row that has no key in this design, and a design with random salts, where a row can have any of several.
    pub fn key_of(&self, row: &[u8]) -> Result<Bytes, DesignError> {
        let salted = self.halves.salt.as_ref();
        if let Some(drawn) = salted.filter(|salted| !salted.salt.is_computed()) {
            return Err(DesignError::scan(format!(
                "the key of {} is not known: its salt was drawn from {} and cannot be computed again; scan for the \
                 row, which looks into each, or use the design modulo or digest-salt, which know the key",
                Excerpt::new(row),
                drawn.salt.count()
            )));
        }
        self.add(row)
    }

    fn append(&self, row: &[u8], key: &mut Vec<u8>) -> Result<(), DesignError> {
        if let Some(salted) = &self.halves.salt {
            let part = self.halves.form.part_of(row, salted)?;
            salted.salt.write(&part, self.source.as_ref(), key)?;
            key.extend_from_slice(salted.separator.as_bytes());
        }
        self.halves.form.write(row, key)
    }

    /// The row of a key.
    ///
    /// # Errors
    /// A key that this design cannot have made (K2).
    pub fn remove(&self, key: &[u8]) -> Result<Bytes, DesignError> {
        let mut row = Vec::with_capacity(key.len());
        self.remove_to(key, &mut row)?;
        Ok(row.into())
    }

    /// Appends the row of a key. After an error what was appended is taken away again.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn remove_to(&self, key: &[u8], row: &mut Vec<u8>) -> Result<(), DesignError> {
        let before = row.len();
        let removed = self.extract(key, row, before);
        if removed.is_err() {
            row.truncate(before);
        }
        removed
    }

    fn extract(&self, key: &[u8], row: &mut Vec<u8>, before: usize) -> Result<(), DesignError> {
        let written = self.unsalted(key)?;
        self.halves.form.read(written, row)?;
        let (Some(salted), Some(salt)) = (&self.halves.salt, self.salt_of(key)) else {
            return Ok(());
        };
        let part = self
            .halves
            .form
            .part_of(row.get(before..).unwrap_or_default(), salted)?;
        salted
            .salt
            .check(salt, &part)
            .map_err(|reason| self.not_a_key(key, &reason))
    }

    /// What follows the salt of a key and its separator: what scans are ordered by.
    ///
    /// # Errors
    /// A key that is too short for a salt, or whose separator is another.
    pub fn unsalted<'a>(&self, key: &'a [u8]) -> Result<&'a [u8], DesignError> {
        let Some(salted) = &self.halves.salt else {
            return Ok(key);
        };
        if let Salt::RowHash(hasher) = &salted.salt {
            return hasher
                .remove(key)
                .map_err(|error| DesignError::key(error.to_string()));
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

    /// What a key means, piece by piece.
    ///
    /// # Errors
    /// As [`remove`](Self::remove).
    pub fn explain(&self, key: &[u8]) -> Result<Vec<KeyField>, DesignError> {
        self.remove(key)?;
        let written = self.unsalted(key)?;
        let mut fields = Vec::new();
        if let (Some(salted), Some(salt)) = (&self.halves.salt, self.salt_of(key)) {
            let meaning = salted.salt.meaning();
            fields.push(KeyField::new("salt", salt.to_vec(), meaning));
            if !salted.separator.is_empty() {
                let separator = salted.separator.clone().into_bytes();
                fields.push(KeyField::new("separator", separator, "always the same"));
            }
        }
        fields.extend(
            self.halves
                .form
                .explain(written, self.halves.salt.as_ref())?,
        );
        Ok(fields)
    }

    fn salt_of<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.get(..self.halves.salt.as_ref()?.salt.width())
    }

    /// The bytes before the form.
    pub(super) fn head_len(&self) -> usize {
        let of_salt =
            |salted: &super::designs::SaltOf| salted.salt.width() + salted.separator.len();
        self.halves.salt.as_ref().map_or(0, of_salt)
    }

    fn not_a_key(&self, key: &[u8], reason: &str) -> DesignError {
        let name = self.name();
        DesignError::key(format!(
            "{} is not a key of this {name} design: {reason}",
            self.halves.form.shown(key)
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
            halves: Arc::new(Halves::of_hasher(hasher)),
            settings: Arc::new(settings.into()),
            source: None,
        }
    }
}
