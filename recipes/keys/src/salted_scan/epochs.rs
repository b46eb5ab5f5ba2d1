//! The designs of a scanned table, and the owners of its keys.

use std::sync::Arc;

use fluo_table::{Span, Versions};

use crate::error::{RecipeError, RecipeErrorKind};
use crate::key_design::{KeyDesign, RowRange, RowSelection};

/// The designs with which the rows of a table were written, oldest first, and the versions of a
/// column that the table shows.
#[derive(Clone, Debug)]
pub(crate) struct Epochs {
    pub(crate) designs: Arc<[KeyDesign]>,
    pub(crate) versions: Versions,
}

impl Epochs {
    /// Appends the row of a stored key, and returns the index of the newest design that can have
    /// made it (E4). Appends nothing if it fails, with the error of the newest design.
    pub(crate) fn decode_key_to(
        &self,
        key: &[u8],
        row: &mut Vec<u8>,
    ) -> Result<usize, RecipeError> {
        let mut refused = None;
        for (index, design) in self.designs.iter().enumerate().rev() {
            match design.decode_key_to(key, row) {
                Ok(()) => return Ok(index),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.expect("a table has at least one design"))
    }

    pub(crate) fn spans(&self, rows: &RowSelection) -> Result<Vec<Vec<Span>>, RecipeError> {
        let spans = self.of_each(|design| design.spans(rows))?.into_iter();
        Ok(spans.map(Option::unwrap_or_default).collect())
    }

    /// Returns the result of each design, or `None` for a design that has no key for the rows.
    /// Fails with any other error, and with the newest design's error if no design has a key.
    pub(crate) fn of_each<T>(
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

    pub(super) fn head_len(&self, epoch: usize) -> usize {
        self.designs.get(epoch).map_or(0, KeyDesign::head_len)
    }

    pub(super) fn unsalted<'a>(&self, epoch: usize, key: &'a [u8]) -> &'a [u8] {
        key.get(self.head_len(epoch)..).unwrap_or_default()
    }
}

/// The owner of a stored key, from the point of view of one reader.
pub(super) enum Owner {
    /// The reader itself; the row was appended.
    Reader,
    /// Another reader, which yields the row.
    Another,
    /// No reader, for this reason.
    Unknown(RecipeError),
}

/// The reader of one epoch's pieces, in a scan that reads the pieces of every epoch.
#[derive(Clone)]
pub(super) struct EpochReader {
    pub(super) epochs: Epochs,
    /// The pieces of each epoch, oldest first.
    pub(super) pieces: Arc<[Vec<RowRange>]>,
    pub(super) epoch: usize,
}

impl EpochReader {
    pub(super) fn head_len(&self) -> usize {
        self.epochs.head_len(self.epoch)
    }

    /// Returns the owner of a stored key, and appends the row if the owner is the reader.
    pub(super) fn owner(&self, key: &[u8], row: &mut Vec<u8>) -> Owner {
        let before = row.len();
        match self.epochs.decode_key_to(key, row) {
            Ok(owner) if owner == self.epoch => Owner::Reader,
            Ok(_) => {
                row.truncate(before);
                Owner::Another
            }
            // The pieces of epochs may overlap. Exactly one reader of the key reports it.
            Err(reason) if self.newest_over(key) == Some(self.epoch) => {
                let design = self.epochs.designs.get(self.epoch);
                let own = design.and_then(|one| one.decode_key_to(key, row).err());
                Owner::Unknown(own.unwrap_or(reason))
            }
            Err(_) => Owner::Another,
        }
    }

    /// Returns the newest epoch whose pieces contain a stored key, whether or not the key belongs
    /// to it.
    ///
    /// An epoch whose keys begin like this one need not read it: it has no pieces if it has no key
    /// for the rows, and fewer pieces if the rows share a salt.
    fn newest_over(&self, key: &[u8]) -> Option<usize> {
        self.pieces.iter().rposition(|of_one| {
            // In the order of the table: the last piece that begins at the key or before it.
            let until = of_one.partition_point(|piece| piece.start.as_ref() <= key);
            let piece = until.checked_sub(1).and_then(|last| of_one.get(last));
            piece.is_some_and(|piece| piece.contains(key))
        })
    }
}
