//! Random histories, against a model of one design.

use std::collections::BTreeMap;

use fluo_keys::{KeyMigration, MigrationOptions, RowBatch, RowSelection};
use fluo_table::{Filter, Garbage, MemoryTables, Mutation, Span, TableAdmin, Versions};
use futures::stream::TryStreamExt;
use proptest::prelude::*;

use super::{
    Seen, TABLE, column, digest, migrate, modulo, new_table, scan_all, seen, small_steps, text,
};

/// A step of a history.
#[derive(Clone, Debug)]
enum Step {
    Put(usize, &'static str),
    Delete(usize, &'static str),
    Migrate(usize),
    Restart,
    Compact,
    Scan(Option<u64>, Filter),
    Get(usize, &'static str),
}

fn any_step() -> impl Strategy<Value = Step> {
    let qualifier = || prop_oneof![Just("a"), Just("b")];
    prop_oneof![
        4 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Put(row, qualifier)),
        2 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Delete(row, qualifier)),
        3 => (1_usize..6).prop_map(Step::Migrate),
        1 => Just(Step::Restart),
        1 => Just(Step::Compact),
        2 => (proptest::option::of(1_u64..5), prop_oneof![Just(Filter::None), Just(Filter::FirstOfRow)])
            .prop_map(|(limit, filter)| Step::Scan(limit, filter)),
        2 => (0_usize..12, qualifier()).prop_map(|(row, qualifier)| Step::Get(row, qualifier)),
    ]
}

/// Versions of each column of each row, newest last.
type Model = BTreeMap<(String, &'static str), BTreeMap<i64, String>>;

fn model_rows(model: &Model, versions: Versions, filter: Filter) -> Vec<Seen> {
    let mut rows: BTreeMap<&String, Seen> = BTreeMap::new();
    for ((row, qualifier), cells) in model {
        let shown = cells.iter().rev().zip(0..).filter(|(_, newer)| versions.shows(*newer));
        let cell = |((timestamp, value), _): ((&i64, &String), u32)| {
            (row.clone(), (*qualifier).to_owned(), *timestamp, value.clone())
        };
        rows.entry(row).or_default().extend(shown.map(cell));
    }
    let mut rows: Vec<_> = rows.into_values().filter(|cells| !cells.is_empty()).collect();
    if filter == Filter::FirstOfRow {
        rows.iter_mut().for_each(|cells| cells.truncate(1));
    }
    rows
}

async fn check_history(first: &[usize], steps: &[Step], versions: Versions) {
    let tables = MemoryTables::new();
    let table = new_table(&tables, versions).await;
    let designs = [modulo(3), modulo(5), digest(1, "-")];
    let epochs = KeyMigration::new(designs.clone(), versions).unwrap();
    let name = |row: usize| format!("row{row:02}");
    let (mut model, mut clock, mut cursor) = (Model::new(), 0_i64, None);
    for (row, design) in first.iter().enumerate() {
        let key = designs[*design].encode_row(name(row).as_bytes()).unwrap();
        clock += 1;
        table.write(vec![Mutation::new(key).put_at(column("a"), clock, "first")]).await.unwrap();
        model.entry((name(row), "a")).or_default().insert(clock, "first".to_owned());
    }
    for step in steps {
        clock += 1;
        match step {
            Step::Put(row, qualifier) => {
                let put = Mutation::new(epochs.key(name(*row).as_bytes()).unwrap());
                let value = clock.to_string();
                table
                    .write(vec![put.put_at(column(qualifier), clock, value.clone())])
                    .await
                    .unwrap();
                model.entry((name(*row), qualifier)).or_default().insert(clock, value);
            }
            Step::Delete(row, qualifier) => {
                let columns = [column(qualifier)];
                let deletes = epochs.delete_mutations(name(*row).as_bytes(), &columns, Some(clock));
                table.write(deletes.unwrap()).await.unwrap();
                model.remove(&(name(*row), *qualifier));
            }
            Step::Migrate(cells) => {
                let options = small_steps(*cells);
                cursor =
                    epochs.migrate_step(&*table, cursor.as_ref(), &options).await.unwrap().cursor;
            }
            Step::Restart => cursor = None,
            Step::Compact => tables.compact(TABLE, &Span::all(), Garbage::Keep).await.unwrap(),
            Step::Scan(limit, filter) => {
                let scan = epochs.scan(&RowSelection::All).unwrap().filter(*filter);
                let scan = scan.limit(limit.unwrap_or(u64::MAX));
                let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
                let rows = batches.iter().flat_map(RowBatch::rows);
                let found: Vec<_> = rows.map(|row| seen(row.row, row.cells)).collect();
                let mut expected = model_rows(&model, versions, *filter);
                expected
                    .truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap()));
                assert_eq!(found, expected);
            }
            Step::Get(row, qualifier) => {
                let found = epochs.get(&*table, name(*row).as_bytes(), &column(qualifier)).await;
                let cells = model.get(&(name(*row), *qualifier));
                let newest = cells.and_then(|cells| cells.values().next_back());
                assert_eq!(found.unwrap().map(|value| text(&value)), newest.cloned());
            }
        }
    }
    migrate(&epochs, &*table, &MigrationOptions::new()).await;
    assert_eq!(
        scan_all(&epochs, &table).await,
        model_rows(&model, versions, Filter::None).concat()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn reads_any_history_like_a_table_of_one_design(
        first in proptest::collection::vec(0_usize..3, 12),
        steps in proptest::collection::vec(any_step(), 1..40),
        all_versions in any::<bool>(),
    ) {
        let versions = if all_versions { Versions::All } else { Versions::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check_history(&first, &steps, versions));
    }
}
