//! `fluo table count`.

use std::ffi::OsStr;

use anyhow::Result;
use clap::Args;
use fluo_table::{Bytes, Scan};
use futures::stream::TryStreamExt;
use serde_json::json;

use super::stored::StoredTable;
use crate::encoding::Written;
use crate::output;
use crate::progress::TableReading;
use crate::selection::SelectionArguments;
use crate::text::{count_of, counted};

/// Count the rows and the cells of a table, by reading them.
///
/// A row counts if one of its cells is visible to this user with these labels. `fluo table show`
/// has the stored entries of each tablet, without reading them.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table count --at embedded:./data pages
  fluo table count --at prod --design web-table --domain example.com pages")]
pub(crate) struct Count {
    #[command(flatten)]
    stored: StoredTable,
    #[command(flatten)]
    rows: SelectionArguments,
    #[command(flatten)]
    written: Written,
}

impl Count {
    pub(crate) async fn run(&self) -> Result<()> {
        let decode = |row: &OsStr| self.written.named("row", row);
        let spans = self.stored.rows()?.spans(&self.rows, decode)?;
        let open = self.stored.open().await?;
        let mut reading = TableReading::new("cells", open.tablets_to_show(&spans).await);
        let (mut rows, mut cells, mut last) = (0_u64, 0_u64, None::<Bytes>);
        let mut batches = open.table.scan(Scan::over_all(spans));
        while let Some(batch) = batches.try_next().await? {
            cells += count_of(batch.len());
            for cell in batch {
                if last.as_ref() != Some(&cell.key.row) {
                    rows += 1;
                    last = Some(cell.key.row);
                }
            }
            last.iter().for_each(|last| reading.show(cells, last));
        }
        drop(reading);
        let table = &self.stored.name;
        if output::is_json() {
            return output::print_json(&json!({ "table": table, "rows": rows, "cells": cells }));
        }
        show!("table {table}: {}, {}", counted(rows, "row"), counted(cells, "cell"))
    }
}
