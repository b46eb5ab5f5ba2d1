//! Large numbers of split points, and exact counts of entries.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Bytes, Column, Garbage, Mutation, Scan, Span, TableAdmin, Versions,
};
use futures::FutureExt;

use super::HeldClock;

#[tokio::test]
async fn a_hundred_thousand_split_points_are_added_in_one_call() {
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory.path(), options).unwrap();
    tables.create_table("t", Versions::default()).await.unwrap();
    let table = tables.open_table("t", Authorizations::none()).await.unwrap();
    let row = |number: u32| Bytes::from(format!("p:{number:08}"));
    let write = |number: u32| Mutation::new(row(number)).put(Column::new("f", "q"), "v");
    table.write((0..1_000).map(|number| write(number * 100)).collect()).await.unwrap();

    let splits: BTreeSet<Bytes> = (0..100_000).map(row).collect();
    tables.add_splits("t", &splits).await.unwrap();
    tables.add_splits("t", &splits).await.unwrap();
    assert!(tables.splits("t").await.unwrap().into_iter().eq(splits));
    let tablets = tables.tablets("t").await.unwrap();
    assert_eq!(tablets.as_slice().len(), 100_001);
    for (index, tablet) in tablets.as_slice().iter().enumerate() {
        assert_eq!(tablet.entries, u64::from(index % 100 == 0 && index < 100_000), "{index}");
    }

    table.write((0..10).map(|number| write(number + 50_000)).collect()).await.unwrap();
    tables.merge("t", Some(&row(10_000)), Some(&row(90_000))).await.unwrap();
    let merged = tables.tablets("t").await.unwrap();
    assert_eq!(merged.as_slice().len(), 100_001 - 79_999);
    // Rows 10,100 to 90,000 are 800 entries. The ten others are nine new rows, and a second version
    // of row 50,000.
    assert_eq!(merged.as_slice()[merged.index_of(b"p:00050000")].entries, 800 + 10);

    tables.merge("t", None, None).await.unwrap();
    tables.compact("t", &Span::all(), Garbage::Keep).await.unwrap();
    let one = tables.tablets("t").await.unwrap();
    assert_eq!(one.as_slice().iter().map(|tablet| tablet.entries).collect::<Vec<_>>(), [1_009]);
    drop((table, tables));
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap().entries, 1_009);
}

/// The storage engine deleted the entries of a table that was created after the deletion of another
/// one, if each step had an opening of its own.
#[tokio::test]
async fn a_table_outlives_the_deletion_of_an_earlier_one() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let options = EmbeddedOptions::new().create_if_missing(true);
        EmbeddedTables::open(directory.path(), options).unwrap()
    };
    // The entries of every second table are never written.
    for (name, rows) in [("a", 2), ("b", 0), ("c", 2), ("d", 0), ("e", 0), ("f", 2)] {
        open().create_table(name, Versions::default()).await.unwrap();
        for row in 0..rows {
            let tables = open();
            let table = tables.open_table(name, Authorizations::none()).await.unwrap();
            let row = Mutation::new(format!("{row}")).put(Column::new("f", "q"), "v");
            table.write(vec![row]).await.unwrap();
        }
        open().add_splits(name, &["m".into()].into()).await.unwrap();
        let tables = open();
        assert_eq!(tables.tablets(name).await.unwrap().entries(), rows, "{name}");
        let table = tables.open_table(name, Authorizations::none()).await.unwrap();
        let cells = table.read(Scan::over(Span::all())).await.unwrap();
        assert_eq!(u64::try_from(cells.len()).unwrap(), rows, "{name}");
        drop((table, tables));
        open().delete_table(name).await.unwrap();
    }
}

/// The writer does not search for a key whose timestamp is new. A time of the clock is not new if a
/// write brought it before.
#[tokio::test]
async fn an_entry_that_is_written_again_is_counted_once() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(HeldClock::default());
    let open = || {
        let options = EmbeddedOptions::new().create_if_missing(true).clock(clock.clone());
        EmbeddedTables::open(directory.path(), options).unwrap()
    };
    let column = Column::new("f", "q");
    let put = || Mutation::new("r").put(&column, "v");
    let put_at = |timestamp| Mutation::new("r").put_at(&column, timestamp, "v");
    let tables = open();
    tables.create_table("t", Versions::All).await.unwrap();
    let entries = async |tables: &EmbeddedTables, mutations: Vec<Mutation>| {
        let table = tables.open_table("t", Authorizations::none()).await.unwrap();
        table.write(mutations).await.unwrap();
        tables.tablets("t").await.unwrap().entries()
    };
    assert_eq!(entries(&tables, vec![put_at(7)]).await, 1);
    clock.0.store(7, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put(), put()]).await, 1);
    clock.0.store(8, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put(), put(), put_at(8), put_at(9), put_at(10)]).await, 4);
    drop(tables);
    let tables = open();
    assert_eq!(entries(&tables, vec![put(), put_at(9)]).await, 4);
    clock.0.store(10, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put()]).await, 4);
    clock.0.store(11, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put()]).await, 5);

    // Entries of transactions have times that no clock shows.
    assert_eq!(entries(&tables, vec![put_at(1 << 62)]).await, 6);
    clock.0.store(12, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put()]).await, 7);
    clock.0.store(1 << 62, Ordering::Relaxed);
    assert_eq!(entries(&tables, vec![put()]).await, 7);
    drop(tables);
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap().entries, 7);
}

#[tokio::test]
async fn the_same_cell_of_two_tables_in_one_commit_is_counted_in_both() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(HeldClock::default());
    let options = EmbeddedOptions::new().create_if_missing(true).clock(clock.clone());
    let tables = EmbeddedTables::open(directory.path(), options).unwrap();
    let mut handles = Vec::new();
    for name in ["a", "b"] {
        tables.create_table(name, Versions::All).await.unwrap();
        handles.push(tables.open_table(name, Authorizations::none()).await.unwrap());
    }
    let put = |row: u32| Mutation::new(format!("{row:05}")).put(Column::new("f", "q"), "v");
    // It occupies the writer until the others wait together.
    let mut large = Box::pin(handles[0].write((0..10_000).map(put).collect()));
    assert!((&mut large).now_or_never().is_none());
    clock.0.store(1, Ordering::Relaxed);
    let same = futures::future::try_join_all(handles.iter().map(|table| table.write(vec![put(7)])));
    futures::future::try_join(large, same).await.unwrap();
    let entries = async |name| tables.tablets(name).await.unwrap().entries();
    assert_eq!((entries("a").await, entries("b").await), (10_001, 1));
}
