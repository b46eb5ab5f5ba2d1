//! Ordered scans over salted rows.
//!
//! A salt cuts what was one range of rows into one *piece* for each salt. A [`SaltedScan`] reads a set of the *user's*
//! rows over all pieces that can hold one, and merges them by what follows the salt, so that rows come as if there
//! were none.
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
//! - **S1, the same rows.** The scan yields the rows that an unsalted table would yield for the same request: each
//!   once, in the order of the unsalted key, with its cells in the order of the table.
//! - **S2, whole rows.** A row is yielded whole. Its cells come from one scan of the table, unless the row is larger
//!   than what is read of a piece at a time; among those pieces the port's rule T3 is all there is.
//! - **S3, freshness.** Rows that were acknowledged before the scan began are in it. Of what is written while it runs
//!   it may show any. Splits of tablets change nothing.
//! - **S4, back-pressure.** Nothing is read that the caller did not ask for, but for what is read ahead within the
//!   memory bound. Dropping the stream ends it.
//! - **S5, bounded memory.** At most [`memory_bytes`](SaltedScan::memory_bytes) of cells wait to be merged, whatever
//!   the number of pieces: the more pieces, the shorter each read. What cannot be held to it is refused with a
//!   sentence. Beside it are about 300 bytes for each piece, a copy of the rows that wait, what is read at this moment,
//!   and what the batches that the caller keeps still share.
//! - **S6, a limit is pushed down.** With a limit of `n` rows over `p` pieces, the first read of a piece is of about
//!   `n / p` cells, and later ones grow.
//! - **S7, resumable.** After any row there is a [`ScanCursor`]: a scan of the same design and rows goes on right after
//!   it. A cursor of another design or other rows is refused.
//! - **S8, nothing is dropped.** A key that the design cannot have made is an error, or counted.
//!
//! # Why it is fast
//!
//! Cells are large and lie in as many places as there are pieces. So the merge touches none: right after a read, one
//! pass over its cells finds the rows, checks their keys and copies the user's rows together. The merge compares eight
//! bytes of each, and a batch says which cells of which read are its rows. Nothing is moved.
//!
//! # What it does not do
//!
//! It is no snapshot: pieces are read one after the other, as the port's scans are.

mod batch;
mod cursor;
mod error;
mod fetch;
mod heads;
mod losers;
mod memory;
mod merge;
mod owner;
mod piece;
mod plan;
mod read;
mod request;
mod stream;

pub use batch::{RowBatch, SaltedRow};
pub(crate) use cursor::Mark;
pub use cursor::{CursorError, ScanCursor};
pub use error::SaltedScanError;
pub(crate) use fetch::Selection;
pub(crate) use memory::size_bytes as cell_bytes;
pub(crate) use merge::{MergeRequest, PieceRows};
pub(crate) use owner::{Owner, OwnerOf};
pub use plan::ScanPlan;
pub(crate) use request::MergeSettings;
pub use request::{ForeignKeys, SaltedScan};
pub use stream::SaltedRows;
