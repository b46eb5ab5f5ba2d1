//! A table sink: repeated exports, and exports at the same time.

use std::sync::Arc;

use fluo::{Bytes, Column, ObserverError, Timestamp};
use fluo_recipes::export_queue::{Export, Exported, Exporter, Exports};
use fluo_recipes::sink::TableSink;
use fluo_table::{
    Authorizations, MemoryTables, Mutation, Result, Table, TableAdmin, TableExt, Versions,
};
use fluo_tests::{Call, Intercepted};

fn count() -> Column {
    Column::new("page", "count")
}

/// Exports numbers of the key `cat`, whose sequences are the numbers.
fn exports(numbers: &[u64]) -> Exports<String, u64> {
    let export = |number: &u64| {
        let sequence = Timestamp::new(*number).unwrap();
        Export::new("cat".to_owned(), "cat", *number, sequence)
    };
    numbers.iter().map(export).collect()
}

/// Returns a sink whose cells have one timestamp, so the last write wins.
fn sink(table: Arc<dyn Table>) -> impl Exporter<String, u64> {
    let translate = |export: &Export<String, u64>| -> Result<_, ObserverError> {
        let mutation = Mutation::new(export.key.clone());
        Ok(vec![mutation.put_at(count(), 1, export.value.to_string())])
    };
    TableSink::new("visits", table, translate)
}

async fn table() -> Arc<dyn Table> {
    let tables = MemoryTables::new();
    tables
        .create_table("query", Versions::default())
        .await
        .unwrap();
    tables
        .open_table("query", Authorizations::none())
        .await
        .unwrap()
}

async fn value(table: &dyn Table) -> Option<Bytes> {
    table.get("cat", &count()).await.unwrap()
}

#[tokio::test]
async fn ignores_exports_that_are_repeated() {
    let table = table().await;
    let sink = sink(table.clone());
    for (numbers, expected) in [
        (&[3][..], "3"),
        (&[5], "5"),
        (&[5], "5"),
        (&[3], "5"),
        (&[3, 5, 7], "7"),
    ] {
        let exported = sink.export(exports(numbers)).await.unwrap();
        assert_eq!(exported, Exported::All);
        assert_eq!(value(&*table).await.as_deref(), Some(expected.as_bytes()));
    }
}

/// A worker that has stopped sends its exports late: after it has read that none is later, and
/// after another worker has written a later one.
#[tokio::test]
async fn writes_nothing_if_a_later_export_is_written_at_the_same_time() {
    for stored in [&[][..], &[1]] {
        let table = table().await;
        let direct = Arc::new(sink(table.clone()));
        direct.export(exports(stored)).await.unwrap();
        let meanwhile = direct.clone();
        let late = Intercepted::with_hooks(table.clone(), move |call: &Call| {
            let (is_write, meanwhile) = (call.is_write(), meanwhile.clone());
            async move {
                if is_write {
                    meanwhile.export(exports(&[7])).await.unwrap();
                }
                Ok(None)
            }
        });
        let exported = sink(Arc::new(late)).export(exports(&[5])).await.unwrap();
        assert_eq!(exported, Exported::All);
        assert_eq!(value(&*table).await.as_deref(), Some(&b"7"[..]));
    }
}
