//! Rows of several designs in one table: no row is missed or read twice while rows are moved.

mod absent;
mod histories;
mod interrupted;
mod moving;
mod orders;
mod refusals;
mod scene;
mod unsalted;
mod without_key;

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_keys::{
    DigestSalt, KeyDesign, KeyMigration, MigrationCursor, MigrationOptions, MigrationStep, Modulo,
    RowBatch, RowHasher, RowSelection, Unsalted,
};
use fluo_table::{Authorizations, Cell, Column, Table, TableAdmin, Versions};
use futures::stream::TryStreamExt;

const TABLE: &str = "events";

fn modulo(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo { buckets, ..Modulo::default() }).unwrap()
}

fn digest(digits: u8, separator: &str) -> KeyDesign {
    KeyDesign::new(DigestSalt { digits, separator: separator.to_owned(), ..DigestSalt::default() })
        .unwrap()
}

fn hasher(prefix: &str) -> KeyDesign {
    KeyDesign::from(&RowHasher::new(prefix).unwrap())
}

fn unsalted() -> KeyDesign {
    KeyDesign::new(Unsalted {}).unwrap()
}

async fn new_table(tables: &dyn TableAdmin, versions: Versions) -> Arc<dyn Table> {
    tables.create_table(TABLE, versions).await.unwrap();
    tables.open_table(TABLE, Authorizations::none()).await.unwrap()
}

fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

fn small_steps(cells: usize) -> MigrationOptions {
    MigrationOptions::new().step_cells(NonZeroUsize::new(cells).unwrap())
}

/// Runs a migration to its end.
async fn migrate(
    epochs: &KeyMigration,
    table: &dyn Table,
    options: &MigrationOptions,
) -> MigrationStep {
    let (mut all, mut cursor) = (MigrationStep::default(), None);
    loop {
        let step = epochs.migrate_step(table, cursor.as_ref(), options).await.unwrap();
        all.rows_seen += step.rows_seen;
        all.rows_moved += step.rows_moved;
        all.cells_moved += step.cells_moved;
        all.rows_contended += step.rows_contended;
        all.rows_hidden += step.rows_hidden;
        all.rows_foreign += step.rows_foreign;
        all.rows_without_key += step.rows_without_key;
        let Some(next) = step.cursor else { return all };
        let text = next.to_string();
        cursor = Some(text.parse::<MigrationCursor>().unwrap());
    }
}

/// Row, qualifier, timestamp and value of every cell, in order.
type Seen = Vec<(String, String, i64, String)>;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn seen(row: &[u8], cells: &[Cell]) -> Seen {
    let cell = |cell: &Cell| {
        (text(row), text(&cell.key.column.qualifier), cell.key.timestamp, text(&cell.value))
    };
    cells.iter().map(cell).collect()
}

async fn scan_all(epochs: &KeyMigration, table: &Arc<dyn Table>) -> Seen {
    let scan = epochs.scan(&RowSelection::All).unwrap().concurrent_reads(1);
    let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
    let rows = batches.iter().flat_map(RowBatch::rows);
    rows.flat_map(|row| seen(row.row, row.cells)).collect()
}
