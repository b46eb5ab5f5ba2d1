//! Moving rows to the newest epoch, step by step (E1, E5).
//!
//! A step reads a range of an older epoch and processes its rows in this order:
//!
//! 1. **copy**: each cell is put into the row's new place with its own timestamp and visibility, on
//!    the condition that the column has no cell at this timestamp there;
//! 2. **look**: the new places are read back. A cell counts as arrived if the table shows it, or
//!    shows newer versions instead. A cell that a delete marker hides there has not arrived: its
//!    row stays in the old place and is counted;
//! 3. **delete**: the old cells of rows that have arrived completely are deleted up to the
//!    timestamps that were copied.
//!
//! An interruption never leaves a cell in neither place. Completed work stays, and the step can be
//! repeated.

mod copy;
mod old_rows;
mod step;

pub use old_rows::MigrationOptions;
pub use step::MigrationStep;
