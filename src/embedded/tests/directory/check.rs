//! The full check finds every way in which a file can be invalid, and leaves no trace.

use std::error::Error as _;
use std::path::Path;

use fluo_embedded::{Damage, EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications, FailedNotification, ObserverKind};
use fluo_table::{
    Authorizations, Column, ErrorKind, Mutation, RowColumn, TableAdmin, Timestamp, Versions,
};

use super::files::{Change, change, keys};

/// Creates a directory with the tables `a` (id 1, two entries) and `b` (id 2).
fn make(directory: &Path) {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let work = async {
        let tables = EmbeddedTables::open(directory, options)?;
        tables.create_table("a", Versions::default()).await?;
        tables.create_table("b", Versions::All).await?;
        tables.add_splits("a", &["m".into()].into()).await?;
        let a = tables.open_table("a", Authorizations::none()).await?;
        let row = |row| Mutation::new(row).put(Column::new("f", "q"), "v");
        a.write(vec![row("a"), row("z")]).await
    };
    futures::executor::block_on(work).unwrap();
}

/// Adds the application `web` with a transactor's number and a dead letter.
fn add_application(directory: &Path) {
    let work = async {
        let tables = EmbeddedTables::open(directory, EmbeddedOptions::new())?;
        let applications = tables.applications();
        let application = Application::new("1", "a");
        applications.initialize("web", application).await?;
        let web = applications.open("web").await?;
        drop(web.begin_transactor().await?);
        let failed = FailedNotification {
            cell: RowColumn::new("r", Column::new("f", "q")),
            kind: ObserverKind::Strong,
            timestamp: Timestamp::ZERO,
            tries: 1,
            error: String::new(),
            failed_at_ms: 0,
        };
        web.add_dead_letter(failed).await
    };
    futures::executor::block_on(work).unwrap();
}

