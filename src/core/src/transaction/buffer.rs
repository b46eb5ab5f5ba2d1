//! What a transaction is going to write.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::{Bytes, Escaped, RowColumn, Visibility};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::NOTIFICATION_FAMILY;

/// What happens to a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingWrite {
    /// It gets a value.
    Set(Bytes),
    /// It loses its value.
    Delete,
    /// Nothing; but nobody else may write it while this transaction commits, or has since it began.
    ReadLock,
    /// Nothing; it is the cell whose notification started the transaction.
    Acknowledge,
}

/// The writes of a transaction that is still open, one for each cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteBuffer {
    pub(crate) writes: BTreeMap<RowColumn, PendingWrite>,
    /// Cells whose weak observers are to be notified.
    pub(crate) notified: BTreeSet<RowColumn>,
    bytes: usize,
}

impl WriteBuffer {
    /// Adds a write of a cell that has none yet. A read lock gives way to a write.
    pub(crate) fn write(
        &mut self,
        cell: RowColumn,
        write: PendingWrite,
        max_bytes: usize,
    ) -> Result<()> {
        check_cell(&cell)?;
        if let Some(PendingWrite::Set(_) | PendingWrite::Delete) = self.writes.get(&cell) {
            return Err(Error::invalid(format!(
                "`{cell}` was set or deleted before in this transaction; a transaction writes a cell once"
            )));
        }
        self.take_room(&cell, &write, max_bytes)?;
        self.writes.insert(cell, write);
        Ok(())
    }

    /// Marks a cell as read under a lock, unless it is marked so already.
    pub(crate) fn lock_read(&mut self, cell: RowColumn, max_bytes: usize) -> Result<()> {
        check_cell(&cell)?;
        match self.writes.get(&cell) {
            Some(PendingWrite::ReadLock) => Ok(()),
            // What is written is locked already. The trigger's mark has to stay, or the transaction could not commit.
            Some(PendingWrite::Acknowledge) => Err(Error::invalid(format!(
                "`{cell}` started this transaction and is locked by it already; read it without a read lock"
            ))),
            Some(PendingWrite::Set(_) | PendingWrite::Delete) => Err(Error::invalid(format!(
                "`{cell}` was set or deleted before in this transaction; it cannot be read under a lock any more"
            ))),
            None => {
                self.take_room(&cell, &PendingWrite::ReadLock, max_bytes)?;
                self.writes.insert(cell, PendingWrite::ReadLock);
                Ok(())
            }
        }
    }

    /// Asks for the weak observers of a cell, unless they are asked for already.
    pub(crate) fn notify(&mut self, cell: RowColumn, max_bytes: usize) -> Result<()> {
        check_cell(&cell)?;
        if !self.notified.contains(&cell) {
            self.take_room(&cell, &PendingWrite::Acknowledge, max_bytes)?;
            self.notified.insert(cell);
        }
        Ok(())
    }

    /// Bytes of all rows, columns and values, and of the rows and columns that observers are asked for.
    pub(crate) fn size_bytes(&self) -> usize {
        self.bytes
    }

    fn take_room(
        &mut self,
        cell: &RowColumn,
        write: &PendingWrite,
        max_bytes: usize,
    ) -> Result<()> {
        let value = match write {
            PendingWrite::Set(value) => value.len(),
            _ => 0,
        };
        let bytes = self.bytes + cell.row.len() + cell.column.size_bytes() + value;
        if bytes > max_bytes {
            return Err(Error::invalid(format!(
                "with `{}` the transaction would set {bytes} bytes; the setting `max_transaction_bytes` allows {max_bytes}",
                Escaped(
                    cell.row
                        .get(..cell.row.len().min(SHOWN_BYTES))
                        .unwrap_or_default()
                )
            )));
        }
        self.bytes = bytes;
        Ok(())
    }
}

/// Bytes of a row that a message shows.
const SHOWN_BYTES: usize = 60;

/// Refuses a cell that no transaction can hold.
pub(crate) fn check_cell(cell: &RowColumn) -> Result<()> {
    let RowColumn { row, column } = cell;
    if row.is_empty() {
        return Err(Error::invalid(format!(
            "the row is empty (column `{column}`); a transaction needs a row of at least one byte"
        )));
    }
    if column.family.is_empty() && column.qualifier.is_empty() {
        return Err(Error::invalid(format!(
            "the column is empty (row `{}`); a column needs a family or a qualifier",
            Escaped(row)
        )));
    }
    if column.family == NOTIFICATION_FAMILY {
        return Err(Error::invalid(format!(
            "`{cell}`: the column family `{NOTIFICATION_FAMILY}` is kept for notifications; use another one"
        )));
    }
    match Visibility::parse(&column.visibility) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = format!("row `{}`, column `{column}`: {error}", Escaped(row));
            Err(Error::with_source(ErrorKind::Invalid, message, error))
        }
    }
}
