//! The buffered writes of an open transaction.

use std::collections::{BTreeMap, BTreeSet};

use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{
    Authorizations, Bytes, Error, Escaped, Grouped, Result, RowColumn, can_see_column, counted,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PendingWrite {
    /// The cell gets a value, or loses the one that it has.
    Write(Option<Bytes>),
    /// No change. No other transaction may write the cell between the start of this one and its
    /// commit.
    ReadLock,
    /// No change. The notification of this cell started the transaction.
    Acknowledge,
}

/// The writes of an open transaction, at most one for each cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteBuffer {
    pub(crate) writes: BTreeMap<RowColumn, PendingWrite>,
    /// Cells whose weak observers are to be notified.
    pub(crate) notified: BTreeSet<RowColumn>,
    /// The bytes of all rows, columns and values, including the rows and columns of requested
    /// observers.
    pub(crate) bytes: usize,
    pub(crate) max_bytes: usize,
}

impl WriteBuffer {
    /// Adds a write of a cell that is not written yet. It replaces a read lock of the cell.
    pub(crate) fn write(&mut self, cell: RowColumn, write: PendingWrite) -> Result<()> {
        check_cell(&cell)?;
        if let Some(PendingWrite::Write(_)) = self.writes.get(&cell) {
            return Err(Error::invalid(format!(
                "`{cell}` was set or deleted before in this transaction; a transaction writes a cell once"
            )));
        }
        let bytes = if let PendingWrite::Write(Some(value)) = &write { value.len() } else { 0 };
        self.take_room(&cell, bytes)?;
        self.writes.insert(cell, write);
        Ok(())
    }

    /// Marks a cell as read under a lock, unless it is already marked.
    pub(crate) fn lock_read(&mut self, cell: RowColumn) -> Result<()> {
        match self.writes.get(&cell) {
            Some(PendingWrite::ReadLock) => Ok(()),
            // A written cell is locked anyway. The mark of the trigger must stay, or the
            // transaction could not commit.
            Some(PendingWrite::Acknowledge) => Err(Error::invalid(format!(
                "`{cell}` started this transaction and is locked by it already; read it without a read lock"
            ))),
            Some(PendingWrite::Write(_)) => Err(Error::invalid(format!(
                "`{cell}` was set or deleted before in this transaction; it cannot be read under a lock any more"
            ))),
            None => self.write(cell, PendingWrite::ReadLock),
        }
    }

    /// Requests the weak observers of a cell, unless they are already requested.
    pub(crate) fn notify(&mut self, cell: RowColumn) -> Result<()> {
        check_cell(&cell)?;
        if !self.notified.contains(&cell) {
            self.take_room(&cell, 0)?;
            self.notified.insert(cell);
        }
        Ok(())
    }

    fn take_room(&mut self, cell: &RowColumn, value_bytes: usize) -> Result<()> {
        let max_bytes = self.max_bytes;
        let bytes = self.bytes + cell.row.len() + cell.column.size_bytes() + value_bytes;
        if bytes > max_bytes {
            let (bytes, max_bytes) = (counted(bytes, "byte"), Grouped::new(max_bytes));
            return Err(Error::invalid(format!(
                "with `{}` the transaction would set {bytes}; the option `max_transaction_bytes` allows {max_bytes}",
                Escaped::start(cell.row.get(..cell.row.len().min(SHOWN_BYTES)).unwrap_or_default())
            )));
        }
        self.bytes = bytes;
        Ok(())
    }
}

const SHOWN_BYTES: usize = 60;

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
            "`{cell}`: the column family `{NOTIFICATION_FAMILY}` is reserved for notifications; use another one"
        )));
    }
    can_see_column(&Authorizations::none(), row, column).map(drop)
}
