//! Moving rows to the newest epoch, step by step (E1, E5).
//!
//! A step reads a stretch of an older epoch and does three things with its rows, in this order:
//!
//! 1. **copy**: each cell is put into the row's new place with its own timestamp and visibility, on the condition that
//!    nothing is there at this column and timestamp;
//! 2. **look**: the new places are read back. A cell counts as arrived if it is shown, or if the table shows newer
//!    versions instead. One that is hidden by a delete marker there has not: its row stays where it is, and is counted;
//! 3. **delete**: the old cells of rows that have arrived whole are deleted up to the timestamps that were copied.
//!
//! Whatever interrupts it, no cell is ever in neither place; what was done stays, and the step can be run again.

mod copy;
mod old_rows;
mod settings;
mod step;

pub use settings::MigrateSettings;
pub use step::MigrationStep;
