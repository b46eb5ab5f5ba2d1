//! `fluo notifications retry`.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;
use fluo_core::RowColumn;

use super::place::Place;
use crate::application::ApplicationArguments;
use crate::output::{self, count_of, plural};
use crate::written::Written;

/// Put back notifications that were set aside, so that their observers run again.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo notifications retry --at embedded:./data web org.wikipedia page:links
  fluo notifications retry --at embedded:./data --all web

`fluo notifications failed` lists them. A worker runs them when it is started next.")]
pub(crate) struct Retry {
    #[command(flatten)]
    application: ApplicationArguments,
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

impl Retry {
    pub(crate) async fn run(&self) -> Result<()> {
        let cell = self.cell()?;
        let client = self.application.open().await?.client().await?;
        let count = match cell {
            None => client.retry_all_notifications().await?,
            Some(cell) => {
                if !client.retry_notification(&cell).await? {
                    bail!(
                        "no notification of `{}` is set aside; `fluo notifications failed` lists those that are",
                        Place::new(&cell.row, &cell.column, self.written)
                    );
                }
                1
            }
        };
        output::say(&format!(
            "put back {}",
            plural(count_of(count), "notification")
        ));
        Ok(())
    }

    /// The cell of one notification; none is all.
    fn cell(&self) -> Result<Option<RowColumn>> {
        let (Some(row), Some(column)) = (&self.row, &self.column) else {
            return Ok(None);
        };
        let column = self
            .written
            .column(column)?
            .with_visibility(self.visibility.clone());
        Ok(Some(RowColumn::new(self.written.row(row)?, column)))
    }
}
