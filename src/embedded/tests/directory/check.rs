//! The full check finds every way in which a file can be invalid, and leaves no trace.

use std::error::Error as _;
use std::path::Path;

use fluo_embedded::{Damage, EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications, FailedNotification, ObserverKind};
use fluo_table::{
    Authorizations, Column, ErrorKind, Mutation, RowColumn, TableAdmin, Timestamp, Versions,
};
use redb::{Database, MultimapTableDefinition, TableDefinition, WriteTransaction};

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const TABLES: TableDefinition<'_, &str, u64> = TableDefinition::new("tables");
const PROPERTIES: TableDefinition<'_, &[u8], &str> = TableDefinition::new("properties");
const TABLETS: TableDefinition<'_, &[u8], u64> = TableDefinition::new("tablets");
const COORDINATION: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("coordination");
const DEAD_LETTERS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("set-aside");

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

fn found_after(change: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>) -> String {
    found_in(make, change)
}

fn found_in_application(
    change: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
) -> String {
    let make = |directory: &Path| {
        make(directory);
        add_application(directory);
        let report = EmbeddedTables::check(directory);
        assert_eq!(report.map(|report| report.applications).ok(), Some(1));
    };
    found_in(make, change)
}

fn found_in(
    make: impl FnOnce(&Path),
    change: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
) -> String {
    let directory = tempfile::tempdir().unwrap();
    make(directory.path());
    let engine = Database::open(directory.path().join("fluo.redb")).unwrap();
    let transaction = engine.begin_write().unwrap();
    change(&transaction).unwrap();
    transaction.commit().unwrap();
    drop(engine);
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

#[test]
fn finds_entries_of_no_table() {
    let found = found_after(|transaction| {
        transaction.open_table::<&[u8], &[u8]>(TableDefinition::new("cells-7"))?;
        Ok(())
    });
    assert_eq!(found, "there is `cells-7` in the file, which belongs to no table");
    let found = found_after(|transaction| {
        transaction.open_multimap_table::<u64, u64>(MultimapTableDefinition::new("many"))?;
        Ok(())
    });
    assert_eq!(found, "there is `many` in the file, which belongs to no table");
    let found = found_after(|transaction| {
        let mut tablets = transaction.open_table(TABLETS)?;
        tablets.insert(key(7, &[1]).as_slice(), 0)?;
        Ok(())
    });
    assert_eq!(found, "there is a tablet of no table");
    for orphan in [key(7, b"table.x"), b"short".to_vec()] {
        let found = found_after(|transaction| {
            let mut properties = transaction.open_table(PROPERTIES)?;
            properties.insert(orphan.as_slice(), "v")?;
            Ok(())
        });
        assert_eq!(found, "there is a property of no table");
    }
}

#[test]
fn finds_duplicate_table_ids() {
    let found = found_after(|transaction| {
        transaction.open_table(META)?.insert("next-table-id", 2)?;
        Ok(())
    });
    assert_eq!(found, "table `b` has the id 2, and the next table would have 2");
    let found = found_after(|transaction| {
        transaction.open_table(META)?.remove("next-table-id")?;
        Ok(())
    });
    assert_eq!(found, "the number of the next table is missing");
    let found = found_after(|transaction| {
        transaction.open_table(TABLES)?.insert("c", 1)?;
        Ok(())
    });
    assert_eq!(found, "two tables have the id 1");
}

#[test]
fn finds_incomplete_tables() {
    let found = found_after(|transaction| {
        transaction.open_table(META)?.insert("servers", 0)?;
        Ok(())
    });
    assert_eq!(found, "the number of servers is out of its bounds");
    let found = found_after(|transaction| {
        transaction.open_table(TABLES)?.insert("b", 1)?;
        transaction.open_table(TABLES)?.remove("a")?;
        Ok(())
    });
    assert_eq!(found, "there is `cells-2` in the file, which belongs to no table");
    let found = found_after(|transaction| {
        transaction.delete_table(TableDefinition::<&[u8], &[u8]>::new("cells-2"))?;
        Ok(())
    });
    assert_eq!(found, "table `b`: Table 'cells-2' does not exist");
    let found = found_after(|transaction| {
        transaction.open_table(TABLETS)?.remove(key(2, &[1]).as_slice())?;
        Ok(())
    });
    assert_eq!(found, "table `b`: it has no tablets");
    let found = found_after(|transaction| {
        let mut tablets = transaction.open_table(TABLETS)?;
        tablets.insert(key(1, b"\0m").as_slice(), 2)?;
        Ok(())
    });
    assert_eq!(found, "table `a`: the tablet up to the row `m` counts 2 entries and has 1");
    let found = found_after(|transaction| {
        let mut properties = transaction.open_table(PROPERTIES)?;
        properties.insert(key(1, &[0xff]).as_slice(), "v")?;
        Ok(())
    });
    assert_eq!(found, "table `a`: the name of a property is not text");
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
            "application `web`: `a b` cannot be the name of a table: use 1 to 1024 letters, digits, `_` and one `.`",
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
        let found = found_in_application(|transaction| {
            let mut nodes = transaction.open_table(COORDINATION)?;
            nodes.insert(path, bytes.as_bytes())?;
            Ok(())
        });
        assert_eq!(found, expected);
    }
    let found = found_in_application(|transaction| {
        let mut nodes = transaction.open_table(COORDINATION)?;
        nodes.remove("/web/oracle/max-timestamp")?;
        Ok(())
    });
    assert_eq!(found, "application `web`: there is no data at `/oracle/max-timestamp`");
}

#[test]
fn finds_dead_letters_of_no_application() {
    let found = found_in_application(|transaction| {
        let mut dead_letters = transaction.open_table(DEAD_LETTERS)?;
        dead_letters.insert(b"web\0r".as_slice(), b"".as_slice())?;
        Ok(())
    });
    assert_eq!(found, "a failed notification cannot be read");
    let found = found_in_application(|transaction| {
        let paths: [&str; 5] = [
            "/web/config/accumulo.table",
            "/web/config/fluo.application.id",
            "/web/config/shared.config",
            "/web/oracle/max-timestamp",
            "/web/oracle/gc-timestamp",
        ];
        let mut nodes = transaction.open_table(COORDINATION)?;
        for path in paths.iter().chain(&["/web/transactor/count"]) {
            nodes.remove(path)?;
        }
        Ok(())
    });
    assert_eq!(found, "a failed notification belongs to no application");
}

#[test]
fn checks_a_copy_of_the_single_file_and_creates_no_other() {
    let (original, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(original.path());
    let file = copy.path().join("fluo.redb");
    std::fs::copy(original.path().join("fluo.redb"), &file).unwrap();
    let mut permissions = file.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let before = std::fs::read(&file).unwrap();
    let report = EmbeddedTables::check(copy.path()).unwrap();
    assert_eq!((report.tables, report.tablets, report.entries), (2, 3, 2));
    assert!(std::fs::read(&file).unwrap() == before);
    assert_eq!(copy.path().read_dir().unwrap().count(), 1);
}
