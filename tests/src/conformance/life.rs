//! A1 to A3: names, existence, deletion.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::{
    Authorizations, Condition, ErrorKind, Garbage, Mutation, Scan, Span, TableAdmin, Versions,
};
use futures::stream::StreamExt;

use super::ground::{CUSTOM, Ground, assert_kind, cell, column, put_cell, unused_name};

/// Checks A1: a table with an invalid name cannot be created, and every other call with the name
/// returns `NotFound`.
pub async fn a1_an_invalid_name_is_rejected(tables: Arc<dyn TableAdmin>) {
    let longest = format!("{:_<1024}", unused_name());
    tables.create_table(&longest, Versions::default()).await.unwrap();
    assert!(tables.table_exists(&longest).await.unwrap());
    tables.delete_table(&longest).await.unwrap();

    let too_long = format!("{longest}_");
    for name in
        ["", ".", "a.", ".a", "a.b.c", "a/b", "..", "a b", "a\n", "a\0", "\u{e9}", &too_long]
    {
        let created = tables.create_table(name, Versions::default()).await;
        assert_kind(created, ErrorKind::Invalid, &format!("create_table({name:?})"));
        assert!(!tables.table_exists(name).await.unwrap());
        every_call_is_not_found(&*tables, name).await;
    }
}

/// Checks A2: every call with the name of a table that does not exist returns `NotFound`.
pub async fn a2_a_table_that_does_not_exist_is_not_found(tables: Arc<dyn TableAdmin>) {
    let name = unused_name();
    every_call_is_not_found(&*tables, &name).await;
    assert!(!tables.table_exists(&name).await.unwrap(), "a failed call created it");
}

async fn every_call_is_not_found(tables: &dyn TableAdmin, name: &str) {
    let not_found = ErrorKind::NotFound;
    let splits = BTreeSet::from(["a".into()]);
    let none = Authorizations::none();
    assert_kind(tables.delete_table(name).await, not_found, "delete_table");
    assert_kind(tables.open_table(name, none).await, not_found, "open_table");
    assert_kind(tables.splits(name).await, not_found, "splits");
    assert_kind(tables.add_splits(name, &splits).await, not_found, "add_splits");
    assert_kind(tables.merge(name, None, None).await, not_found, "merge");
    assert_kind(tables.properties(name).await, not_found, "properties");
    assert_kind(tables.inherited_properties(name).await, not_found, "inherited_properties");
    assert_kind(tables.set_property(name, CUSTOM, "v").await, not_found, "set_property");
    assert_kind(tables.remove_property(name, CUSTOM).await, not_found, "remove_property");
    assert_kind(tables.flush(name).await, not_found, "flush");
    assert_kind(tables.compact(name, &Span::all(), Garbage::Keep).await, not_found, "compact");
    assert_kind(tables.tablets(name).await, not_found, "tablets");
    let loaded = tables.can_load(name, "java.lang.String", "java.lang.Object").await;
    assert_kind(loaded, not_found, "can_load");
    let checked = tables.check_transactions(Some(name)).await;
    assert_kind(checked, not_found, "check_transactions");
}

/// Checks A2: creating a table that exists returns `AlreadyExists` and leaves the table unchanged.
pub async fn a2_creating_a_table_twice_changes_nothing(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let cells = [2, 1].map(|timestamp| cell("r", "q", timestamp, "v"));
    ground.write(cells.iter().map(put_cell).collect()).await;
    ground.add_splits(["m"]).await;
    tables.set_property(&ground.name, CUSTOM, "kept").await.unwrap();

    let again = tables.create_table(&ground.name, Versions::default()).await;
    assert_kind(again, ErrorKind::AlreadyExists, "create_table");
    assert_eq!(ground.all().await, cells);
    assert_eq!(ground.splits().await, ["m"]);
    let properties = tables.properties(&ground.name).await.unwrap();
    assert_eq!(properties.get(CUSTOM).map(String::as_str), Some("kept"));
}

