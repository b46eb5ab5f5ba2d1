//! KeyMigration: changing the salt of a table that is in use, or adding a salt or removing it.
//!
//! A table that was salted for 16 tablets and will be salted for 64 holds rows of both designs for
//! a while. So does a table whose rows were loaded as they are and will be hashed. Each design that
//! rows were written with is an *epoch*, oldest first. [`KeyMigration`] reads a row under any of
//! its keys, writes it by the newest design, and moves the other rows in steps that can be
//! interrupted.
//!
//! A row can be stored under one key for each epoch. These rules call them its *places*.
//!
//! # Rules
//!
//! - **E1, one direction.** Rows move only from an older epoch to the newest. Cells are copied with
//!   timestamp and visibility, read back in their new place, and only then deleted in the old one.
//! - **E2, old before new.** Every reader of a row reads its old places *first*. A cell that is no
//!   longer in the old place was copied before, so the reader finds it in the new place afterwards:
//!   no row is missed. A scan keeps this rule window by window: it reads a range of rows from the
//!   oldest epoch, then exactly the same range from the next, and so on.
//! - **E3, merged like one row.** Cells of one row from several places are merged in the order of
//!   the table. Of two cells with the same column and timestamp, the one of the newer epoch is
//!   kept, and each column keeps as many versions as the table shows: no row appears twice.
//! - **E4, one owner for each key.** A stored key belongs to the newest epoch that can have made
//!   it. Designs whose keys can stand for different rows are rejected. Any key can be a row without
//!   a salt, so beside such a design all others are row hashers, and it has no rows that begin
//!   with their prefixes, except keys of the hasher: [`KeyMigration::check`] finds another one
//!   before anything moves.
//! - **E5, nothing is overwritten.** A copy is conditional: a cell that is already in the new place
//!   stays as it is, because it was written there or copied before. So every step can be repeated.
//!
//! # Requirements on writers
//!
//! - Put only under [`KeyMigration::key`], once every reader and every deleter uses the epochs.
//!   Rows that are still put into an older epoch are read as well, and the next run moves them. But
//!   a *version* that is put there below one that is being moved is lost with it.
//! - To create a row only if it is absent, read its old keys ([`KeyMigration::keys`], oldest first)
//!   *before* the conditional write under [`KeyMigration::key`], or use an insert-only
//!   [`BulkLoad`](crate::BulkLoad). A row put into an older place after that read is not seen.
//! - Delete by [`KeyMigration::delete_mutations`]: a marker hides only cells of its own row, so
//!   every place needs one. The marker in the newest place also hides cells that a migration copies
//!   there at the same moment. A full compaction drops markers: if one begins after such a marker
//!   was written and before a copy in progress arrives, the copy becomes visible again. That window
//!   is the duration of one step, a few milliseconds; do not compact the table by hand during a
//!   migration.
//! - Watch the clocks: cells of two places are ordered only by their timestamps. If different
//!   servers assign the timestamps of the two places, set timestamps explicitly.
//! - Run one migration at a time. Two at once do not damage cells, but they count rows as
//!   contended.
//!
//! # What it does not do
//!
//! A migration moves only cells that its table handle can see: open the table with all
//! authorizations in use. Cells that it cannot see stay where they are, and readers find them
//! there.

mod copy;
mod counts;
mod designs;
mod step;

pub use counts::MigrationProgress;
pub use designs::KeyMigration;
pub use step::{MigrationOptions, MigrationStep};
