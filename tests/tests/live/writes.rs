//! Writes to a real Accumulo, plain and conditional.

use accumulo_proxy::{
    Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriter,
    ConditionalWriterOptions, ErrorKind, IteratorSetting, Mutation, ScanOptions,
};

use crate::ground::{read, table};

const MIB: usize = 1024 * 1024;

fn put(row: &str, value: &str) -> Mutation {
    Mutation::new(row.to_owned()).put("f", "q", value.to_owned())
}

fn create(row: &str) -> ConditionalMutation {
    put(row, "created").when([Condition::absent("f", "q")])
}

async fn write(writer: &ConditionalWriter, mutation: ConditionalMutation) -> ConditionalOutcome {
    writer.write(mutation).await.unwrap()
}

#[tokio::test]
async fn reports_a_condition_on_an_invisible_column() {
    // This also grants the authorizations.
    if crate::cluster::tables().await.is_none() {
        return;
    }
    let Some((client, table)) = table("conditional").await else { return };
    let hidden = || put("r", "v").when([Condition::absent("f", "q").with_visibility("A")]);
    // Without given authorizations the proxy uses none, although the user has some.
    let blind = client.conditional_writer(table.as_str(), ConditionalWriterOptions::default());
    let outcome = write(&blind, hidden()).await;
    assert!(matches!(outcome, ConditionalOutcome::InvisibleVisibility), "{outcome:?}");
    let options = ConditionalWriterOptions::default().authorizations(["A"]);
    let seeing = client.conditional_writer(table, options);
    assert!(write(&seeing, hidden()).await.is_accepted());
}

#[tokio::test]
async fn an_iterator_that_the_servers_lack_leaves_the_outcome_unknown() {
    let Some((client, table)) = table("conditional").await else { return };
    let writer = client.conditional_writer(table, ConditionalWriterOptions::default());
    let iterator = IteratorSetting::new(10, "none", "org.example.NoSuchIterator");
    let mutation = put("r", "v").when([Condition::absent("f", "q").iterator(iterator)]);
    match write(&writer, mutation).await {
        ConditionalOutcome::Unknown(Some(error)) => assert!(error.may_have_taken_effect()),
        other => panic!("{other:?}"),
    }
    // The writer still works.
    assert!(write(&writer, create("r")).await.is_accepted());
}

#[tokio::test]
async fn the_longest_mutation_is_written_and_a_longer_one_is_refused() {
    let Some((client, table)) = table("write").await else { return };
    let row = |bytes| vec![Mutation::new("r").put("f", "q", vec![b'v'; bytes])];
    client.write(&table, row(15 * MIB)).await.unwrap();
    let error = client.write(&table, row(16 * MIB)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(!error.may_have_taken_effect());
    let found = read(client.scanner(table, ScanOptions::default())).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].value.len(), 15 * MIB);
}
