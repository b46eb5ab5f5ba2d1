//! The handle: the designs of a table, oldest first.

use std::fmt;
use std::sync::Arc;

use fluo_table::{Bytes, Column, Mutation, Span, Versions};

use crate::error::{RecipeError, RecipeErrorKind};
use crate::key_design::{KeyDesign, RowSelection, ScanCost};
use crate::salted_scan::{Mark, Owner, OwnerOf, PieceRows};

/// The designs of the rows of one table, oldest first.
///
/// A clone costs one reference count.
///
/// # Examples
///
/// ```
/// use fluo_table::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
/// use fluo_keys::{KeyMigration, KeyDesign, MigrationOptions, Modulo};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = MemoryTables::new();
/// tables.create_table("events", Versions::default()).await?;
/// let table = tables.open_table("events", Authorizations::none()).await?;
/// let of = |buckets| KeyDesign::new(Modulo { buckets, ..Modulo::default() });
/// let (old, column) = (of(16)?, Column::new("f", "q"));
/// table.write(vec![Mutation::new(old.encode_row(b"polygenelubricant")?).put(column.clone(), "v")]).await?;
///
/// // New rows use more buckets.
/// let epochs = KeyMigration::new([old, of(64)?], Versions::default())?;
/// assert_eq!(epochs.get(&*table, b"polygenelubricant", &column).await?.as_deref(), Some(&b"v"[..]));
///
/// let mut cursor = None;
/// loop {
///     let step = epochs.migrate_step(&*table, cursor.as_ref(), &MigrationOptions::new()).await?;
///     let Some(next) = step.cursor else { break };
///     cursor = Some(next);
/// }
/// assert_eq!(epochs.count(&*table).await?.left(), 0);
/// assert_eq!(epochs.get(&*table, b"polygenelubricant", &column).await?.as_deref(), Some(&b"v"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct KeyMigration {
    list: Arc<[Epoch]>,
    versions: Versions,
}

/// One design, with the beginnings of its keys.
pub(super) struct Epoch {
    pub(super) design: KeyDesign,
    /// Every salt with its separator, sorted.
    heads: Vec<Bytes>,
}

impl KeyMigration {
    /// Creates the list of designs of a table, oldest first. `versions` is the number of versions
    /// of a column that the table shows.
    ///
    /// # Errors
    ///
    /// Fails if there are no designs, if a design is listed twice, if two designs write rows
    /// differently or have keys that can be confused, or if a design has rows whose key cannot be
    /// computed.
    pub fn new(
        designs: impl IntoIterator<Item = KeyDesign>,
        versions: Versions,
    ) -> Result<Self, RecipeError> {
        let list: Result<Vec<_>, _> = designs.into_iter().map(Epoch::new).collect();
        let list = list?;
        if list.is_empty() {
            return Err(RecipeError::settings(
                "a table has at least one design, and the list of its epochs is empty",
            ));
        }
        for (index, newer) in list.iter().enumerate() {
            for older in list.iter().take(index) {
                older.check_beside(newer)?;
            }
        }
        let list = list.into();
        Ok(Self { list, versions })
    }

    /// Returns the designs, oldest first.
    pub fn designs(&self) -> impl ExactSizeIterator<Item = &KeyDesign> {
        self.list.iter().map(|epoch| &epoch.design)
    }

    /// Returns the key under which a row is written: that of the newest design.
    ///
    /// # Errors
    ///
    /// Fails if the newest design has no key for the row.
    pub fn key(&self, row: &[u8]) -> Result<Bytes, RecipeError> {
        match self.list.last() {
            Some(newest) => newest.design.encode_row(row),
            None => Err(RecipeError::settings("there are no designs")),
        }
    }

    /// Returns the keys under which a row can be stored, oldest first, each once. Read them in this
    /// order.
    ///
    /// A design that has no key for the row cannot have stored it and contributes no key: for
    /// example, a design that takes the modulus of a number has no key for text.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs has a key for the row.
    pub fn keys(&self, row: &[u8]) -> Result<Vec<Bytes>, RecipeError> {
        let mut keys: Vec<Bytes> = Vec::with_capacity(self.list.len());
        for key in self
            .of_each(|design| design.encode_row(row))?
            .into_iter()
            .flatten()
        {
            // A key belongs to the newest epoch that makes it.
            keys.retain(|older| *older != key);
            keys.push(key);
        }
        Ok(keys)
    }

