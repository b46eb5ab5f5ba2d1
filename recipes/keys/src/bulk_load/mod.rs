//! Bulk load: many rows, written in batches under the keys of a design.
//!
//! A [`BulkLoad`] takes a stream of mutations, each of a *row*. It computes the key of each row,
//! gathers rows within a bound of memory, sorts them by their keys, and writes them to a table in
//! batches, several of them at the same time. So a batch concerns few tablets, although hashed keys
//! come in random order; concurrent batches come from different parts of the sorted rows, so they
//! concern different tablets. While sorted rows are written, the next ones are gathered. Memory is
//! bounded: [`BulkLoad::max_memory_bytes`] for rows, the batches of the writes in progress, and at
//! most 115 MB for hashes of keys.
//!
//! # Rules
//!
//! - **B1, every row is counted once.** When a load ends, each row whose write began is counted as
//!   written, as existing, as unsure, or as unknown, unless its write failed and wrote nothing.
//! - **B2, the first row is written alone.** The refusal of a single row has a certain outcome. So
//!   a load that may not write at all ends before it writes several rows.
//! - **B3, a failure ends the load.** No further write begins. The load waits for the writes in
//!   progress, so that it can count their rows.
//! - **B4, insert-only.** A row is written on the condition that the columns of its mutation are
//!   absent. If two loads race, one of them writes the row, and the other counts it as existing.
//! - **B5, a second write after an unknown outcome.** An insert with an unknown outcome is sent
//!   once more. If the second write is accepted, the row was absent and belongs to this load; if
//!   the first write arrives later, its condition fails. If the second write is rejected, the row
//!   exists, and it cannot be known whether the first write created it: the row is unsure.
//! - **B6, old keys first.** A row that may exist under a key of an earlier design is looked up
//!   under its old keys before it is inserted. A row that a migration moves at the same moment is
//!   written under its new key before it is deleted under the old one, so one of the two checks
//!   finds it.
//! - **B7, the rows of a key are written in the order of the input.** No two writes in progress
//!   have rows of one key. So the last row remains, or the first one of an insert-only load.
//!   Exceptions: a delete may hide a later put of the same millisecond (T6), and an insert with an
//!   unknown outcome may come after a later one.
//!
//! # What it does not do
//!
//! A load does not retry a failed write, and it does not undo the rows that it wrote. To repeat a
//! load, see [`BulkLoad`]. Use transactions, and not a bulk load, for the cells of an application.

mod input;
mod load;
mod report;
mod write;

pub use load::BulkLoad;
pub use report::{
    BulkLoadCause, BulkLoadError, BulkLoadReport, ExistingRow, ExistingRows, RepeatedKeys,
};
