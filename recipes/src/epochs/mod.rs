//! Epochs: a table whose salts change while it is used.
//!
//! A table that was salted for 16 tablets and is to be salted for 64 holds rows of both designs for a while. Each
//! design that rows were written with is an *epoch*, oldest first. [`Epochs`] reads a row wherever it can be, writes
//! it by the newest design, and moves the rest in steps that can be interrupted.
//!
//! # Rules
//!
//! - **E1, one direction.** Rows move from an older epoch to the newest, never back: cells are copied, with timestamp
//!   and visibility, seen in their new place, and only then deleted in the old one.
//! - **E2, old before new.** Whoever reads a row reads its old places *first*. A cell that was not in the old place any
//!   more had been copied before, so it is in the new place afterwards: no row is missed. For a scan this holds window
//!   by window: a stretch of rows is read from the oldest epoch, then exactly this stretch from the next, and so on.
//! - **E3, merged like one row.** Cells of one row from several places are merged in the order of the table. Of two
//!   with one column and timestamp that of the newer epoch is taken, and of each column as many versions as the table
//!   shows: no row is seen twice.
//! - **E4, whose key.** A stored key belongs to the newest epoch that can have made it. Designs whose keys could be
//!   taken for those of different rows are refused.
//! - **E5, nothing is overwritten.** A copy is conditional: a cell that is in the new place already stays as it is,
//!   since it was written there or copied before. So every step can be run again.
//!
//! # What writers have to do
//!
//! - Put by [`Epochs::key`] only, once every reader and every deleter uses the epochs. What is still put into an older
//!   epoch is read as well, and moved by the next run; but a *version* that is put there below one that is being moved
//!   is lost with it.
//! - Delete by [`Epochs::delete_mutations`]: a marker hides what lies in its own row only, so that every place needs one.
//!   The one in the newest place hides also what a migration copies there just then. A full compaction drops markers:
//!   one that begins after such a marker was written and before a copy under way arrives would let the copy be seen
//!   again. That is the time of one step, of a few milliseconds; do not compact the table by hand while it is migrated.
//! - Mind the clocks: cells of two places are ordered by their timestamps alone. Where a table takes the time from
//!   different servers for the two, give timestamps.
//! - One migration runs at a time. Two do no harm to cells, but count rows as contended.
//!
//! # What it does not do
//!
//! A migration sees what its table handle may see: open the table with all authorizations in use. Cells that it cannot
//! see stay where they are, and readers find them there.

mod counts;
mod cursor;
mod error;
mod list;
mod merging;
mod migrate;
mod older_places;
mod reading;
mod scan;
mod windows;

pub use counts::EpochCounts;
pub use cursor::{MigrationCursor, MigrationCursorError};
pub use error::EpochsError;
pub use list::Epochs;
pub use migrate::{MigrateSettings, MigrationStep};
pub use scan::EpochScan;