    /// Returns the row of a stored key, decoded by the newest design that can have made it.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs can have made the key.
    pub fn decode_key(&self, key: &[u8]) -> Result<Bytes, RecipeError> {
        let mut row = Vec::with_capacity(key.len());
        self.decode_key_to(key, &mut row)?;
        Ok(row.into())
    }

    /// Appends the row of a stored key, and returns the index of the design to which the key
    /// belongs; the oldest is 0.
    ///
    /// That is the newest design that can have made the key (E4). Appends nothing if it fails.
    ///
    /// # Errors
    ///
    /// Fails with the error of the newest design if none of the designs can have made the key.
    pub fn decode_key_to(&self, key: &[u8], row: &mut Vec<u8>) -> Result<usize, RecipeError> {
        let mut refused = None;
        for (index, epoch) in self.list.iter().enumerate().rev() {
            match epoch.design.decode_key_to(key, row) {
                Ok(()) => return Ok(index),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| RecipeError::key("there are no designs")))
    }

    /// Returns the pieces of the table that can contain these rows, for each design, oldest first.
    /// A design that has no key for any of the rows has no pieces.
    ///
    /// # Errors
    ///
    /// Fails like [`KeyDesign::spans`]; also if none of the designs has a key for the rows.
    pub fn spans(&self, rows: &RowSelection) -> Result<Vec<Vec<Span>>, RecipeError> {
        let spans = self.of_each(|design| design.spans(rows))?.into_iter();
        Ok(spans.map(Option::unwrap_or_default).collect())
    }

    /// Returns the result of each design, oldest first, or `None` for a design that has no key for
    /// the rows.
    ///
    /// # Errors
    ///
    /// Fails with any other error, and with the newest design's error if no design has a key for
    /// the rows.
    fn of_each<T>(
        &self,
        of: impl Fn(&KeyDesign) -> Result<T, RecipeError>,
    ) -> Result<Vec<Option<T>>, RecipeError> {
        let mut each = Vec::with_capacity(self.list.len());
        let mut without = None;
        for design in self.designs() {
            each.push(match of(design) {
                Ok(answer) => Some(answer),
                Err(error) if error.kind() == RecipeErrorKind::Row => {
                    without = Some(error);
                    None
                }
                Err(error) => return Err(error),
            });
        }
        match without {
            Some(error) if each.iter().all(Option::is_none) => Err(error),
            _ => Ok(each),
        }
    }

    /// Returns the mutations that delete columns of a row under each of its keys, oldest first.
    /// Write them in this order in one call.
    ///
    /// Without a timestamp, each deletion takes the time of the table.
    ///
    /// # Errors
    ///
    /// As [`keys`](Self::keys).
    pub fn delete_mutations(
        &self,
        row: &[u8],
        columns: &[Column],
        timestamp: Option<i64>,
    ) -> Result<Vec<Mutation>, RecipeError> {
        let delete = |mutation: Mutation, column: &Column| match timestamp {
            Some(timestamp) => mutation.delete_at(column.clone(), timestamp),
            None => mutation.delete(column.clone()),
        };
        let keys = self.keys(row)?.into_iter();
        Ok(keys
            .map(|key| columns.iter().fold(Mutation::new(key), delete))
            .collect())
    }

    pub(super) fn list(&self) -> &[Epoch] {
        &self.list
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions
    }

    pub(super) fn mark(&self, rows: &RowSelection) -> Mark {
        let designs: Vec<_> = self.designs().cloned().collect();
        Mark::of(&designs, rows)
    }

