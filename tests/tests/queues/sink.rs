//! A table sink: each export takes effect once, in the order of its key.

use std::sync::Arc;

use fluo_engine::{Bytes, Column, Error, ErrorKind, Instance, Timestamp};
use fluo_recipes::codec::{Codec, Postcard, Text};
use fluo_recipes::export_queue::{Export, ExportError, ExportQueue, Exported, Exporter, Exports};
use fluo_recipes::recording::difference;
use fluo_recipes::sink::TableSink;
use fluo_table::{Authorizations, Garbage, Mutation, Scan, Span, Table, TableAdmin, Versions};

type Links = Export<String, Option<String>>;

fn export(key: &str, value: Option<&str>, sequence: u64) -> Links {
    let sequence = Timestamp::new(sequence).unwrap();
    Export::new(key.to_owned(), Bytes::from(key.to_owned()), value.map(str::to_owned), sequence)
}

fn links() -> Column {
    Column::new("page", "links")
}

async fn table() -> (Instance, Arc<dyn Table>) {
    table_showing(Versions::default()).await
}

pub(crate) async fn table_showing(versions: Versions) -> (Instance, Arc<dyn Table>) {
    let fluo = Instance::in_memory();
    fluo.create_table("query", versions).await.unwrap();
    let query = fluo.open_table("query", Authorizations::none()).await.unwrap();
    (fluo, query)
}

/// Returns a queue with the key and value types of a sink.
pub(crate) fn queue<V: 'static>(id: &str) -> ExportQueue<String, V>
where
    Postcard: Codec<V>,
{
    ExportQueue::with_codecs(id, Text, Postcard).unwrap()
}

fn no_row() -> Error {
    Error::with_source(ErrorKind::Invalid, "no row for it", "the key is too old")
}

/// A sink that sets or deletes the cell of a key, and rejects the key `bad`.
fn sink(table: &Arc<dyn Table>) -> impl Exporter<String, Option<String>> {
    TableSink::new(&queue("eq"), table.clone(), |export: &Links| {
        let mutation = Mutation::new(export.key.clone());
        match &export.value {
            _ if export.key == "bad" => Err(no_row().into()),
            Some(value) => Ok(vec![mutation.put(links(), value.clone())]),
            None => Ok(vec![mutation.delete(links())]),
        }
    })
}

async fn apply<const N: usize>(
    sink: &impl Exporter<String, Option<String>>,
    exports: [Links; N],
) -> Result<Exported, ExportError> {
    let exports: Exports<_, _> = Arc::from(exports);
    sink.export(exports).await
}

#[tokio::test]
async fn applies_an_export_once_and_ignores_late_ones() {
    let (fluo, table) = table().await;
    let sink = sink(&table);
    let value = async || {
        let value = table.get("a", &links()).await.unwrap();
        value.map(|value| String::from_utf8(value.to_vec()).unwrap())
    };
    for (exports, expected) in [
        ([export("a", Some("1"), 3), export("a", Some("2"), 5)], Some("2")),
        ([export("a", Some("1"), 3), export("a", Some("2"), 5)], Some("2")),
        ([export("a", Some("late"), 4), export("b", None, 4)], Some("2")),
        ([export("a", None, 7), export("b", None, 7)], None),
        // Without the check, the compaction would drop the marker of the delete.
        ([export("a", Some("2"), 5), export("b", None, 5)], None),
        ([export("a", None, 8), export("a", Some("3"), 9)], Some("3")),
    ] {
        assert_eq!(apply(&sink, exports).await.unwrap(), Exported::All);
        assert_eq!(value().await.as_deref(), expected);
        fluo.compact("query", &Span::all(), Garbage::Keep).await.unwrap();
    }
    let sequences = table.read(Scan::over(Span::row("a"))).await.unwrap();
    let sequence = &sequences[0];
    assert_eq!(sequence.key.column, Column::new("fluoRecipes", "seq:eq:a"));
    assert_eq!((&*sequence.value, sequence.key.timestamp), (&b"9"[..], 9));
}

