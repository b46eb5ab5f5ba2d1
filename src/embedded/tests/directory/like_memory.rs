//! The embedded table shows the same cells and counts the same entries as the reference in memory,
//! after any sequence of operations, and also after it was closed and opened again.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Bytes, Cell, Column, ColumnSelector, Condition, ErrorKind, Filter, Garbage,
    Key, MemoryTables, Mutation, Outcome, Scan, Span, Table, TableAdmin, Tablets, Versions,
};
use proptest::prelude::*;

use super::HeldClock;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<Mutation>),
    WriteIf(Mutation, Condition),
    Split(BTreeSet<Bytes>),
    Merge(Option<Bytes>, Option<Bytes>),
    Compact,
    CompactSpan(Span),
    Clock(i64),
    Reopen,
}

fn row() -> impl Strategy<Value = Bytes> {
    let byte = prop_oneof![Just(0u8), Just(b'a'), Just(b'b'), Just(0xff)];
    proptest::collection::vec(byte, 0..3).prop_map(Bytes::from)
}

fn column() -> impl Strategy<Value = Column> {
    let visibility = prop_oneof![4 => Just(""), 1 => Just("A"), 1 => Just("A&B")];
    ("(f|g|ntfy)?", "[\0q]?", visibility).prop_map(|(family, qualifier, visibility)| {
        Column::new(family, qualifier).with_visibility(visibility)
    })
}

fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![Just(i64::MIN), Just(i64::MAX), -2i64..6]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let update = (column(), proptest::option::of(timestamp()), proptest::option::of("[uvw]?"));
    (row(), proptest::collection::vec(update, 1..4)).prop_map(|(row, updates)| {
        updates.into_iter().fold(Mutation::new(row), |mutation, (column, timestamp, value)| match (
            timestamp, value,
        ) {
            (Some(timestamp), Some(value)) => mutation.put_at(column, timestamp, value),
            (Some(timestamp), None) => mutation.delete_at(column, timestamp),
            (None, Some(value)) => mutation.put(column, value),
            (None, None) => mutation.delete(column),
        })
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let expected = proptest::option::of("[uvw]?");
    (column(), expected, proptest::option::of(timestamp())).prop_map(
        |(column, expected, timestamp)| {
            let condition = match expected {
                Some(value) => Condition::value(column, value),
                None => Condition::absent(column),
            };
            match timestamp {
                Some(timestamp) => condition.at(timestamp),
                None => condition,
            }
        },
    )
}

fn span() -> impl Strategy<Value = Span> {
    let key =
        || (row(), column(), timestamp()).prop_map(|(row, column, ts)| Key::new(row, column, ts));
    prop_oneof![
        Just(Span::all()),
        row().prop_map(Span::row),
        (row(), row()).prop_map(|(low, high)| Span::tablet(Some(&low), Some(&high))),
        (key(), proptest::option::of(key())).prop_map(|(start, end)| Span::between(start, end)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let split = row().prop_filter("not empty", |row| !row.is_empty());
    prop_oneof![
        8 => proptest::collection::vec(mutation(), 0..5).prop_map(Step::Write),
        8 => (mutation(), condition()).prop_map(|(mutation, condition)| Step::WriteIf(mutation, condition)),
        2 => proptest::collection::btree_set(split, 0..5).prop_map(Step::Split),
        2 => (proptest::option::of(row()), proptest::option::of(row())).prop_map(|(a, b)| Step::Merge(a, b)),
        1 => Just(Step::Compact),
        1 => span().prop_map(Step::CompactSpan),
        1 => (-3i64..9).prop_map(Step::Clock),
        1 => Just(Step::Reopen),
    ]
}

fn scan() -> impl Strategy<Value = Scan> {
    let selector =
        ("(f|g|ntfy)?", proptest::option::of("[\0q]?")).prop_map(|(family, qualifier)| {
            match qualifier {
                Some(qualifier) => ColumnSelector::qualifier(family, qualifier),
                None => ColumnSelector::family(family),
            }
        });
    let selectors = proptest::collection::vec(selector, 0..3);
    (proptest::collection::vec(span(), 1..3), selectors, any::<bool>(), 1usize..4).prop_map(
        |(spans, selectors, first_of_row, batch)| {
            let filter = if first_of_row { Filter::FirstOfRow } else { Filter::None };
            let scan = Scan::over_all(spans).filter(filter);
            let scan = scan.batch_cells(NonZeroUsize::new(batch).unwrap_or(NonZeroUsize::MIN));
            selectors.into_iter().fold(scan, Scan::column)
        },
    )
}

fn versions() -> impl Strategy<Value = Versions> {
    prop_oneof![
        Just(Versions::All),
        (1u32..3)
            .prop_map(|count| Versions::Latest(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)))
    ]
}

type Accepted = Vec<bool>;

async fn apply(
    tables: &dyn TableAdmin,
    table: &dyn Table,
    step: &Step,
) -> fluo_table::Result<Accepted> {
    match step.clone() {
        Step::Write(mutations) => table.write(mutations).await?,
        Step::WriteIf(mutation, condition) => {
            let outcomes = table.write_conditional(vec![mutation.when(condition)]).await;
            return match outcomes {
                Ok(outcomes) => Ok(outcomes.iter().map(Outcome::is_accepted).collect()),
                // A condition on a cell that this handle may not see: both tables refuse it.
                Err(error) if error.kind() == ErrorKind::Invalid => Ok(Vec::new()),
                Err(error) => Err(error),
            };
        }
        Step::Split(splits) => tables.add_splits("t", &splits).await?,
        Step::Merge(start, end) => tables.merge("t", start.as_deref(), end.as_deref()).await?,
        Step::Compact => tables.compact("t", &Span::all(), Garbage::Keep).await?,
        Step::CompactSpan(_) | Step::Clock(_) | Step::Reopen => {}
    }
    Ok(Vec::new())
}

async fn seen(table: &dyn Table, scan: &Scan) -> fluo_table::Result<Vec<Cell>> {
    table.read(scan.clone()).await
}

/// Returns the end row and the number of entries of each tablet.
fn counted(tablets: &Tablets) -> Vec<(Option<Bytes>, u64)> {
    tablets.as_slice().iter().map(|tablet| (tablet.end_row.clone(), tablet.entries)).collect()
}

async fn run(versions: Versions, steps: Vec<Step>, scans: Vec<Scan>) -> fluo_table::Result<()> {
    let directory = tempfile::tempdir().map_err(|e| fluo_table::Error::invalid(e.to_string()))?;
    let clock = Arc::new(HeldClock::default());
    let options = || EmbeddedOptions::new().create_if_missing(true).clock(clock.clone());
    let reader = Authorizations::from_iter(["A"]);
    let memory = MemoryTables::with(clock.clone(), 2);
    memory.create_table("t", versions).await?;
    let expected = memory.open_table("t", reader.clone()).await?;
    let mut tables = EmbeddedTables::open(directory.path(), options())?;
    tables.create_table("t", versions).await?;
    let mut table = tables.open_table("t", reader.clone()).await?;
    for step in &steps {
        let accepted = apply(&tables, &*table, step).await?;
        assert_eq!(accepted, apply(&memory, &*expected, step).await?, "{step:?}");
        match step {
            Step::CompactSpan(span) => {
                let before = seen(&*table, &Scan::over(Span::all())).await?;
                tables.compact("t", span, Garbage::Keep).await?;
                assert_eq!(before, seen(&*table, &Scan::over(Span::all())).await?);
                // The reference compacts the whole table even if only a part of it is requested.
                memory.compact("t", span, Garbage::Keep).await?;
                tables.compact("t", &Span::all(), Garbage::Keep).await?;
            }
            Step::Clock(now) => clock.0.store(*now, Ordering::Relaxed),
            Step::Reopen => {
                drop((table, tables));
                tables = EmbeddedTables::open(directory.path(), options())?;
                table = tables.open_table("t", reader.clone()).await?;
            }
            _ => {}
        }
        for scan in &scans {
            assert_eq!(
                seen(&*table, scan).await?,
                seen(&*expected, scan).await?,
                "{step:?} {scan:?}"
            );
        }
        let expected_tablets = counted(&memory.tablets("t").await?);
        assert_eq!(counted(&tables.tablets("t").await?), expected_tablets, "{step:?}");
    }
    drop((table, tables));
    EmbeddedTables::check(directory.path()).map(drop)
}

/// Regression test: a write whose timestamps are all given advanced the time of the table. In
/// memory the change was permanent; in the embedded table it lasted until the table was opened
/// again.
#[tokio::test]
async fn a_write_with_given_timestamps_does_not_advance_the_time_of_the_table() {
    let column = Column::new("f", "q");
    let given = Mutation::new("a").delete_at(column.clone(), i64::MIN);
    let by_the_table = Mutation::new("b").put(column, "v");
    let steps = vec![
        Step::Clock(2),
        Step::Write(vec![given]),
        Step::Reopen,
        Step::Clock(0),
        Step::Write(vec![by_the_table]),
    ];
    let scans = vec![Scan::over(Span::all())];
    run(Versions::All, steps, scans).await.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_embedded_table_agrees_with_the_memory_table(
        versions in versions(),
        steps in proptest::collection::vec(step(), 1..30),
        scans in proptest::collection::vec(scan(), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(run(versions, steps, scans)).unwrap();
    }
}
