//! Ordered scans over salted rows.
//!
//! A salt cuts one range of rows into one *piece* for each salt. A [`SaltedScan`] reads a set of
//! the *user's* rows from all pieces that can hold one, and merges them by the bytes after the
//! salt. The rows come in the same order as without a salt.
//!
//! ```text
//!  rows ──spans──▶ piece 00 ─┐ heads
//!                  piece 01 ─┼─▶ tree of losers ──▶ row by row ──▶ batches ──▶ caller
//!                  ..        │    (by unsalted key)  (key checked)
//!                  piece 63 ─┘
//! ```
//!
//! # Rules
//!
//! - **S1, the same rows.** The scan yields the rows that an unsalted table would yield for the
//!   same request: each once, in the order of the unsalted key, with its cells in the order of the
//!   table.
//! - **S2, whole rows.** A row is yielded whole. Its cells come from one scan of the table, unless
//!   the row is larger than one read of a piece. Between the reads of such a row, only rule T3 of
//!   the port applies.
//! - **S3, freshness.** The scan includes all rows that were acknowledged before it began. Rows
//!   that are written while it runs may or may not be included. Tablet splits have no effect.
//! - **S4, back-pressure.** The scan reads only what the caller polls for, plus reads ahead within
//!   the memory bound. Dropping the stream ends the scan.
//! - **S5, bounded memory.** At most [`memory_bytes`](SaltedScan::memory_bytes) of cells wait to be
//!   merged, whatever the number of pieces: the more pieces, the shorter each read. A piece takes
//!   part in the merge with the first cells of a row; only the row to yield next is read to its
//!   end. A scan that cannot stay within the bound fails with an error. The bound does not cover
//!   about 300 bytes for each piece, a copy of the waiting rows, the reads in progress, and the
//!   reads that the caller's batches still share.
//! - **S6, a limit is pushed down.** With a limit of `n` rows over `p` pieces, the first read of a
//!   piece is of about `n / p` cells, and later ones grow.
//! - **S7, resumable.** Each row has a [`ScanCursor`](crate::ScanCursor), and a scan of the same
//!   design and rows resumes right after that row. A cursor of another design or other rows is
//!   rejected.
//! - **S8, nothing is dropped silently.** A key that the design cannot have made is an error, or is
//!   counted.
//!
//! # Why it is fast
//!
//! Cells are large and are spread over as many places in memory as there are pieces, so the merge
//! does not touch them. Right after a read, one pass over its cells finds the rows, checks their
//! keys and copies the user's rows into one buffer. The merge compares eight bytes of each row, and
//! a batch refers to its rows by read and position. No cell is moved.
//!
//! # What it does not do
//!
//! It is not a snapshot: pieces are read one after the other, like the port's scans.

mod batch;
mod loser_tree;
mod memory;
mod merge;
mod range_cursor;
mod read;
mod request;
mod scan;
mod windowed_merge;

pub use batch::{RowBatch, SaltedRow};
pub use request::{SaltedRows, ScanPlan};
pub use scan::{SaltedScan, UnknownKeys};
