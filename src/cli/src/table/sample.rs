//! `fluo table sample`.

use std::ffi::OsStr;

use anyhow::{Context, Result};
use clap::Args;
use fluo_advisor::Reservoir;
use fluo_table::{Bytes, Filter, Scan};
use futures::stream::TryStreamExt;
use serde_json::json;

use super::stored::StoredTable;
use crate::chosen_design::seed;
use crate::encoding::Encoding;
use crate::output;
use crate::progress::TableReading;
use crate::selection::SelectionArguments;
use crate::text::{counted, parse_count};

/// Print some rows of a table, each of them with the same chance.
///
/// Reads the first cell of each row of the table, in one pass, and keeps only the sample in memory.
/// Prints the rows in the order of their keys, one a line; with a design or a spec the decoded row,
/// and without one the stored key. Keys that are not of the design are not printed, and counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table sample --at embedded:./data --count 10 pages
  fluo table sample --at prod --count 100000 pages | fluo advise --unordered -")]
pub(crate) struct Sample {
    #[command(flatten)]
    stored: StoredTable,
    #[command(flatten)]
    rows: SelectionArguments,
    /// Encoding of the rows in the arguments and the output
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Number of rows; all rows if the table has fewer
    #[arg(long, value_name = "N", value_parser = parse_count::<usize>)]
    count: usize,
    /// Choose the same rows in every run with this number, from 0 on, while the table is the same
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    seed: Option<u64>,
}

impl Sample {
    pub(crate) async fn run(&self) -> Result<()> {
        let rows = self.stored.rows()?;
        let decode =
            |row: &OsStr| Ok(Bytes::from(self.encoding.argument("row", row)?.into_owned()));
        let spans = rows.spans(&self.rows, decode)?;
        let open = self.stored.open().await?;
        let mut reading = TableReading::new("rows", open.tablets_to_show(&spans).await);
        let mut sample = Reservoir::new(self.count, self.seed);
        let mut others = 0_u64;
        let mut batches = open.table.scan(Scan::over_all(spans).filter(Filter::FirstOfRow));
        while let Some(batch) = batches.try_next().await? {
            let last = batch.last().map(|cell| cell.key.row.clone());
            for cell in batch {
                match rows.row(&cell.key.row) {
                    // The row with its number, because rows of a table are in order.
                    Some(row) => drop(sample.offer((sample.offered(), row))),
                    None => others += 1,
                }
            }
            last.iter().for_each(|last| reading.show(sample.offered() + others, last));
        }
        drop(reading);
        let seen = counted(sample.offered(), "row");
        let mut lines = Vec::new();
        let mut rows = sample.into_items();
        rows.sort_unstable();
        for (_, row) in rows {
            if output::is_json() {
                lines.extend(
                    output::json_line(&json!({ "row": self.encoding.shown(&row) }))?.bytes(),
                );
            } else {
                self.encoding.encode(&row, &mut lines).context("a row of the sample")?;
            }
            lines.push(b'\n');
        }
        output::write(&lines)?;
        say!("sampled from {seen}, all with the same chance");
        if others > 0 {
            say!("{} not of the design, and not sampled", counted(others, "key"));
        }
        Ok(())
    }
}
