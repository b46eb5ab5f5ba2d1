//! The counts of the recording tables, on which other tests rely.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{
    Authorizations, Column, Condition, MemoryTables, Mutation, Scan, Span, TableAdmin, TableExt,
    Versions,
};
use fluo_tests::{AdminCall, Counts, RecordingTables};

#[tokio::test]
async fn counts_each_kind_of_call() {
    let tables = RecordingTables::new(Arc::new(MemoryTables::new()));
    tables.create_table("t", Versions::All).await.unwrap();
    tables.create_table("t", Versions::All).await.unwrap_err();
    let table = tables
        .open_table("t", Authorizations::none())
        .await
        .unwrap();
    let row = |name: &'static str| Mutation::new(name).put(Column::new("f", "q"), "v");
    table
        .write(vec![row("a"), row("b"), row("c")])
        .await
        .unwrap();
    let absent = Condition::absent(Column::new("f", "q"));
    table
        .write_conditional(vec![row("d").when(absent)])
        .await
        .unwrap();
    let absent = Condition::absent(Column::new("f", "q"));
    let both = vec![row("e").when(absent.clone()), row("f").when(absent)];
    let together = table.together().unwrap();
    assert!(together.write_atomically(both).await.unwrap().is_accepted());
    let two_at_a_time = Scan::over(Span::rows("a", Some("d".into())));
    let two_at_a_time = two_at_a_time.batch_cells(NonZeroUsize::new(2).unwrap());
    table.read(two_at_a_time).await.unwrap();

    let expected = Counts {
        scans: 1,
        batches: 2,
        cells: 3,
        writes: 1,
        mutations: 3,
        conditional_writes: 1,
        conditional_mutations: 1,
        together_writes: 1,
        together_mutations: 2,
        compactions: 0,
    };
    assert_eq!(tables.counts(), expected);
    let create = AdminCall::CreateTable {
        table: "t".to_owned(),
        versions: Versions::All,
    };
    assert_eq!(tables.calls(), [create.clone(), create]);
}
