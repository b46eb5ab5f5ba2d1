//! The owners of the keys of a scanned table.

use std::sync::Arc;

use super::scan::SaltedScan;
use crate::error::RecipeError;

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
    pub(super) scan: Arc<SaltedScan>,
    pub(super) epoch: usize,
}

impl EpochReader {
    pub(super) fn head_len(&self) -> usize {
        self.scan.epochs.head_len(self.epoch)
    }

    /// Returns the owner of a stored key, and appends the row if the owner is the reader.
    pub(super) fn owner(&self, key: &[u8], row: &mut Vec<u8>) -> Owner {
        let before = row.len();
        match self.scan.epochs.decode_key_to(key, row) {
            Ok(owner) if owner == self.epoch => Owner::Reader,
            Ok(_) => {
                row.truncate(before);
                Owner::Another
            }
            // The pieces of epochs may overlap. Exactly one reader of the key reports it.
            Err(reason) if self.newest_over(key) == Some(self.epoch) => {
                let design = self.scan.epochs.designs.get(self.epoch);
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
        self.scan.pieces.iter().rposition(|of_one| {
            // In the order of the table: the last piece that begins at the key or before it.
            let until = of_one.partition_point(|piece| piece.start.as_ref() <= key);
            let piece = until.checked_sub(1).and_then(|last| of_one.get(last));
            piece.is_some_and(|piece| piece.contains(key))
        })
    }
}