    /// Returns the part of a stored key after its salt.
    pub(super) fn unsalted<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        let index = self.decode_key_to(key, &mut Vec::new()).ok()?;
        key.get(self.list.get(index)?.head_len()..)
    }

    /// Returns the ownership function of the reader of one epoch's pieces, in a scan that reads the
    /// pieces of every epoch.
    pub(super) fn owner_of(&self, reader: usize, pieces: &Arc<[Vec<PieceRows>]>) -> OwnerOf {
        let (epochs, pieces) = (self.clone(), pieces.clone());
        Arc::new(move |key, row| match epochs.decode_key_to(key, row) {
            Ok(owner) if owner == reader => Owner::Reader,
            Ok(_) => Owner::Another,
            // The pieces of epochs may overlap. Exactly one reader of the key reports it.
            Err(reason) if newest_over(&pieces, key) == Some(reader) => {
                Owner::Unknown(epochs.refusal(reader, key).unwrap_or(reason))
            }
            Err(_) => Owner::Another,
        })
    }

    /// Returns the reason why an epoch cannot have made a stored key, or `None` if it can.
    fn refusal(&self, epoch: usize, key: &[u8]) -> Option<RecipeError> {
        let design = &self.list.get(epoch)?.design;
        design.decode_key_to(key, &mut Vec::new()).err()
    }
}

/// Returns the newest epoch whose pieces contain a stored key, whether or not the key belongs to
/// it.
///
/// An epoch whose keys begin like this one need not read it: it has no pieces if it has no key for
/// the rows, and fewer pieces if the rows share a salt.
fn newest_over(pieces: &[Vec<PieceRows>], key: &[u8]) -> Option<usize> {
    pieces.iter().rposition(|of_one| {
        // In the order of the table: the last piece that begins at the key or before it.
        let until = of_one.partition_point(|(start, _)| start.as_ref() <= key);
        let piece = until.checked_sub(1).and_then(|last| of_one.get(last));
        piece.is_some_and(|(_, end)| end.as_ref().is_none_or(|end| key < end.as_ref()))
    })
}

impl Epoch {
    fn new(design: KeyDesign) -> Result<Self, RecipeError> {
        if design.scans().by_row != ScanCost::SingleRange {
            return Err(RecipeError::settings(format!(
                "{design} does not determine the key of a row, so its rows cannot be moved: epochs need designs \
                 whose salts are computed from the row, such as digest-salt"
            )));
        }
        let spans = design.spans(&RowSelection::All)?;
        let head = |span: &Span| Bytes::copy_from_slice(design.head_of(&span.start().row));
        let mut heads: Vec<_> = spans.iter().map(head).collect();
        heads.sort_unstable();
        heads.dedup();
        Ok(Self { design, heads })
    }

    pub(super) fn head_len(&self) -> usize {
        self.heads.first().map_or(0, Bytes::len)
    }

    fn is_around(&self, key: &[u8]) -> bool {
        let head = key.get(..self.head_len());
        head.is_some_and(|head| {
            self.heads
                .binary_search_by(|other| other.as_ref().cmp(head))
                .is_ok()
        })
    }

    /// Rejects two designs that cannot share a table.
    fn check_beside(&self, newer: &Self) -> Result<(), RecipeError> {
        let (old, new) = (&self.design, &newer.design);
        if old == new {
            return Err(RecipeError::settings(format!(
                "the epochs hold {new} twice: list each design once, in the order in which rows move"
            )));
        }
        if !old.has_encoding_of(new) {
            return Err(RecipeError::settings(format!(
                "{old} and {new} write rows differently, so their rows have no common order: epochs may differ only in \
                 their salts; copy the table for another form"
            )));
        }
        match self.confusable(newer) {
            None => Ok(()),
            Some(head) => Err(RecipeError::settings(format!(
                "keys of {old} and of {new} could be taken for each other, such as those that begin with `{}`: give \
                 the newer design another separator",
                fluo_table::Escaped(head)
            ))),
        }
    }

    /// Returns the beginning of a key that both designs can have made, if they would decode
    /// different rows from it.
    fn confusable<'a>(&'a self, other: &'a Self) -> Option<&'a [u8]> {
        let (short, long) = match self.head_len().cmp(&other.head_len()) {
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Less => (self, other),
            std::cmp::Ordering::Greater => (other, self),
        };
        let begins = |head: &&Bytes| short.is_around(head);
        long.heads.iter().find(begins).map(AsRef::as_ref)
    }
}

impl fmt::Debug for KeyMigration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let designs: Vec<_> = self.designs().collect();
        f.debug_struct("KeyMigration")
            .field("designs", &designs)
            .field("versions", &self.versions)
            .finish()
    }
}
