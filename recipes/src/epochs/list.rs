//! The handle: the designs of a table, oldest first.

use std::fmt;
use std::sync::Arc;

use fluo_core::{Bytes, Column, Mutation, Span, Versions};

use super::scan::EpochScan;
use crate::key_design::{DesignError, DesignErrorKind, KeyDesign, Reach, Rows};
use crate::salted_scan::{Mark, Owner, OwnerOf, PieceRows};

/// The designs that the rows of one table were written with, oldest first.
///
/// A clone costs one reference count.
///
/// # Examples
///
/// ```
/// use fluo_core::{Authorizations, Column, MemoryTables, Mutation, TableAdmin, Versions};
/// use fluo_recipes::{Epochs, KeyDesign, MigrateSettings, Modulo};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = MemoryTables::new();
/// tables.create_table("events", Versions::default()).await?;
/// let table = tables.open_table("events", Authorizations::none()).await?;
/// let of = |buckets| KeyDesign::new(Modulo { buckets, ..Modulo::default() });
/// let (old, column) = (of(16)?, Column::new("f", "q"));
/// table.write(vec![Mutation::new(old.add(b"polygenelubricant")?).put(column.clone(), "v")]).await?;
///
/// // More buckets from now on.
/// let epochs = Epochs::new([old, of(64)?], Versions::default())?;
/// assert_eq!(epochs.get(&*table, b"polygenelubricant", &column).await?.as_deref(), Some(&b"v"[..]));
///
/// let mut cursor = None;
/// loop {
///     let step = epochs.migrate_step(&*table, cursor.as_ref(), &MigrateSettings::default()).await?;
///     let Some(next) = step.cursor else { break };
///     cursor = Some(next);
/// }
/// assert_eq!(epochs.count(&*table).await?.left(), 0);
/// assert_eq!(epochs.get(&*table, b"polygenelubricant", &column).await?.as_deref(), Some(&b"v"[..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Epochs {
    list: Arc<[Epoch]>,
    versions: Versions,
}

/// One design, and what its keys begin with.
pub(super) struct Epoch {
    pub(super) design: KeyDesign,
    /// Every salt with its separator, sorted.
    heads: Vec<Bytes>,
}

