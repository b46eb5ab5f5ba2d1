//! A table sink: exports that the table refuses, among others.

use std::sync::Arc;

use async_trait::async_trait;
use fluo_embedded::EmbeddedOptions;
use fluo_engine::{Column, Error, Timestamp};
use fluo_recipes::export_queue::{Export, Exported, Exporter, Exports};
use fluo_recipes::sink::TableSink;
use fluo_table::{
    Authorizations, Change, Mutation, Outcome, Result, Scan, Span, Table, TableAdmin, Update,
    Versions,
};
use fluo_tests::{Call, Fault, Hooks, Intercepted};

use crate::sink::{queue, table_showing};

/// The key, the sequence and the value of an export.
type Text = (&'static str, u64, &'static str);

/// An export of such a text.
type TextExport = Export<String, String>;

/// Returns a value of this many bytes.
fn bytes(count: usize) -> &'static str {
    "x".repeat(count).leak()
}

/// Returns a table whose mutations have at most 1,000 bytes.
async fn small_table(directory: &std::path::Path) -> Arc<dyn Table> {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let options = options.max_mutation_bytes(1_000);
    let tables = fluo_embedded::EmbeddedTables::open(directory, options).unwrap();
    tables.create_table("query", Versions::All).await.unwrap();
    let none = Authorizations::none();
    tables.open_table("query", none).await.unwrap()
}

fn text_export(key: &'static str, value: &str, sequence: Timestamp) -> TextExport {
    Export::new(key.to_owned(), key, value.to_owned(), sequence)
}

/// Exports texts until none is left, and returns the dead letters. Each text has a cell in the row
/// of its key, and in the row `all`. All exports of a pass are delivered twice, as if the first
/// transaction had not been committed.
async fn export(table: Arc<dyn Table>, texts: &[Text]) -> Vec<(u64, String)> {
    let translate = |export: &TextExport| {
        let cell = Column::new(export.key.clone(), export.sequence.to_string());
        let own = Mutation::new(export.key.clone()).put(cell.clone(), export.value.clone());
        Ok(vec![Mutation::new("all").put(cell, ""), own])
    };
    let entry =
        |(key, sequence, value): &Text| text_export(key, value, Timestamp::new(*sequence).unwrap());
    let sink = TableSink::new(&queue("eq"), table, translate);
    let (mut letters, mut rest) = (Vec::new(), texts);
    while !rest.is_empty() {
        let exports: Exports<_, _> = rest.iter().map(entry).collect();
        let exported = sink.export(exports.clone()).await.unwrap();
        assert_eq!(sink.export(exports).await.unwrap(), exported);
        let (up_to, rejected) = match exported {
            Exported::All => (rest.len(), Vec::new()),
            Exported::UpTo(up_to) => (up_to, Vec::new()),
            Exported::DeadLetters { up_to, rejected } => (up_to, rejected),
        };
        letters.extend(rejected.into_iter().map(|(index, why)| (rest[index].1, why)));
        rest = &rest[up_to..];
    }
    letters
}

/// Returns the columns of the cells that exports have in a row.
async fn written(table: &dyn Table, row: &'static str) -> String {
    let cells = table.read(Scan::over(Span::row(row))).await.unwrap();
    let columns = cells.iter().map(|cell| cell.key.column.to_string());
    let exports = columns.filter(|column| !column.starts_with("fluoRecipes"));
    exports.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn an_export_above_the_limit_of_the_table_becomes_a_dead_letter() {
    let directory = tempfile::tempdir().unwrap();
    let table = small_table(directory.path()).await;
    let texts = [
        ("a", 2, "good"),
        ("a", 4, bytes(2_000)),
        ("a", 6, "good"),
        ("b", 3, bytes(2_000)),
        ("c", 1, "good"),
    ];
    let letters = export(table.clone(), &texts).await;
    let [(4, why), (3, other)] = letters.as_slice() else {
        panic!("{letters:?}");
    };
    for (row, why) in [("a", why), ("b", other)] {
        let begin = format!("the mutation of row `{row}` has 2");
        let end = " bytes; this table takes 1,000 at most";
        assert!(why.starts_with(&begin) && why.ends_with(end), "{why}");
    }
    assert_eq!(written(&*table, "a").await, "a:2 a:6");
    assert_eq!(written(&*table, "all").await, "a:2 a:6 c:1");
}

#[tokio::test]
async fn writes_exports_that_are_too_large_together() {
    let directory = tempfile::tempdir().unwrap();
    let table = small_table(directory.path()).await;
    let texts = [1, 2, 3, 4, 5].map(|sequence| ("a", sequence, bytes(600)));
    assert_eq!(export(table.clone(), &texts).await, []);
    assert_eq!(written(&*table, "a").await, "a:1 a:2 a:3 a:4 a:5");
}

/// A constraint that forbids the value `odd` in rows other than `all`. It refuses a mutation and
/// not its call.
struct Constraint(Arc<dyn Table>);

fn is_odd(update: &Update) -> bool {
    matches!(&update.change, Change::Put(value) if value == "odd")
}

#[async_trait]
impl Hooks for Constraint {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        // The writes are done below.
        Ok(call.is_write().then_some(Fault::Lost))
    }

    async fn after(&self, call: &Call, answer: &mut Result<Vec<Outcome>>) {
        let Call::WriteConditional(mutations) = call else { return };
        let mut outcomes = Vec::new();
        for one in mutations {
            outcomes.push(match one.mutation.updates.iter().any(is_odd) {
                true => Outcome::ConstraintViolation(Error::invalid("`odd` is no value")),
                false => self.0.write_conditional(vec![one.clone()]).await.unwrap().remove(0),
            });
        }
        *answer = Ok(outcomes);
    }
}

#[tokio::test]
async fn an_export_that_violates_a_constraint_becomes_a_dead_letter() {
    let table = table_showing(Versions::All).await.1;
    let constrained = Intercepted::with_hooks(table.clone(), Constraint(table.clone()));
    let texts =
        [("a", 2, "good"), ("a", 4, "odd"), ("a", 6, "good"), ("b", 3, "odd"), ("c", 1, "good")];
    let expected = [4, 3].map(|sequence| (sequence, "`odd` is no value".to_owned()));
    assert_eq!(export(Arc::new(constrained), &texts).await, expected);
    assert_eq!(written(&*table, "a").await, "a:2 a:6");
    assert_eq!(written(&*table, "b").await, "");
    assert_eq!(written(&*table, "all").await, "a:2 a:4 a:6 b:3 c:1");
}

#[tokio::test]
async fn an_export_with_an_invalid_visibility_becomes_a_dead_letter() {
    let table = table_showing(Versions::default()).await.1;
    let translate = |export: &TextExport| {
        let column = Column::new("f", "q").with_visibility(export.value.clone());
        Ok(vec![Mutation::new(export.key.clone()).put(column, "")])
    };
    let sink = TableSink::new(&queue("eq"), table.clone(), translate);
    let entry = |(key, label)| text_export(key, label, Timestamp::ZERO);
    let exports = [("a", ""), ("b", "(secret"), ("c", "")].map(entry);
    let exported = sink.export(exports.into()).await.unwrap();
    let Exported::DeadLetters { up_to: 3, rejected } = exported else {
        panic!("{exported:?}");
    };
    let [(1, why)] = rejected.as_slice() else {
        panic!("{rejected:?}");
    };
    assert!(why.starts_with("row `b`, column `f:q"), "{why}");
    assert_eq!(written(&*table, "a").await, "f:q");
    assert_eq!(written(&*table, "c").await, "f:q");
}