/// Checks A2: if many tasks create a table concurrently, one succeeds. The names of tables are
/// sorted.
pub async fn a2_one_of_many_concurrent_creations_succeeds(tables: Arc<dyn TableAdmin>) {
    let name = unused_name();
    let create = |_| {
        let (tables, name) = (tables.clone(), name.clone());
        tokio::spawn(async move { tables.create_table(&name, Versions::default()).await })
    };
    let attempts: Vec<_> = (0..4).map(create).collect();
    let mut created = 0;
    for attempt in attempts {
        match attempt.await.unwrap() {
            Ok(()) => created += 1,
            refused => assert_kind(refused, ErrorKind::AlreadyExists, "create_table"),
        }
    }
    assert_eq!(created, 1);
    let second = unused_name();
    tables.create_table(&second, Versions::default()).await.unwrap();

    let names = tables.tables().await.unwrap();
    assert!(names.contains(&name) && names.contains(&second), "{names:?}");
    assert!(names.is_sorted(), "{names:?}");
    for name in [name, second] {
        tables.delete_table(&name).await.unwrap();
        assert!(!tables.table_exists(&name).await.unwrap());
        every_call_is_not_found(&*tables, &name).await;
    }
}

/// Checks A3: deleting a table also deletes its rows, split points and properties. The next table
/// of the name is empty.
pub async fn a3_a_deleted_table_leaves_nothing_behind(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let fresh = Ground::new(&tables, Versions::default()).await;
    ground
        .write(vec![Mutation::new("r").put_at(column("q"), 1, "v").delete_at(column("r"), 9)])
        .await;
    ground.add_splits(["a", "z"]).await;
    tables.set_property(&ground.name, CUSTOM, "old").await.unwrap();
    tables.flush(&ground.name).await.unwrap();

    tables.delete_table(&ground.name).await.unwrap();
    tables.create_table(&ground.name, Versions::default()).await.unwrap();
    assert!(ground.splits().await.is_empty());
    let properties = |name: String| {
        let tables = tables.clone();
        async move { tables.properties(&name).await.unwrap() }
    };
    let of_new = properties(ground.name.clone()).await;
    assert_eq!(of_new, properties(fresh.name.clone()).await);
    let new = ground.reader(&["A"]).await;
    assert!(new.read(Scan::over(Span::all())).await.unwrap().is_empty());
    let below_the_old_marker = Mutation::new("r").put_at(column("r"), 1, "v");
    new.write(vec![below_the_old_marker]).await.unwrap();
    assert_eq!(new.read(Scan::over(Span::all())).await.unwrap(), [cell("r", "r", 1, "v")]);
    fresh.end().await;
}

/// Checks A3: calls through a handle on a deleted table return `NotFound`, also after a new table
/// of the same name is created.
pub async fn a3_a_handle_fails_after_its_table_is_deleted(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let row = || Mutation::new("r").put(column("q"), "v");
    ground.write(vec![row()]).await;
    tables.delete_table(&ground.name).await.unwrap();
    every_use_is_not_found(&ground).await;

    tables.create_table(&ground.name, Versions::default()).await.unwrap();
    every_use_is_not_found(&ground).await;
    let new = ground.reader(&[]).await;
    let cells = new.read(Scan::over(Span::all())).await.unwrap();
    assert_eq!(cells, [], "written through a handle on the old table");
    new.write(vec![row()]).await.unwrap();
    every_use_is_not_found(&ground).await;
}

async fn every_use_is_not_found(ground: &Ground) {
    let row = || Mutation::new("old").put(column("q"), "v");
    let scanned: Vec<_> = ground.table.scan(Scan::over(Span::all())).collect().await;
    assert_eq!(scanned.len(), 1, "an error ends a scan: {scanned:?}");
    for item in scanned {
        assert_kind(item, ErrorKind::NotFound, "scan");
    }
    assert_kind(ground.table.write(vec![row()]).await, ErrorKind::NotFound, "write");
    let absent = vec![row().when(Condition::absent(column("q")))];
    let written = ground.table.write_conditional(absent).await;
    assert_kind(written, ErrorKind::NotFound, "write_conditional");
}
