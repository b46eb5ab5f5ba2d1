//! `fluo notifications retry` and `fluo notifications discard`.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;
use fluo_table::RowColumn;

use super::place::Place;
use crate::application::{ApplicationArguments, OpenApplication};
use crate::byte_encoding::Written;
use crate::dead_letters::{Change, Selected};
use crate::text::count_of;

/// The arguments that select dead letters.
#[derive(Args, Debug)]
pub(crate) struct Chosen {
    #[command(flatten)]
    application: ApplicationArguments,
    #[command(flatten)]
    selected: Selected<OneCell>,
}

/// A cell with a dead letter.
#[derive(Args, Debug)]
struct OneCell {
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
}

impl OneCell {
    /// Returns the cell, or `None` for all.
    fn cell(&self) -> Result<Option<RowColumn>> {
        let (Some(row), Some(column)) = (&self.row, &self.column) else {
            return Ok(None);
        };
        let column = self.written.column(column)?;
        let column = column.with_visibility(self.visibility.clone());
        Ok(Some(RowColumn::new(self.written.row(row)?, column)))
    }
}

impl Chosen {
    pub(super) async fn change(&self, change: Change) -> Result<()> {
        let one = &self.selected.one;
        let cell = one.cell()?;
        let open = self.application.open().await?;
        let count = match (change, &cell) {
            (Change::Requeue, None) => {
                count_of(open.client().await?.retry_all_notifications().await?)
            }
            (Change::Requeue, Some(cell)) => {
                u64::from(open.client().await?.retry_notification(cell).await?)
            }
            (Change::Discard, cell) => discarded(&open, cell.as_ref()).await?,
        };
        let selected = cell.map(|cell| {
            let place = Place::new(&cell.row, &cell.column, one.written);
            format!("`{place}`")
        });
        change.tell(count, selected.as_deref(), "fluo notifications failed")
    }
}

/// Discards the dead letters of a cell, or all, and returns their number.
async fn discarded(open: &OpenApplication, cell: Option<&RowColumn>) -> Result<u64> {
    let mut count = 0;
    for record in open.coordination.dead_letters().await? {
        if cell.is_some_and(|cell| *cell != record.cell) {
            continue;
        }
        // A notification that failed again since the list was read stays: it is for a later change.
        let removed = open
            .coordination
            .remove_dead_letter(&record.cell, record.timestamp);
        count += u64::from(removed.await?);
    }
    Ok(count)
}
