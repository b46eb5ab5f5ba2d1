//! The arguments that select dead letters.

use std::ffi::OsString;

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_table::RowColumn;

use super::cell_argument::Place;
use crate::byte_encoding::Written;

/// One dead letter, or all of them.
#[derive(Args, Debug)]
pub(super) struct ChosenArguments {
    /// Row that changed
    #[arg(
        required_unless_present = "all",
        requires = "column",
        conflicts_with = "all"
    )]
    row: Option<OsString>,
    /// Column that changed; write a `:` within the family as \x3a
    #[arg(value_name = "FAMILY:QUALIFIER")]
    column: Option<OsString>,
    /// Visibility of the column
    #[arg(
        long,
        value_name = "EXPRESSION",
        default_value = "",
        conflicts_with = "all"
    )]
    visibility: String,
    #[command(flatten)]
    written: Written,
    /// All dead letters
    #[arg(long)]
    all: bool,
}

impl ChosenArguments {
    /// Returns the cell of the selected dead letter, or `None` for all of them.
    pub(super) fn cell(&self) -> Result<Option<RowColumn>> {
        let (Some(row), Some(column)) = (&self.row, &self.column) else {
            return Ok(None);
        };
        let column = self
            .written
            .column(column)?
            .with_visibility(self.visibility.clone());
        Ok(Some(RowColumn::new(self.written.row(row)?, column)))
    }

    /// Returns the error for a cell without a dead letter.
    pub(super) fn none_of(&self, cell: &RowColumn) -> anyhow::Error {
        anyhow!(
            "no notification of `{}` is in the dead letters; `fluo notifications failed` lists them",
            Place::new(&cell.row, &cell.column, self.written)
        )
    }
}
