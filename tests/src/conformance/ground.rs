//! The table of one rule, and helpers that the rules share.

use std::sync::Arc;

use fluo_table::{
    Authorizations, Bytes, Cell, Column, ErrorKind, Key, Mutation, Result, Scan, Span, Table,
    TableAdmin, Versions,
};
use futures::stream::TryStreamExt;

use crate::deferred::after_the_check;

const PURPOSE: &str = "conformance";

/// A property without an effect on any table.
pub(super) const CUSTOM: &str = "table.custom.conformance";

/// A table that no other rule and no other run uses. It is deleted after its rule; a failed rule
/// leaves it for inspection.
pub(super) struct Ground {
    pub(super) tables: Arc<dyn TableAdmin>,
    pub(super) name: String,
    /// A handle without authorizations.
    pub(super) table: Arc<dyn Table>,
}

impl Ground {
    pub(super) async fn new(tables: &Arc<dyn TableAdmin>, versions: Versions) -> Self {
        let name = unused_name();
        tables.create_table(&name, versions).await.unwrap();
        let (made, made_name) = (tables.clone(), name.clone());
        after_the_check(async move { made.delete_table(&made_name).await });
        let none = Authorizations::none();
        let table = tables.open_table(&name, none).await.unwrap();
        Self { tables: tables.clone(), name, table }
    }

    pub(super) async fn reader(&self, labels: &[&'static str]) -> Arc<dyn Table> {
        let held = labels.iter().copied().collect();
        self.tables.open_table(&self.name, held).await.unwrap()
    }

    pub(super) async fn write(&self, mutations: Vec<Mutation>) {
        self.table.write(mutations).await.unwrap();
    }

    pub(super) async fn read(&self, scan: Scan) -> Vec<Cell> {
        read(&*self.table, scan).await
    }

    pub(super) async fn all(&self) -> Vec<Cell> {
        self.read(Scan::over(Span::all())).await
    }

    pub(super) async fn splits(&self) -> Vec<Bytes> {
        self.tables.splits(&self.name).await.unwrap()
    }

    pub(super) async fn add_splits<const N: usize>(&self, splits: [&'static str; N]) {
        let splits = splits.into_iter().map(Bytes::from).collect();
        self.tables.add_splits(&self.name, &splits).await.unwrap();
    }

    pub(super) async fn set_versions(&self, versions: Versions) {
        set_versions(&*self.tables, &self.name, versions).await;
    }

    pub(super) async fn end(self) {
        self.tables.delete_table(&self.name).await.unwrap();
    }
}

/// Returns a name that no table has.
pub(super) fn unused_name() -> String {
    crate::unused_name::unused_name(PURPOSE)
}

/// Returns the common prefix of the names of all tables that the rules create in this process.
pub fn table_prefix() -> String {
    crate::unused_name::prefix(PURPOSE)
}

/// Sets the properties of `versions`, and removes all other properties of versions.
pub(super) async fn set_versions(tables: &dyn TableAdmin, name: &str, versions: Versions) {
    let wanted = versions.to_properties();
    let in_force = tables.properties(name).await.unwrap();
    let is_of_versions =
        |property: &&String| property.starts_with("table.iterator.") && property.contains(".vers");
    for property in in_force.keys().filter(is_of_versions) {
        if !wanted.contains_key(property) {
            tables.remove_property(name, property).await.unwrap();
        }
    }
    for (property, value) in &wanted {
        tables.set_property(name, property, value).await.unwrap();
    }
}

/// Returns the cells that a scan yields, and checks T1 for it: the cells are in order, no cell
/// occurs twice, every cell is in a span, and no batch is empty or too large.
pub(super) async fn read(table: &dyn Table, scan: Scan) -> Vec<Cell> {
    let spans = scan.spans().to_vec();
    let most = scan.batch_cells.get();
    let batches: Vec<Vec<Cell>> = table.scan(scan).try_collect().await.unwrap();
    for batch in &batches {
        assert!(!batch.is_empty(), "an empty batch");
        assert!(batch.len() <= most, "{} cells in a batch", batch.len());
    }
    let cells = batches.concat();
    for Cell { key, .. } in &cells {
        assert!(spans.iter().any(|span| span.contains(key)), "`{key}` is in no span of the scan");
    }
    for (before, after) in cells.iter().zip(cells.iter().skip(1)) {
        assert!(before.key < after.key, "`{}` comes after `{}`", after.key, before.key);
    }
    cells
}

/// Returns the column `f:<qualifier>`.
pub(super) fn column(qualifier: &'static str) -> Column {
    Column::new("f", qualifier)
}

pub(super) fn cell(
    row: &'static str,
    qualifier: &'static str,
    timestamp: i64,
    value: &'static str,
) -> Cell {
    Cell::new(Key::new(row, column(qualifier), timestamp), value)
}

/// Returns a mutation that writes one cell unchanged.
pub(super) fn put_cell(cell: &Cell) -> Mutation {
    let Key { row, column, timestamp } = cell.key.clone();
    Mutation::new(row).put_at(column, timestamp, cell.value.clone())
}

pub(super) fn assert_kind<T>(result: Result<T>, expected: ErrorKind, call: &str) {
    match result {
        Ok(_) => panic!("{call} succeeded; {expected:?} was expected"),
        Err(error) => assert_eq!(error.kind(), expected, "{call}: {error}"),
    }
}
