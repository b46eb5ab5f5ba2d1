//! Writes to a real Accumulo.

use std::sync::Arc;

use accumulo_proxy::{BatchWriterOptions, ColumnUpdate, ErrorKind, Mutation, ScanOptions};

use crate::fresh::{entries, table};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn a_long_write_is_written_completely() {
    let Some((client, table)) = table("write").await else {
        return;
    };
    let row = |row| Mutation::new(format!("row{row:05}")).put("f", "q", vec![b'v'; 10_000]);
    client
        .write(&table, (0..2_000).map(row).collect())
        .await
        .unwrap();
    let read = entries(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(read.len(), 2_000);
    assert!(read.iter().all(|entry| entry.value.len() == 10_000));
}

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
    let read = entries(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].value.len(), 15 * MIB);
}

#[tokio::test]
async fn updates_of_a_row_take_effect() {
    let Some((client, table)) = table("write").await else {
        return;
    };
    let put = Mutation::new("r").put("f", "a", "1").put("f", "b", "2");
    let late = ColumnUpdate::put("f", "c", "3")
        .at(77)
        .with_visibility("x|(y&z)");
    client.write(&table, vec![put.update(late)]).await.unwrap();
    client
        .write(&table, vec![Mutation::new("r").delete("f", "a")])
        .await
        .unwrap();
    let options = ScanOptions::default().no_authorizations();
    let read = entries(client.scanner(table, options)).await.unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].key.qualifier, "b");
    assert!(
        read[0].key.timestamp > 1_000_000_000_000,
        "set by the server"
    );
}

#[tokio::test]
async fn violations_of_a_constraint_are_rejected() {
    let Some((client, table)) = table("write").await else {
        return;
    };
    // Each new table has the constraint that a key is below 1 MiB.
    let long = Mutation::new("r").put("f", vec![b'q'; 2 * MIB], "v");
    let error = client.write(&table, vec![long]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MutationsRejected, "{error}");
    assert!(error.reason().contains("constraint"), "{error}");
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
    let read = entries(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(read.len(), TASKS * ROWS);
    let expected = (0..TASKS * ROWS).map(|row| format!("row{row:06}"));
    assert!(
        read.iter()
            .map(|entry| entry.key.row.to_vec())
            .eq(expected.map(String::into_bytes))
    );
}