impl Epochs {
    /// The designs of a table, oldest first, and how many versions of a column the table shows.
    ///
    /// # Errors
    /// No designs, one that is there twice, designs whose rows are not written alike or whose keys could be taken for
    /// each other's, and designs of which a row has no key that can be computed.
    pub fn new(
        designs: impl IntoIterator<Item = KeyDesign>,
        versions: Versions,
    ) -> Result<Self, DesignError> {
        let list: Result<Vec<_>, _> = designs.into_iter().map(Epoch::new).collect();
        let list = list?;
        if list.is_empty() {
            return Err(DesignError::settings(
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

    /// The designs, oldest first.
    pub fn designs(&self) -> impl ExactSizeIterator<Item = &KeyDesign> {
        self.list.iter().map(|epoch| &epoch.design)
    }

    /// The key under which a row is written: that of the newest design.
    ///
    /// # Errors
    /// A row that has no key in it.
    pub fn key(&self, row: &[u8]) -> Result<Bytes, DesignError> {
        match self.list.last() {
            Some(newest) => newest.design.add(row),
            None => Err(DesignError::settings("there are no designs")),
        }
    }

    /// The keys under which a row can be stored, oldest first, each once: the order in which they must be read.
    ///
    /// A design that has no key for the row, as one that takes a modulus of numbers has none for text, cannot have
    /// stored it: it has no place here.
    ///
    /// # Errors
    /// A row that has no key in any of the designs.
    pub fn keys(&self, row: &[u8]) -> Result<Vec<Bytes>, DesignError> {
        let mut keys: Vec<Bytes> = Vec::with_capacity(self.list.len());
        for key in self
            .of_each(|design| design.add(row))?
            .into_iter()
            .flatten()
        {
            // A key belongs to the newest epoch that makes it.
            keys.retain(|older| *older != key);
            keys.push(key);
        }
        Ok(keys)
    }

    /// The row of a stored key, by the newest design that can have made it.
    ///
    /// # Errors
    /// A key that none of the designs can have made.
    pub fn remove(&self, key: &[u8]) -> Result<Bytes, DesignError> {
        let mut row = Vec::with_capacity(key.len());
        self.remove_to(key, &mut row)?;
        Ok(row.into())
    }

    /// Appends the row of a stored key, and says to which of the designs the key belongs, the oldest being 0: to the
    /// newest that can have made it (E4). After an error nothing is appended.
    ///
    /// # Errors
    /// A key that none of the designs can have made, as the newest says it.
    pub fn remove_to(&self, key: &[u8], row: &mut Vec<u8>) -> Result<usize, DesignError> {
        let mut refused = None;
        for (index, epoch) in self.list.iter().enumerate().rev() {
            match epoch.design.remove_to(key, row) {
                Ok(()) => return Ok(index),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| DesignError::key("there are no designs")))
    }

    /// The pieces of the table in which these rows can lie, of each design, oldest first. A design that has no key for
    /// any of them has none.
    ///
    /// # Errors
    /// As [`KeyDesign::spans`], and rows that have no key in any of the designs.
    pub fn spans(&self, rows: &Rows) -> Result<Vec<Vec<Span>>, DesignError> {
        let spans = self.of_each(|design| design.spans(rows))?.into_iter();
        Ok(spans.map(Option::unwrap_or_default).collect())
    }

    /// What each design says of rows, oldest first: none of one that has no key for them.
    ///
    /// # Errors
    /// Whatever else is refused, and rows for which no design has a key, as the newest says it.
    fn of_each<T>(
        &self,
        of: impl Fn(&KeyDesign) -> Result<T, DesignError>,
    ) -> Result<Vec<Option<T>>, DesignError> {
        let mut each = Vec::with_capacity(self.list.len());
        let mut without = None;
        for design in self.designs() {
            each.push(match of(design) {
                Ok(answer) => Some(answer),
                Err(error) if error.kind() == DesignErrorKind::Row => {
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

    /// What deletes columns of a row wherever they are: a mutation for each place, oldest first, to be written in this
    /// order in one call.
    ///
    /// Without a timestamp each place takes the time of the table.
    ///
    /// # Errors
    /// As [`keys`](Self::keys).
    pub fn delete_mutations(
        &self,
        row: &[u8],
        columns: &[Column],
        timestamp: Option<i64>,
    ) -> Result<Vec<Mutation>, DesignError> {
        let delete = |mutation: Mutation, column: &Column| match timestamp {
            Some(timestamp) => mutation.delete_at(column.clone(), timestamp),
            None => mutation.delete(column.clone()),
        };
        let keys = self.keys(row)?.into_iter();
        Ok(keys
            .map(|key| columns.iter().fold(Mutation::new(key), delete))
            .collect())
    }

    /// A scan of these rows over all epochs, in order.
    ///
    /// # Errors
    /// As [`spans`](Self::spans).
    pub fn scan(&self, rows: &Rows) -> Result<EpochScan, DesignError> {
        EpochScan::new(self, rows)
    }

    pub(super) fn list(&self) -> &[Epoch] {
        &self.list
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions
    }

    pub(super) fn mark(&self, rows: &Rows) -> Mark {
        let designs: Vec<_> = self.designs().cloned().collect();
        Mark::of(&designs, rows)
    }

    /// What follows the salt of a stored key.
    pub(super) fn unsalted<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        let index = self.remove_to(key, &mut Vec::new()).ok()?;
        key.get(self.list.get(index)?.head_len()..)
    }

    /// Whose a stored key is for whoever reads the pieces of one of the epochs, when each epoch's are read.
    pub(super) fn owner_of(&self, reader: usize, pieces: &Arc<[Vec<PieceRows>]>) -> OwnerOf {
        let (epochs, pieces) = (self.clone(), pieces.clone());
        Arc::new(move |key, row| match epochs.remove_to(key, row) {
            Ok(owner) if owner == reader => Owner::Reader,
            Ok(_) => Owner::Another,
            // The pieces of epochs may overlap: one reader sees to it, and one that comes by.
            Err(reason) if newest_over(&pieces, key) == Some(reader) => {
                Owner::Nobody(epochs.refusal(reader, key).unwrap_or(reason))
            }
            Err(_) => Owner::Another,
        })
    }

    /// Why a stored key is none of an epoch; none if it is.
    fn refusal(&self, epoch: usize, key: &[u8]) -> Option<DesignError> {
        let design = &self.list.get(epoch)?.design;
        design.remove_to(key, &mut Vec::new()).err()
    }
}

/// The newest epoch that reads a stored key, whether or not it is one of its own. An epoch whose keys begin like it
/// need not read it: it has no pieces where it has no key for the rows, and fewer where they share their salt.
fn newest_over(pieces: &[Vec<PieceRows>], key: &[u8]) -> Option<usize> {
    pieces.iter().rposition(|of_one| {
        // In the order of the table: the last that begins at the key or before it.
        let until = of_one.partition_point(|(start, _)| start.as_ref() <= key);
        let piece = until.checked_sub(1).and_then(|last| of_one.get(last));
        piece.is_some_and(|(_, end)| end.as_ref().is_none_or(|end| key < end.as_ref()))
    })
}

impl Epoch {
    fn new(design: KeyDesign) -> Result<Self, DesignError> {
        if design.scans().by_row != Reach::OnePiece {
            return Err(DesignError::settings(format!(
                "a row of {design} can be anywhere, so that nobody could say where to move it: epochs need designs \
                 whose salts are computed from the row, such as digest-salt"
            )));
        }
        let spans = design.spans(&Rows::All)?;
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

    /// Refuses two designs that cannot share a table.
    fn check_beside(&self, newer: &Self) -> Result<(), DesignError> {
        let (old, new) = (&self.design, &newer.design);
        if old == new {
            return Err(DesignError::settings(format!(
                "the epochs hold {new} twice: list each design once, in the order in which rows move"
            )));
        }
        if !old.has_form_of(new) {
            return Err(DesignError::settings(format!(
                "{old} and {new} do not write rows alike, so that their rows have no common order: epochs may differ \
                 in their salts only; copy the table for another form"
            )));
        }
        match self.confusable(newer) {
            None => Ok(()),
            Some(head) => Err(DesignError::settings(format!(
                "keys of {old} and of {new} could be taken for each other, such as those that begin with `{}`: give \
                 the newer design another separator",
                fluo_core::Escaped(head)
            ))),
        }
    }

    /// What a key of both designs could begin with, if the two would read different rows from it.
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

impl fmt::Debug for Epochs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let designs: Vec<_> = self.designs().collect();
        f.debug_struct("Epochs")
            .field("designs", &designs)
            .field("versions", &self.versions)
            .finish()
    }
}
