//! Writes to a real Accumulo.

use std::sync::Arc;

use accumulo_proxy::{BatchWriterOptions, ErrorKind, Mutation, ScanOptions};

use crate::ground::{read, table};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn the_longest_mutation_is_written_and_a_longer_one_is_refused() {
    let Some((client, table)) = table("write").await else {
        return;
    };
    let row = |bytes| vec![Mutation::new("r").put("f", "q", vec![b'v'; bytes])];
    client.write(&table, row(15 * MIB)).await.unwrap();
    let error = client.write(&table, row(16 * MIB)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(!error.may_have_taken_effect());
    let found = read(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value.len(), 15 * MIB);
}

#[tokio::test]
async fn reports_a_missing_table() {
    let Some(client) = crate::cluster::client().await else {
        return;
    };
    let put = || Mutation::new("r").put("f", "q", "v");
    let error = client
        .write("no_such_table", vec![put()])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    assert!(!error.may_have_taken_effect());
    let writer = client.batch_writer("no_such_table", BatchWriterOptions::default());
    writer.add(put()).await.unwrap();
    let error = writer.close().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_writer_writes_what_many_tasks_add() {
    const TASKS: usize = 4;
    const ROWS: usize = 25_000;
    let Some((client, table)) = table("write").await else {
        return;
    };
    let writer = Arc::new(client.batch_writer(table.as_str(), BatchWriterOptions::default()));
    let tasks = (0..TASKS).map(|task| {
        let writer = Arc::clone(&writer);
        tokio::spawn(async move {
            for row in 0..ROWS {
                let row = format!("row{:06}", row * TASKS + task);
                writer
                    .add(Mutation::new(row).put("f", "q", "v"))
                    .await
                    .unwrap();
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    writer.flush().await.unwrap();
    let found = read(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(found.len(), TASKS * ROWS);
    let expected = (0..TASKS * ROWS).map(|row| format!("row{row:06}"));
    assert!(
        found
            .iter()
            .map(|entry| entry.key.row.to_vec())
            .eq(expected.map(String::into_bytes))
    );
}
