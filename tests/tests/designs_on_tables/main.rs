//! The claims of every key design, on a table in a directory. Rows that are written under their
//! keys are found through the spans of the design: exactly the requested rows, in the order that
//! the design names.
//!
//! The laws in `fluo-keys` check the sets and the order of a design against a model; these tests
//! read a table.

#![cfg(test)]

mod designs;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use designs::Case;
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{RowBatch, RowSelection, SaltedScan, ScanCost, Scans};
use fluo_table::{
    Authorizations, Bytes, Column, Mutation, Scan, Span, Table, TableAdmin, Versions,
};
use futures::TryStreamExt;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseResult, TestRunner};
use tokio::runtime::Runtime;

/// Number of tables of each design, unless the environment has `PROPTEST_CASES`.
const CASES: u32 = 12;

fn config() -> Config {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => Config::default(),
        None => Config::with_cases(CASES),
    }
}

/// The tables of one design, created one after the other in one directory.
struct Ground {
    runtime: Runtime,
    tables: EmbeddedTables,
    made: Cell<u32>,
    /// Number of sets of rows that were read.
    read: Cell<u32>,
    /// Number of those sets that held some rows, but not all.
    partial: Cell<u32>,
    _directory: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        let tables = runtime.block_on(async { EmbeddedTables::open(directory.path(), options) });
        Self {
            tables: tables.unwrap(),
            runtime,
            made: Cell::new(0),
            read: Cell::new(0),
            partial: Cell::new(0),
            _directory: directory,
        }
    }

    /// Creates a table with these rows, each with itself as its value. Splits the table if the
    /// design has split points.
    async fn table(&self, case: &Case, rows: &BTreeSet<Bytes>) -> Arc<dyn Table> {
        let name = format!("t{}", self.made.get());
        self.made.set(self.made.get() + 1);
        self.tables.create_table(&name, Versions::default()).await.unwrap();
        if let Ok(points) = case.design.splits(3) {
            let points = points.into_iter().collect();
            self.tables.add_splits(&name, &points).await.unwrap();
        }
        let table = self.tables.open_table(&name, Authorizations::none()).await.unwrap();
        let put = |row: &Bytes| {
            let key = case.design.encode_row(row).unwrap();
            Mutation::new(key).put(Column::new("f", "q"), row.clone())
        };
        table.write(rows.iter().map(put).collect()).await.unwrap();
        table
    }
}

/// Returns the reach that a design claims for reads of these rows.
fn reach<'a>(scans: &'a Scans, rows: &RowSelection) -> &'a ScanCost {
    match rows {
        RowSelection::Row(_) => &scans.by_row,
        RowSelection::Prefix(_) => &scans.by_prefix,
        RowSelection::Range { .. } => &scans.by_range,
        RowSelection::Suffix(_) => &scans.by_suffix,
        RowSelection::Between { .. } => &scans.between,
        RowSelection::Domain { .. } => &scans.by_domain,
        _ => &ScanCost::SingleRange,
    }
}

/// Returns the rows of some spans in the order of the table. Each key must be that of its value.
async fn rows_in(
    case: &Case,
    table: &dyn Table,
    spans: Vec<Span>,
) -> Result<Vec<Bytes>, TestCaseError> {
    let mut rows = Vec::new();
    for cell in table.read(Scan::over_all(spans)).await.unwrap() {
        let row = case.design.decode_key(&cell.key.row);
        prop_assert_eq!(row.as_deref(), Ok(cell.value.as_ref()), "{:?}", cell.key.row);
        rows.push(cell.value);
    }
    Ok(rows)
}

async fn check_set(
    ground: &Ground,
    case: &Case,
    table: &Arc<dyn Table>,
    written: &BTreeSet<Bytes>,
    asked: &RowSelection,
) -> TestCaseResult {
    let spans = match (case.design.spans(asked), reach(&case.design.scans(), asked)) {
        (Err(_), ScanCost::Unsupported { .. }) => return Ok(()),
        (Err(_), _) if case.is_too_wide && *asked == RowSelection::All => return Ok(()),
        (Err(error), reach) => {
            return Err(TestCaseError::fail(format!("{asked:?} ({reach}): {error}")));
        }
        (Ok(_), ScanCost::Unsupported { reason }) => {
            return Err(TestCaseError::fail(format!("{asked:?} is read: {reason}")));
        }
        (Ok(spans), _) => spans,
    };
    let holds = |row: &&Bytes| case.design.contains(asked, row).unwrap();
    let mut expected: Vec<_> = written.iter().filter(holds).cloned().collect();
    expected.sort_by_key(|row| case.unsalted(row));
    ground.read.set(ground.read.get() + 1);
    let is_partial = !expected.is_empty() && expected.len() < written.len();
    ground.partial.set(ground.partial.get() + u32::from(is_partial));

    let mut found = rows_in(case, &**table, spans.clone()).await?;
    found.sort_by_key(|row| case.unsalted(row));
    prop_assert_eq!(&found, &expected, "{:?}", asked);
    for span in spans {
        let piece = rows_in(case, &**table, vec![span.clone()]).await?;
        prop_assert!(
            piece.is_sorted_by(|a, b| case.unsalted(a) < case.unsalted(b)),
            "{:?} of {:?}: {:?}",
            span,
            asked,
            piece
        );
    }
    let scan = SaltedScan::new(&case.design, asked).unwrap();
    let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
    let merged = batches.iter().flat_map(RowBatch::rows);
    let merged: Vec<_> = merged.map(|row| Bytes::copy_from_slice(row.row)).collect();
    prop_assert_eq!(merged, expected, "{:?}, merged", asked);
    Ok(())
}

async fn check_table(
    ground: &Ground,
    case: &Case,
    rows: &[Bytes],
    picks: &[prop::sample::Index],
) -> TestCaseResult {
    let written: BTreeSet<_> = rows.iter().cloned().collect();
    let table = ground.table(case, &written).await;
    for row in rows {
        // A row is stored under its key, which can be computed unless the salt is random.
        match case.design.key_of(row) {
            Ok(key) => prop_assert_eq!(
                &rows_in(case, &*table, vec![Span::row(key)]).await?,
                std::slice::from_ref(row)
            ),
            Err(error) => prop_assert!(case.design.draws_salts(), "{:?}: {}", row, error),
        }
    }
    let pick = |pick: &prop::sample::Index| pick.get(rows).clone();
    for pair in picks.windows(2) {
        for asked in case.kind.sets(&pick(&pair[0]), &pick(&pair[1])) {
            check_set(ground, case, &table, &written, &asked).await?;
        }
    }
    Ok(())
}

/// Checks inverse, membership and order of one design.
fn check(case: &Case) {
    let ground = Ground::new();
    let rows = proptest::collection::vec(case.kind.row(), 1..30);
    let picks = proptest::collection::vec(any::<prop::sample::Index>(), 3);
    let outcome = TestRunner::new(config()).run(&(rows, picks), |(rows, picks)| {
        ground.runtime.block_on(check_table(&ground, case, &rows, &picks))
    });
    outcome.unwrap_or_else(|failure| panic!("{}: {failure}", case.design));
    let (read, partial) = (ground.read.get(), ground.partial.get());
    assert!(
        read > 0 && partial * 8 >= read,
        "{}: only {partial} of {read} sets hold some rows and not all",
        case.design
    );
}

#[test]
fn every_design_keeps_its_claims_on_a_table() {
    for case in designs::cases() {
        check(&case);
    }
}
