//! Conditional writes to a real Accumulo.

use accumulo_proxy::{
    ColumnUpdate, Condition, ConditionalMutation, ConditionalOutcome, ConditionalWriter,
    ConditionalWriterOptions, ErrorKind, IteratorSetting, Mutation, ScanOptions,
};

use crate::fresh::{entries, table};

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
async fn applies_a_mutation_only_if_its_condition_holds() {
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    let writer = client.conditional_writer(table.as_str(), ConditionalWriterOptions::default());
    assert!(write(&writer, create("r")).await.is_accepted());
    assert!(matches!(
        write(&writer, create("r")).await,
        ConditionalOutcome::Rejected
    ));
    let from = |value: &'static str| put("r", "changed").when([Condition::equal("f", "q", value)]);
    assert!(matches!(
        write(&writer, from("other")).await,
        ConditionalOutcome::Rejected
    ));
    assert!(write(&writer, from("created")).await.is_accepted());
    let read = entries(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].value, "changed");
}

#[tokio::test]
async fn a_condition_can_select_one_timestamp() {
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    let at = |timestamp: i64| ColumnUpdate::put("f", "q", timestamp.to_string()).at(timestamp);
    client
        .write(&table, vec![Mutation::new("r").update(at(5))])
        .await
        .unwrap();
    let writer = client.conditional_writer(table, ConditionalWriterOptions::default());
    let other = put("r", "v").when([Condition::equal("f", "q", "5").at(4)]);
    assert!(matches!(
        write(&writer, other).await,
        ConditionalOutcome::Rejected
    ));
    let same = put("r", "v").when([Condition::equal("f", "q", "5").at(5)]);
    assert!(write(&writer, same).await.is_accepted());
}

#[tokio::test]
async fn a_constraint_forbids_a_write_whose_conditions_hold() {
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    let writer = client.conditional_writer(table, ConditionalWriterOptions::default());
    // Each new table has the constraint that a key is below 1 MiB.
    let long = Mutation::new("r").put("f", vec![b'q'; 2 * 1024 * 1024], "v");
    let long = long.when([Condition::absent("f", "q")]);
    assert!(matches!(
        write(&writer, long).await,
        ConditionalOutcome::ConstraintViolation
    ));
}

#[tokio::test]
async fn reports_a_condition_on_an_invisible_column() {
    // This also grants the authorizations.
    if crate::cluster::tables().await.is_none() {
        return;
    }
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    let hidden = || put("r", "v").when([Condition::absent("f", "q").with_visibility("A")]);
    // Without given authorizations the proxy uses none, although the user has some.
    let blind = client.conditional_writer(table.as_str(), ConditionalWriterOptions::default());
    let outcome = write(&blind, hidden()).await;
    assert!(
        matches!(outcome, ConditionalOutcome::InvisibleVisibility),
        "{outcome:?}"
    );
    let options = ConditionalWriterOptions::default().authorizations(["A"]);
    let seeing = client.conditional_writer(table, options);
    assert!(write(&seeing, hidden()).await.is_accepted());
}

#[tokio::test]
async fn an_iterator_of_a_condition_runs() {
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    client.write(&table, vec![put("r", "here")]).await.unwrap();
    let writer = client.conditional_writer(table, ConditionalWriterOptions::default());
    let class = "org.apache.accumulo.core.iterators.user.RegExFilter";
    let filter = |regex: &str| {
        let filter = IteratorSetting::new(10, "filter", class).option("valueRegex", regex);
        put("r", "here").when([Condition::absent("f", "q").iterator(filter)])
    };
    assert!(matches!(
        write(&writer, filter("here")).await,
        ConditionalOutcome::Rejected
    ));
    assert!(write(&writer, filter("elsewhere")).await.is_accepted());
}

#[tokio::test]
async fn an_iterator_that_the_servers_lack_leaves_the_outcome_unknown() {
    let Some((client, table)) = table("conditional").await else {
        return;
    };
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
async fn a_missing_table_is_an_error() {
    let Some(client) = crate::cluster::client().await else {
        return;
    };
    let writer = client.conditional_writer("no_such_table", ConditionalWriterOptions::default());
    let error = writer.write(create("r")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableNotFound);
    assert!(!error.may_have_taken_effect());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_tasks_creates_each_row() {
    const TASKS: usize = 16;
    const ROWS: usize = 200;
    let Some((client, table)) = table("conditional").await else {
        return;
    };
    let writer = client.conditional_writer(table.as_str(), ConditionalWriterOptions::default());
    let tasks = (0..TASKS).map(|_| {
        let writer = writer.clone();
        tokio::spawn(async move {
            let rows = (0..ROWS).map(|row| create(&format!("row{row}")));
            let outcomes = writer.write_all(rows.collect()).await.unwrap();
            outcomes
                .iter()
                .filter(|outcome| outcome.is_accepted())
                .count()
        })
    });
    let mut accepted = 0;
    for task in tasks.collect::<Vec<_>>() {
        accepted += task.await.unwrap();
    }
    assert_eq!(accepted, ROWS);
    let read = entries(client.scanner(table, ScanOptions::default()))
        .await
        .unwrap();
    assert_eq!(read.len(), ROWS);
}