fn found_after(changes: &[Change<'_>]) -> String {
    found_in(make, changes)
}

fn found_in_application(changes: &[Change<'_>]) -> String {
    let make = |directory: &Path| {
        make(directory);
        add_application(directory);
        let report = EmbeddedTables::check(directory);
        assert_eq!(report.map(|report| report.applications).ok(), Some(1));
    };
    found_in(make, changes)
}

fn found_in(make: impl FnOnce(&Path), changes: &[Change<'_>]) -> String {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    change(directory.path(), changes);
    let error = EmbeddedTables::check(directory.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let damage = error.source().unwrap().downcast_ref::<Damage>().unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "the directory `{}` is damaged: {damage}; restore it from a copy",
            directory.path().display()
        )
    );
    damage.findings().first().unwrap().clone()
}

fn key(table_id: u64, rest: &[u8]) -> Vec<u8> {
    [&table_id.to_be_bytes(), rest].concat()
}

fn number(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

#[test]
fn finds_entries_of_no_table() {
    let found = found_after(&[("many", b"key", Some(b""))]);
    assert_eq!(found, "there is `many` in the tables, which belongs to no table");
    let found = found_after(&[("tablets", &key(7, &[1]), Some(&number(0)))]);
    assert_eq!(found, "there is a tablet of no table");
    for orphan in [key(7, b"table.x"), b"short".to_vec()] {
        let found = found_after(&[("properties", &orphan, Some(b"v"))]);
        assert_eq!(found, "there is a property of no table");
    }
}

#[test]
fn finds_duplicate_table_ids() {
    let found = found_after(&[("meta", b"next-table-id", Some(&number(2)))]);
    assert_eq!(found, "table `b` has the id 2, and the next table would have 2");
    let found = found_after(&[("meta", b"next-table-id", None)]);
    assert_eq!(found, "the number `next-table-id` is missing");
    let found = found_after(&[("tables", b"c", Some(&number(1)))]);
    assert_eq!(found, "two tables have the id 1");
}

#[test]
fn finds_incomplete_tables() {
    let found = found_after(&[("meta", b"servers", Some(&number(0)))]);
    assert_eq!(found, "the number of servers is out of its bounds");
    let found = found_after(&[("tables", b"b", Some(&number(1))), ("tables", b"a", None)]);
    assert_eq!(found, "there is a tablet of no table");
    let found = found_after(&[
        ("meta", b"next-table-id", Some(&number(9))),
        ("tables", b"c", Some(&number(5))),
        ("tablets", &key(5, &[1]), Some(&number(0))),
    ]);
    assert_eq!(found, "the entries `cells-5` of the table with the id 5 are missing");
    let found = found_after(&[("tablets", &key(2, &[1]), None)]);
    assert_eq!(found, "table `b`: it has no tablets");
    let found = found_after(&[("tablets", &key(1, b"\0m"), Some(&number(2)))]);
    assert_eq!(found, "table `a`: the tablet up to the row `m` counts 2 entries and has 1");
    let found = found_after(&[("properties", &key(1, &[0xff]), Some(b"v"))]);
    assert_eq!(found, "table `a`: the name of a property is not text");
    let found = found_after(&[("properties", &key(1, b"name"), Some(&[0xff]))]);
    assert_eq!(found, "table `a`: the value of a property is not text");
}

#[test]
fn finds_invalid_applications() {
    for (path, bytes, expected) in [
        ("web", "", "`web` is not a path of an application"),
        ("/web/other", "", "`/web/other` is not a path of an application"),
        ("/a.b/x", "", "`/a.b/x` is not a path of an application"),
        (
            "/ab/config/accumulo.table",
            "t",
            "application `ab`: there is no data at `/config/fluo.application.id`",
        ),
        (
            "/web/config/accumulo.table",
            "a b",
            "application `web`: `a b` cannot be the name of a table: use 1 to 1,024 letters, digits, `_` and one `.`",
        ),
        (
            "/web/config/fluo.observers2",
            "[",
            "application `web`: the observers are not what Fluo writes: EOF while parsing a list at line 1 column 1",
        ),
        (
            "/web/config/shared.config",
            r"a=\u1",
            "application `web`: a setting contains `\\u` without four hex digits after it",
        ),
        (
            "/web/oracle/max-timestamp",
            "x",
            "application `web`: the data at `/oracle/max-timestamp` is not a timestamp",
        ),
        (
            "/web/oracle/gc-timestamp",
            "3",
            "the horizon of the application `web` is 3, and its timestamps end at 2",
        ),
        (
            "/web/transactor/count",
            "1",
            "application `web`: the data at `/transactor/count` is not the number of a transactor",
        ),
    ] {
        let changes = [("coordination", path.as_bytes(), Some(bytes.as_bytes()))];
        assert_eq!(found_in_application(&changes), expected);
    }
    let found = found_in_application(&[("coordination", b"/web/oracle/max-timestamp", None)]);
    assert_eq!(found, "application `web`: there is no data at `/oracle/max-timestamp`");
}

#[test]
fn finds_dead_letters_of_no_application() {
    let found = found_in_application(&[("dead-letters", b"web\0r", Some(b""))]);
    assert_eq!(found, "a failed notification cannot be read");
    let paths = [
        "/web/config/accumulo.table",
        "/web/config/fluo.application.id",
        "/web/config/shared.config",
        "/web/oracle/max-timestamp",
        "/web/oracle/gc-timestamp",
        "/web/transactor/count",
    ];
    let removed: Vec<Change<'_>> =
        paths.iter().map(|path| ("coordination", path.as_bytes(), None)).collect();
    let found = found_in_application(&removed);
    assert_eq!(found, "a failed notification belongs to no application");
}

#[test]
fn finds_keys_that_cannot_be_read() {
    let found = found_after(&[("cells-1", b"no key", Some(b""))]);
    assert_eq!(found, "table `a`: a stored key cannot be read, after the row `a`");
}

#[test]
fn finds_keys_in_the_wrong_map() {
    for (map, family, expected) in
        [("notifications-1", "f", "before all others"), ("cells-1", "ntfy", "after the row `a`")]
    {
        let key = format!("b\0\x01{family}\0\x01q\0\x01\0\x01_8bytes_\x01");
        let found = found_after(&[(map, key.as_bytes(), Some(b""))]);
        assert_eq!(found, format!("table `a`: a stored key is in the wrong map, {expected}"));
    }
}

#[test]
fn finds_entries_above_the_highest_timestamps() {
    let found = found_after(&[("meta", b"last-time-ms", Some(&[0; 8]))]);
    let expected =
        "a stored key is newer than `last-time-ms` and `max-explicit`, before all others";
    assert_eq!(found, format!("table `a`: {expected}"));
}

/// A crash between the commit of a deletion and the deletion of the entries leaves them.
#[test]
fn deletes_entries_of_a_deleted_table() {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    let entries = keys(directory.path(), "cells-1");
    let tablets = [key(1, b"\0m"), key(1, &[1])];
    let mut removed: Vec<Change<'_>> = vec![("tables", b"a", None)];
    removed.extend(tablets.iter().map(|key| ("tablets", &key[..], None)));
    let properties = keys(directory.path(), "properties");
    let properties = properties.iter().filter(|property| property.starts_with(&number(1)));
    removed.extend(properties.map(|key| ("properties", &key[..], None)));
    change(directory.path(), &removed);
    assert_eq!((entries.len(), EmbeddedTables::check(directory.path()).unwrap().entries), (2, 0));
    assert_eq!(keys(directory.path(), "cells-1").len(), 2, "a check deletes nothing");
    drop(EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).unwrap());
    assert_eq!(keys(directory.path(), "cells-1"), [[0_u8; 0]; 0]);
}
