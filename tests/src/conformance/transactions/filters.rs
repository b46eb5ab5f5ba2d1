//! T13 and T14: scans and conditions through the filters of transactions.

use std::sync::Arc;

use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{
    Column, ColumnSelector, Condition, ConditionalMutation, ErrorKind, Filter, Mutation, Outcome,
    RowColumn, Scan, Span, TableAdmin, Timestamp, Versions,
};

use super::cells::Cells;
use super::expected::{filters_of_columns, filters_of_tables, of_column, scanned};
use crate::conformance::ground::{Ground, assert_kind};
use crate::soak;

/// Checks T13: a scan of many columns through a filter shows, for each column of the families that
/// the filter reads, the cells that the function of the filter selects, also if the scan selects
/// columns.
pub async fn t13_a_filter_shows_the_cells_that_its_function_selects(tables: Arc<dyn TableAdmin>) {
    for seed in 0..3 * soak() {
        let ground = Ground::new(&tables, Versions::All).await;
        let cells = Cells::draw(seed);
        cells.write(&ground).await;
        for filter in filters_of_tables() {
            let expected = scanned(&cells, filter);
            let scan = Scan::over(Span::all()).filter(filter);
            assert_eq!(ground.read(scan.clone()).await, expected, "{filter:?}, seed {seed}");
            for columns in selections() {
                let mut expected = expected.clone();
                expected.retain(|cell| {
                    let column = &cell.key.column;
                    let selects =
                        |it: &ColumnSelector| it.selects(&column.family, &column.qualifier);
                    columns.iter().any(selects)
                });
                let scan = columns.iter().cloned().fold(scan.clone(), Scan::column);
                let shown = ground.read(scan).await;
                assert_eq!(shown, expected, "{filter:?} of {columns:?}, seed {seed}");
            }
        }
        ground.end().await;
    }
}

fn selections() -> [Vec<ColumnSelector>; 3] {
    let notifications = ColumnSelector::family("ntfy");
    [
        vec![ColumnSelector::family("f"), ColumnSelector::qualifier("z", "a")],
        vec![ColumnSelector::qualifier("f", "a"), notifications.clone()],
        vec![notifications],
    ]
}

/// Checks T13: a scan through a filter of one column shows the cells that its function selects in
/// the column where the span starts, and nothing after that column.
pub async fn t13_a_filter_of_one_column_shows_the_cells_that_its_function_selects(
    tables: Arc<dyn TableAdmin>,
) {
    for seed in 100..100 + soak() {
        let ground = Ground::new(&tables, Versions::All).await;
        let cells = Cells::draw(seed);
        cells.write(&ground).await;
        one_column_at_a_time(&ground, &cells).await;
        ground.end().await;
    }
}

async fn one_column_at_a_time(ground: &Ground, cells: &Cells) {
    for filter in filters_of_columns() {
        for (place, entries) in visible(cells) {
            let expected = of_column(place, entries, filter);
            let cell = Span::cell(place.row.clone(), &place.column);
            let shown = ground.read(Scan::over(cell.clone()).filter(filter)).await;
            assert_eq!(shown, expected, "{filter:?} of {place}: {entries:?}");
            let open = Span::between(cell.start().clone(), None);
            let shown = ground.read(Scan::over(open).filter(filter)).await;
            assert_eq!(shown, expected, "{filter:?} from {place} on");
        }
    }
}

/// Returns the columns that a reader without authorizations sees.
fn visible(cells: &Cells) -> impl Iterator<Item = (&RowColumn, &[super::entry::Entry])> {
    let is_visible = |place: &RowColumn| place.column.visibility.is_empty();
    cells.columns().filter(move |(place, _)| is_visible(place))
}

/// Checks T14: a condition through a filter compares the first cell that a scan of its column
/// through the filter yields.
pub async fn t14_a_condition_applies_its_filter(tables: Arc<dyn TableAdmin>) {
    for seed in 200..200 + soak() {
        let ground = Ground::new(&tables, Versions::All).await;
        let cells = Cells::draw(seed);
        cells.write(&ground).await;
        every_condition(&ground, &cells).await;
        ground.end().await;
    }
}

async fn every_condition(ground: &Ground, cells: &Cells) {
    for filter in filters_of_columns().into_iter().chain(filters_of_tables()) {
        let mut mutations = Vec::new();
        let mut expected = Vec::new();
        for (place, entries) in visible(cells) {
            if !filter.looks_at_family(&place.column.family) {
                continue;
            }
            let shown = of_column(place, entries, filter);
            let first = shown.first().map(|cell| cell.value.clone());
            let absent = Condition::absent(place.column.clone());
            let value = Condition::value(place.column.clone(), first.clone().unwrap_or_default());
            let other = Condition::value(place.column.clone(), "another value");
            let cases = [(absent, first.is_none()), (value, first.is_some()), (other, false)];
            for (condition, holds) in cases {
                mutations.push(note(place, condition.through(filter)));
                expected.push(holds);
            }
        }
        let outcomes = ground.table.write_conditional(mutations.clone()).await.unwrap();
        assert_eq!(outcomes.len(), expected.len());
        for ((outcome, holds), mutation) in outcomes.iter().zip(expected).zip(&mutations) {
            let is_as_expected = match outcome {
                Outcome::Accepted => holds,
                Outcome::Rejected => !holds,
                _ => false,
            };
            assert!(is_as_expected, "{outcome:?} to {mutation:?}");
        }
    }
}

/// Returns a mutation that changes none of the columns that the conditions read.
fn note(place: &RowColumn, condition: Condition) -> ConditionalMutation {
    let stamp = EntryTimestamp::new(EntryKind::Data, Timestamp::ZERO).encode();
    let mutation = Mutation::new(place.row.clone());
    mutation.put_at(Column::new("note", "n"), stamp, "n").when(condition)
}

/// Checks T14: a condition is invalid at a timestamp, on a family that the filter does not read,
/// and through a filter that is not a filter of columns. Nothing is written then.
pub async fn t14_a_condition_that_cannot_apply_its_filter_is_rejected(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let snapshot = Filter::Snapshot { at: Timestamp::MAX };
    let notifications = Filter::Notifications { share: None };
    let on = |family: &'static str| Condition::absent(Column::new(family, "q"));
    let fine = || note(&RowColumn::new("r", Column::default()), on("f").through(snapshot));
    for wrong in [
        on("f").at(1).through(snapshot),
        on("ntfy").through(snapshot),
        on("f").through(notifications),
        on("f").through(Filter::FirstOfRow),
    ] {
        let wrong = note(&RowColumn::new("r", Column::default()), wrong);
        let result = ground.table.write_conditional(vec![fine(), wrong.clone()]).await;
        assert_kind(result, ErrorKind::Invalid, &format!("{wrong:?}"));
    }
    assert!(ground.all().await.is_empty());
    let outcomes = ground.table.write_conditional(vec![fine()]).await.unwrap();
    assert!(outcomes[0].is_accepted(), "{outcomes:?}");
}
