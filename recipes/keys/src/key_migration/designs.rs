//! The handle: the designs of a table, oldest first.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{
    Bytes, Cell, Column, ColumnSelector, Escaped, Excerpt, Filter, Mutation, Scan, Span, Table,
    Versions,
};
use futures_util::TryStreamExt;

use crate::cells::merged;
use crate::error::{RecipeError, RecipeErrorKind};
use crate::key_design::{KeyDesign, RowSelection, ScanCost};

/// The designs of the rows of one table, oldest first.
///
/// A clone costs one reference count.
///
/// # Examples
///
/// ```
/// use fluo_table::Versions;
/// use fluo_keys::{KeyDesign, KeyMigration, Modulo};
///
/// // New rows use more buckets.
/// let of = |buckets| KeyDesign::new(Modulo { buckets, ..Modulo::default() });
/// let migration = KeyMigration::new([of(16)?, of(64)?], Versions::default())?;
/// assert_eq!(migration.keys(b"row")?, ["10|row", "26|row"]);
/// assert_eq!(migration.key(b"row")?, "26|row");
/// # Ok::<(), fluo_keys::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyMigration {
    pub(crate) designs: Arc<[KeyDesign]>,
    /// Prefixes that no key of a design without a salt begins with (E4). Empty if all designs have
    /// a salt, or none has one.
    pub(super) reserved: Arc<[Bytes]>,
    pub(crate) versions: Versions,
}

impl KeyMigration {
    /// Creates the list of designs of a table, oldest first. `versions` is the number of versions
    /// of a column that the table shows.
    ///
    /// # Errors
    ///
    /// Fails if there are no designs, if a design is listed twice, if two designs write rows
    /// differently or have keys that can be confused, or if a design has rows whose key cannot be
    /// computed. Beside a design without a salt, all others must be row hashers.
    pub fn new(
        designs: impl IntoIterator<Item = KeyDesign>,
        versions: Versions,
    ) -> Result<Self, RecipeError> {
        let mut older: Vec<(KeyDesign, BTreeSet<Bytes>)> = Vec::new();
        for design in designs {
            let heads = heads_of(&design)?;
            let newer = (design, heads);
            older.iter().try_for_each(|older| check_beside(older, &newer))?;
            older.push(newer);
        }
        if older.is_empty() {
            return Err(RecipeError::settings("a table has at least one design, not 0"));
        }
        let is_unsalted = |(design, _): &(KeyDesign, _)| design.head_len() == 0;
        let prefixes = older.iter().filter(|one| !is_unsalted(one)).map(|(one, _)| one.prefix());
        let reserved = if older.iter().any(is_unsalted) { prefixes.collect() } else { [].into() };
        let designs = older.into_iter().map(|(design, _)| design).collect();
        Ok(Self { designs, reserved, versions })
    }

    /// Creates the list of the only design of a table.
    pub(crate) fn of_one(design: &KeyDesign) -> Self {
        let reserved = [].into();
        Self { designs: [design.clone()].into(), reserved, versions: Versions::All }
    }

    /// Returns the designs, oldest first.
    pub fn designs(&self) -> impl ExactSizeIterator<Item = &KeyDesign> {
        self.designs.iter()
    }

    /// Returns the key under which a row is written: that of the newest design.
    ///
    /// # Errors
    ///
    /// Fails if the newest design has no key for the row.
    pub fn key(&self, row: &[u8]) -> Result<Bytes, RecipeError> {
        self.key_by(self.designs.last().expect("there is at least one design"), row)
    }

    fn key_by(&self, design: &KeyDesign, row: &[u8]) -> Result<Bytes, RecipeError> {
        let key = design.encode_row(row)?;
        self.refuse_reserved(design, &key).map_err(RecipeError::row)?;
        Ok(key)
    }

    /// Refuses a key of a design without a salt that begins like the keys of another design.
    pub(super) fn refuse_reserved(&self, design: &KeyDesign, key: &[u8]) -> Result<(), String> {
        let begins = |prefix: &&Bytes| design.head_len() == 0 && key.starts_with(prefix);
        self.reserved.iter().find(begins).map_or(Ok(()), |prefix| {
            Err(format!(
                "row {} begins with `{}`, like a hashed key: migrate to a row hasher with another \
                 prefix",
                Excerpt::new(key),
                Escaped(prefix)
            ))
        })
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
        let mut keys: Vec<Bytes> = Vec::new();
        for key in self.of_each(|design| self.key_by(design, row))?.into_iter().flatten() {
            // A key belongs to the newest epoch that makes it.
            keys.retain(|older| *older != key);
            keys.push(key);
        }
        Ok(keys)
    }

