//! The behaviour of the faulty tables at each fault, on which other tests rely.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{
    Authorizations, Column, Condition, ErrorKind, MemoryTables, Mutation, Outcome, Scan, Span,
    Table, TableAdmin, TableExt, Versions,
};
use fluo_tests::{AdminCall, Fault, FaultyTables};
use futures::StreamExt;

const FAULTS: [Fault; 3] = [Fault::Before, Fault::After, Fault::Lost];

fn row(name: &'static str) -> Mutation {
    Mutation::new(name).put(Column::new("f", "q"), "v")
}

async fn open(plan: impl FnOnce(FaultyTables) -> FaultyTables) -> (FaultyTables, Arc<dyn Table>) {
    let tables = plan(FaultyTables::new(Arc::new(MemoryTables::new())));
    tables.create_table("t", Versions::default()).await.unwrap();
    let table = tables
        .open_table("t", Authorizations::none())
        .await
        .unwrap();
    (tables, table)
}

fn kind_of(fault: Fault) -> ErrorKind {
    match fault {
        Fault::Before => ErrorKind::Unavailable,
        Fault::After | Fault::Lost | Fault::Partial => ErrorKind::Uncertain,
    }
}

#[tokio::test]
async fn each_admin_call_fails_as_planned() {
    for fault in FAULTS {
        let (tables, _) = open(|tables| (1..6).fold(tables, |t, n| t.fail_call(n, fault))).await;
        let properties = tables.properties("t").await.unwrap();
        let errors = [
            tables
                .add_splits("t", &["m".into()].into())
                .await
                .unwrap_err(),
            tables
                .set_property("t", "table.custom.a", "v")
                .await
                .unwrap_err(),
            tables
                .remove_property("t", "table.iterator.scan.vers")
                .await
                .unwrap_err(),
            tables.create_table("u", Versions::All).await.unwrap_err(),
            tables.delete_table("t").await.unwrap_err(),
        ];
        assert!(
            errors.iter().all(|error| error.kind() == kind_of(fault)),
            "{errors:?}"
        );
        assert_eq!(tables.calls().len(), 6, "calls that failed are listed");
        let expected: &[&str] = if fault == Fault::After {
            &["u"]
        } else {
            &["t"]
        };
        assert_eq!(tables.tables().await.unwrap(), expected);
        if fault != Fault::After {
            assert!(tables.splits("t").await.unwrap().is_empty());
            assert_eq!(tables.properties("t").await.unwrap(), properties);
        }
    }
}

#[tokio::test]
async fn a_merge_fails_before_or_after_it_took_effect() {
    for fault in FAULTS {
        let (tables, _) = open(|tables| tables.fail_call(2, fault)).await;
        tables.add_splits("t", &["m".into()].into()).await.unwrap();
        let error = tables.merge("t", None, Some(b"z")).await.unwrap_err();
        assert_eq!(error.kind(), kind_of(fault));
        let left = usize::from(fault != Fault::After);
        assert_eq!(tables.splits("t").await.unwrap().len(), left, "{fault:?}");
        let merge = AdminCall::Merge {
            table: "t".to_owned(),
            start: None,
            end: Some("z".into()),
        };
        assert_eq!(tables.calls()[2], merge);
        tables.merge("t", None, Some(b"z")).await.unwrap();
    }
}

#[tokio::test]
async fn a_write_fails_before_or_after_it_took_effect() {
    for fault in FAULTS {
        let (tables, table) = open(|tables| tables.fail_write(1, fault)).await;
        table.write(vec![row("a")]).await.unwrap();
        let error = table.write(vec![row("b"), row("c")]).await.unwrap_err();
        assert_eq!(error.kind(), kind_of(fault));
        let expected = if fault == Fault::After { 3 } else { 1 };
        let cells = table.read(Scan::over(Span::all())).await.unwrap();
        assert_eq!(cells.len(), expected, "{fault:?}");
        assert_eq!((tables.writes(), tables.scans()), (2, 1));
    }
}

#[tokio::test]
async fn a_conditional_write_without_an_answer_is_unknown() {
    let guarded = |name| row(name).when(Condition::absent(Column::new("f", "q")));
    for fault in [Fault::After, Fault::Lost] {
        let (_, table) = open(|tables| tables.fail_write(0, fault)).await;
        let outcomes = table
            .write_conditional(vec![guarded("a"), guarded("a")])
            .await
            .unwrap();
        assert!(
            matches!(outcomes[..], [Outcome::Unknown(_), Outcome::Unknown(_)]),
            "{outcomes:?}"
        );
        let again = table.write_conditional(vec![guarded("a")]).await.unwrap();
        assert_eq!(again[0].is_rejected(), fault == Fault::After);
    }
    let (_, table) = open(|tables| tables.fail_write(0, Fault::Before)).await;
    let refused = table.write_conditional(vec![guarded("a")]).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_write_of_rows_together_is_refused_or_unknown() {
    let guarded = |name| row(name).when(Condition::absent(Column::new("f", "q")));
    for fault in FAULTS {
        let (tables, table) = open(|tables| tables.fail_write(0, fault)).await;
        let together = table.together().unwrap();
        let outcome = together.write_atomically(vec![guarded("a"), guarded("b")]);
        match (outcome.await, fault) {
            (Err(error), Fault::Before) | (Ok(Outcome::Unknown(error)), _) => {
                assert_eq!(error.kind(), kind_of(fault));
            }
            (outcome, _) => panic!("{fault:?}: {outcome:?}"),
        }
        let cells = table.read(Scan::over(Span::all())).await.unwrap();
        assert_eq!(
            cells.len(),
            if fault == Fault::After { 2 } else { 0 },
            "{fault:?}"
        );
        let again = together
            .write_atomically(vec![guarded("a"), guarded("b")])
            .await;
        assert_eq!(
            again.unwrap().is_accepted(),
            fault != Fault::After,
            "{fault:?}"
        );
        assert_eq!(tables.writes(), 2);
    }
}

#[tokio::test]
async fn row_by_row_tables_do_not_write_rows_together() {
    let (_, table) = open(|tables| tables).await;
    assert!(table.together().is_some());
    let (_, table) = open(FaultyTables::row_by_row).await;
    assert!(table.together().is_none());
}

#[tokio::test]
async fn a_scan_ends_after_some_batches_and_can_be_resumed() {
    let (_, table) = open(|tables| tables.fail_scan(0, 2)).await;
    table
        .write(["a", "b", "c", "d", "e"].map(row).into())
        .await
        .unwrap();
    let scan = |span| Scan::over(span).batch_cells(NonZeroUsize::MIN);
    let items: Vec<_> = table.scan(scan(Span::all())).collect().await;
    let [Ok(_), Ok(last), Err(error)] = &items[..] else {
        panic!("{items:?}");
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let rest = table
        .read(scan(Span::all().after(&last[0].key)))
        .await
        .unwrap();
    assert_eq!(rest.len(), 3);
}

#[tokio::test]
async fn a_partial_call_adds_every_second_split_point() {
    let (tables, _) = open(|tables| tables.fail_call(1, Fault::Partial)).await;
    let splits = ["a", "b", "c"].map(Into::into).into();
    let error = tables.add_splits("t", &splits).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uncertain);
    assert_eq!(tables.splits("t").await.unwrap(), ["a", "c"]);
}
