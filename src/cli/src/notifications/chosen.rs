//! Which of the notifications that were set aside.

use std::ffi::OsString;

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_core::RowColumn;

use super::place::Place;
use crate::written::Written;

/// One of them, or all.
#[derive(Args, Debug)]
pub(super) struct ChosenArguments {
    /// The row that changed
    #[arg(
        required_unless_present = "all",
        requires = "column",
        conflicts_with = "all"
    )]
    row: Option<OsString>,
    /// The column that changed; a `:` within the family is \x3a
    #[arg(value_name = "FAMILY:QUALIFIER")]
    column: Option<OsString>,
    /// The visibility of the column
    #[arg(
        long,
        value_name = "EXPRESSION",
        default_value = "",
        conflicts_with = "all"
    )]
    visibility: String,
    #[command(flatten)]
    written: Written,
    /// All that were set aside
    #[arg(long)]
    all: bool,
}

impl ChosenArguments {
    /// The cell of one notification; none is all.
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

    /// What is said of a cell without one.
    pub(super) fn none_of(&self, cell: &RowColumn) -> anyhow::Error {
        anyhow!(
            "no notification of `{}` is set aside; `fluo notifications failed` lists those that are",
            Place::new(&cell.row, &cell.column, self.written)
        )
    }
}