    /// Returns the keys under which a row can be stored, oldest first, without that of the newest
    /// design.
    pub(crate) fn old_keys(&self, row: &[u8]) -> Result<Vec<Bytes>, RecipeError> {
        if self.designs.len() == 1 {
            return Ok(Vec::new());
        }
        let mut keys = self.keys(row)?;
        if keys.last() == self.key(row).ok().as_ref() {
            keys.pop();
        }
        Ok(keys)
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
        for (index, design) in self.designs.iter().enumerate().rev() {
            let may_be = self.refuse_reserved(design, key).map_err(RecipeError::key);
            match may_be.and_then(|()| design.decode_key_to(key, row)) {
                Ok(()) => return Ok(index),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.expect("there is at least one design"))
    }

    /// Returns the pieces of the table that can contain these rows, for each design, oldest first.
    /// A design that has no key for any of the rows has no pieces.
    ///
    /// # Errors
    ///
    /// Fails like [`KeyDesign::spans`]; also if none of the designs has a key for the rows.
    pub fn spans(&self, rows: &RowSelection) -> Result<Vec<Vec<Span>>, RecipeError> {
        let spans = self.of_each(|design| {
            if let RowSelection::Row(row) = rows {
                self.refuse_reserved(design, row).map_err(RecipeError::row)?;
            }
            design.spans(rows)
        });
        Ok(spans?.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Returns the result of each design, or `None` for a design that has no key for the rows.
    /// Fails with any other error, and with the newest design's error if no design has a key.
    fn of_each<T>(
        &self,
        of: impl Fn(&KeyDesign) -> Result<T, RecipeError>,
    ) -> Result<Vec<Option<T>>, RecipeError> {
        let mut each = Vec::with_capacity(self.designs.len());
        let mut without = None;
        for design in &*self.designs {
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
        Ok(keys.map(|key| columns.iter().fold(Mutation::new(key), delete)).collect())
    }

    /// Returns the cells of a row from all of its keys, of these columns, or of all columns if the
    /// list is empty.
    ///
    /// The cells' keys contain the row as it is stored.
    ///
    /// # Errors
    ///
    /// Fails if none of the designs has a key for the row; also as [`Table::scan`].
    pub async fn read_row(
        &self,
        table: &dyn Table,
        row: &[u8],
        columns: &[ColumnSelector],
    ) -> Result<Vec<Cell>, RecipeError> {
        let mut places = Vec::new();
        // One after the other, oldest first (E2).
        for key in self.keys(row)? {
            let scan = columns.iter().cloned().fold(Scan::over(Span::row(key)), Scan::column);
            places.push(table.read(scan).await?);
        }
        Ok(merged(places, self.versions, Filter::None))
    }

    /// Returns the newest visible value of a cell, from any of the row's keys.
    ///
    /// # Errors
    ///
    /// As [`read_row`](Self::read_row).
    pub async fn get(
        &self,
        table: &dyn Table,
        row: &[u8],
        column: &Column,
    ) -> Result<Option<Bytes>, RecipeError> {
        let mut places = Vec::new();
        for key in self.keys(row)? {
            // A single batch of one cell: a column may have many versions.
            let scan = Scan::over(Span::cell(key, column)).batch_cells(NonZeroUsize::MIN);
            places.push(table.scan(scan).try_next().await?.unwrap_or_default());
        }
        let newest = merged(places, self.versions, Filter::FirstOfRow);
        Ok(newest.into_iter().next().map(|cell| cell.value))
    }
}

/// Returns the pieces of the table that can contain any key of a design. Those of a row hasher are
/// one, because it has too many salts to name each.
pub(super) fn places_of(design: &KeyDesign) -> Result<Vec<Span>, RecipeError> {
    let prefix = design.prefix();
    if prefix.is_empty() {
        return design.spans(&RowSelection::All);
    }
    Ok(vec![Span::prefix(prefix)])
}

/// Returns the bytes with which keys of a design begin, all of one length: the prefix of a row
/// hasher, or each salt with its separator.
fn heads_of(design: &KeyDesign) -> Result<BTreeSet<Bytes>, RecipeError> {
    if design.scans().by_row != ScanCost::SingleRange {
        return Err(RecipeError::settings(format!(
            "the rows of {design} cannot be moved, because their salts cannot be computed"
        )));
    }
    let prefix = design.prefix();
    let len = if prefix.is_empty() { design.head_len() } else { prefix.len() };
    let head = |span: &Span| span.start().row.slice(..len);
    Ok(places_of(design)?.iter().map(head).collect())
}

fn check_beside(
    (old, old_heads): &(KeyDesign, BTreeSet<Bytes>),
    (new, new_heads): &(KeyDesign, BTreeSet<Bytes>),
) -> Result<(), RecipeError> {
    let reason = if old == new {
        format!("{new} is listed twice")
    } else if !old.has_encoding_of(new) {
        format!("{old} and {new} write rows differently: copy the table")
    } else if let Some((plain, salted)) = beside_plain(old, new) {
        if salted.row_hasher().is_some() {
            return Ok(());
        }
        format!("rows of {plain} can begin like keys of {salted}: migrate to a row hasher first")
    } else if let Some(head) = confusable(old_heads, new_heads)
        && old.head_len() != new.head_len()
    {
        let part = if new.row_hasher().is_some() { "prefix" } else { "separator" };
        format!(
            "keys of {old} and of {new} can both begin with `{}`: give the newer another {part}",
            Escaped(head)
        )
    } else {
        return Ok(());
    };
    Err(RecipeError::settings(reason))
}

/// Returns the design without a salt, and the other one, if only one of two has a salt.
fn beside_plain<'a>(
    one: &'a KeyDesign,
    other: &'a KeyDesign,
) -> Option<(&'a KeyDesign, &'a KeyDesign)> {
    match [one, other].map(|design| design.head_len() == 0) {
        [true, false] => Some((one, other)),
        [false, true] => Some((other, one)),
        _ => None,
    }
}

/// Returns a beginning that keys of two designs can have in common. Heads of one design have one
/// length.
fn confusable<'a>(one: &'a BTreeSet<Bytes>, other: &'a BTreeSet<Bytes>) -> Option<&'a Bytes> {
    let len = |heads: &BTreeSet<Bytes>| heads.first().map_or(0, Bytes::len);
    let (short, long) = if len(one) <= len(other) { (one, other) } else { (other, one) };
    let begins = |head: &&Bytes| short.contains(&head.slice(..len(short)));
    long.iter().find(begins)
}
