//! Concurrent readers, writers and a migration on a durable table.

use std::collections::BTreeSet;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::KeyMigration;
use fluo_table::{Bytes, Mutation, TableAdmin, Versions};

use super::{TABLE, column, migrate, modulo, new_table, scan_all, small_steps};

/// Moves and writes rows while they are read. Each reader sees every row once, and never an older
/// value than before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_every_row_once_during_writes_and_a_migration() {
    const ROWS: usize = 3_000;
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory.path(), options).unwrap();
    let table = new_table(&tables, Versions::default()).await;
    let name = |row: usize| format!("row-{row:05}");
    let old = modulo(16);
    let put = |row: usize| {
        Mutation::new(old.encode_row(name(row).as_bytes()).unwrap()).put_at(column("q"), 0, "0")
    };
    table.write((0..ROWS).map(put).collect()).await.unwrap();
    let epochs = KeyMigration::new([old.clone(), modulo(64)], Versions::default()).unwrap();

    let migration = tokio::spawn({
        let (epochs, table) = (epochs.clone(), table.clone());
        async move { migrate(&epochs, &*table, &small_steps(40)).await }
    });
    let writing = tokio::spawn({
        let (epochs, table) = (epochs.clone(), table.clone());
        async move {
            for number in 1..300_i64 {
                let row = name(usize::try_from(number).unwrap() * 37 % ROWS);
                let put = Mutation::new(epochs.key(row.as_bytes()).unwrap());
                let put = put.put_at(column("q"), number, number.to_string());
                table.write(vec![put]).await.unwrap();
            }
        }
    });
    let splitting = tokio::spawn(async move {
        for bucket in 1..64 {
            let split = Bytes::from(format!("{bucket:02}"));
            tables
                .add_splits(TABLE, &BTreeSet::from([split]))
                .await
                .unwrap();
        }
        tables
    });
    let (mut newest, mut rounds) = (vec![0_i64; ROWS], 0);
    while !(migration.is_finished() && writing.is_finished()) || rounds < 3 {
        let cells = scan_all(&epochs, &table).await;
        assert_eq!(cells.len(), ROWS);
        for (row, (cell, newest)) in cells.iter().zip(&mut newest).enumerate() {
            assert_eq!(cell.0, name(row));
            assert!(cell.2 >= *newest, "{} changed back to {}", cell.0, cell.2);
            *newest = cell.2;
        }
        rounds += 1;
    }
    writing.await.unwrap();
    let done = migration.await.unwrap();
    assert_eq!((done.rows_contended, done.rows_hidden), (0, 0), "{done:?}");
    let counts = epochs.count(&*table).await.unwrap();
    assert_eq!(
        (counts.left(), counts.done()),
        (0, u64::try_from(ROWS).unwrap())
    );
    splitting.await.unwrap();
}
