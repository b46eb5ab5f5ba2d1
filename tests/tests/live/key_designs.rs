//! Key designs on a real Accumulo: scans return the documented ranges and orders.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_accumulo::AccumuloTables;
use fluo_keys::{
    DesignSettings, DigestSalt, KeyDesign, Modulo, RowBatch, RowSelection, SaltedScan,
};
use fluo_table::{Authorizations, Bytes, Column, Mutation, Table, TableAdmin, Versions};
use futures::TryStreamExt;

use crate::ground::fresh_name;

fn column() -> Column {
    Column::new("f", "q")
}

fn design(settings: impl Into<DesignSettings>) -> KeyDesign {
    KeyDesign::new(settings).unwrap()
}

/// Creates a table with these rows under their keys.
async fn loaded(
    tables: &AccumuloTables,
    design: &KeyDesign,
    rows: &[String],
) -> (String, Arc<dyn Table>) {
    let name = fresh_name("key_design");
    tables.create_table(&name, Versions::default()).await.unwrap();
    let table = tables.open_table(&name, Authorizations::none()).await.unwrap();
    let write = |row: &String| {
        let key = design.encode_row(row.as_bytes()).unwrap();
        Mutation::new(key).put(column(), row.clone())
    };
    table.write(rows.iter().map(write).collect()).await.unwrap();
    (name, table)
}

/// Returns the user's rows that a scan yields, in its order.
async fn read(table: &Arc<dyn Table>, design: &KeyDesign, rows: &RowSelection) -> Vec<Bytes> {
    let scan = SaltedScan::new(design, rows).unwrap();
    let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
    let rows = batches.iter().flat_map(RowBatch::rows);
    rows.map(|row| Bytes::copy_from_slice(row.row)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_merged_scan_keeps_the_order_of_rows_while_tablets_split() {
    let Some(tables) = crate::cluster::tables().await else { return };
    let rows: Vec<_> = (0..2_000).map(|row| format!("row {row:05}")).collect();
    for design in
        [design(Modulo::default()), design(DigestSalt { digits: 1, ..DigestSalt::default() })]
    {
        let (name, table) = loaded(&tables, &design, &rows).await;
        let some = RowSelection::range("row 00500", "row 01500");
        let half = SaltedScan::new(&design, &some).unwrap().limit(300);
        let mut first: Vec<_> = half.clone().run(table.clone()).try_collect().await.unwrap();
        let cursor = first.pop().unwrap().cursor();
        // The table is split at the beginnings of its salts in the middle of the scan.
        let splits: BTreeSet<_> = design.splits(8).unwrap().into_iter().collect();
        tables.add_splits(&name, &splits).await.unwrap();
        let next = half.after(&cursor).unwrap().run(table.clone());
        let next: Vec<_> = next.try_collect().await.unwrap();
        let mut after = next.iter().flat_map(RowBatch::rows);
        assert_eq!(after.next().unwrap().row, b"row 00800", "{design}");

        assert_eq!(read(&table, &design, &some).await, rows[500..1_500]);
        assert_eq!(read(&table, &design, &RowSelection::All).await, rows);
        tables.delete_table(&name).await.unwrap();
    }
}
