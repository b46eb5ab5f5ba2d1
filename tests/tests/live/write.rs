//! Writes to a real Accumulo.

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
    let found = read(client.scanner(table, ScanOptions::default())).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value.len(), 15 * MIB);
}

#[tokio::test]
async fn reports_a_missing_table() {
    let Some(client) = crate::cluster::client().await else {
        return;
    };
    let put = || Mutation::new("r").put("f", "q", "v");
    let error = client.write("no_such_table", vec![put()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    assert!(!error.may_have_taken_effect());
    let writer = client.batch_writer("no_such_table", BatchWriterOptions::default());
    writer.add(put()).await.unwrap();
    let error = writer.close().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
}