#[tokio::test]
async fn keeps_the_sequences_of_keys_that_share_a_row_apart() {
    let (_, table) = table().await;
    let sink = TableSink::new(&queue("eq"), table.clone(), |export: &Links| {
        let column = Column::new("inlinks", export.key.clone());
        Ok(vec![Mutation::new("target").put(column, "")])
    });
    for (key, sequence) in [("a", 9), ("b", 3), ("c", 5)] {
        apply(&sink, [export(key, None, sequence)]).await.unwrap();
    }
    let cells = table.read(Scan::over(Span::row("target"))).await.unwrap();
    let links = cells.iter().filter(|cell| cell.key.column.family == "inlinks");
    assert_eq!(links.count(), 3);
}

#[tokio::test]
async fn keeps_the_sequences_of_two_queues_apart() {
    let (_, table) = table().await;
    for (id, sequence) in [("inlinks", 9), ("titles", 3), ("inlinks", 5), ("titles", 4)] {
        let sink = TableSink::new(&queue(id), table.clone(), move |export: &Links| {
            let column = Column::new(id, export.sequence.to_string());
            Ok(vec![Mutation::new("page").put(column, "")])
        });
        apply(&sink, [export("a", None, sequence)]).await.unwrap();
    }
    let cells = table.read(Scan::over(Span::row("page"))).await.unwrap();
    let found: Vec<_> = cells.iter().map(|cell| cell.key.column.to_string()).collect();
    assert_eq!(
        found,
        [
            "fluoRecipes:seq:inlinks:a",
            "fluoRecipes:seq:titles:a",
            "inlinks:9",
            "titles:3",
            "titles:4"
        ]
    );
}

#[tokio::test]
async fn rejects_what_cannot_be_translated_and_writes_the_rest() {
    let (fluo, table) = table().await;
    let sink = sink(&table);
    let exports = [export("a", Some("1"), 3), export("bad", None, 3)];
    let answer = apply(&sink, exports.clone()).await.unwrap();
    let why = "no row for it: the key is too old".to_owned();
    assert_eq!(answer, Exported::all_but(2, vec![(1, why)]));
    assert_eq!(table.get("a", &links()).await.unwrap().as_deref(), Some(&b"1"[..]));
    fluo.delete_table("query").await.unwrap();
    let error = apply(&sink, exports).await.unwrap_err();
    assert!(error.to_string().starts_with("the exporter failed: "), "{error}");
}

#[tokio::test]
async fn writes_the_difference_of_two_states() {
    let (_, table) = table().await;
    let sink =
        TableSink::new(&queue("eq"), table.clone(), |export: &Export<String, (String, String)>| {
            let cells = |letters: &str| {
                let cell = |letter: char| {
                    let cell = fluo_engine::RowColumn::new(
                        export.key.clone(),
                        Column::new("cf", letter.to_string()),
                    );
                    (cell, Bytes::from(format!("v:{letter}")))
                };
                letters.chars().map(cell).collect()
            };
            let (old, new) = &export.value;
            Ok(difference(&cells(old), &cells(new), export.sequence))
        });
    let change = |old: &str, new: &str, sequence| {
        let value = (old.to_owned(), new.to_owned());
        let sequence = Timestamp::new(sequence).unwrap();
        Arc::from([Export::new("k".to_owned(), "k", value, sequence)])
    };
    for (old, new, sequence) in [("", "ab", 1), ("ab", "bc", 2), ("ab", "bc", 2), ("", "ab", 1)] {
        sink.export(change(old, new, sequence)).await.unwrap();
    }
    let cells = table.read(Scan::over(Span::row("k"))).await.unwrap();
    let found: Vec<_> = cells.iter().map(|cell| cell.key.column.to_string()).collect();
    assert_eq!(found, ["cf:b", "cf:c", "fluoRecipes:seq:eq:k"]);
}
