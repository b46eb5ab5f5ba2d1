//! Opening a directory: the cases that succeed, and the errors of the cases that fail.

use std::error::Error as StdError;
use std::num::NonZeroUsize;
use std::path::Path;

use fluo_embedded::{Damage, EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Column, Error, ErrorKind, Mutation, Scan, Span, TableAdmin, Versions,
};
use futures::TryStreamExt;

use super::files::{change, copy, files};

fn create() -> EmbeddedOptions {
    EmbeddedOptions::new().create_if_missing(true)
}

fn refused(directory: &Path) -> Error {
    EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap_err()
}

#[test]
fn a_missing_directory_is_not_found_and_not_created() {
    let parent = tempfile::tempdir().unwrap();
    let missing = parent.path().join("a/b");
    let error = refused(&missing);
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let name = missing.display();
    assert_eq!(error.to_string(), format!("the directory `{name}` does not exist"));
    assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    let missing = parent.path().join("a");
    let made = EmbeddedTables::open(&missing, create()).unwrap();
    assert!(made.is_new());
    drop(made);
    let found = EmbeddedTables::open(&missing, EmbeddedOptions::new()).unwrap();
    assert!(!found.is_new());
}

/// Regression test: a typing error in the path of a directory silently created a chain of
/// directories with an empty table.
#[test]
fn parent_directories_are_created_only_on_request() {
    let parent = tempfile::tempdir().unwrap();
    let missing = parent.path().join("a/b/c");
    let error = EmbeddedTables::open(&missing, create()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot create the directory `{}`: the directory `{}` above it does not exist",
            missing.display(),
            parent.path().join("a").display()
        )
    );
    assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    let with_parents = create().create_parents(true);
    drop(EmbeddedTables::open(&missing, with_parents).unwrap());
    drop(EmbeddedTables::open(&missing, EmbeddedOptions::new()).unwrap());
}

#[test]
fn a_directory_without_tables_is_not_found_and_stays_empty() {
    let directory = tempfile::tempdir().unwrap();
    let error = refused(directory.path());
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let name = directory.path().display();
    assert_eq!(
        error.to_string(),
        format!("the directory `{name}` has no tables in it (no `fluo.tables`)")
    );
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_file_is_not_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "text").unwrap();
    let error = EmbeddedTables::open(&file, create()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` is a file, but tables are stored in a directory; pass the directory, or another path",
            file.display()
        )
    );
    for impossible in ["below", "a\0b"] {
        let below = EmbeddedTables::open(file.join(impossible), create()).unwrap_err();
        assert_eq!(below.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn an_invalid_setting_creates_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let options = create().cache_bytes(0);
    let error = EmbeddedTables::open(parent.path().join("new"), options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(parent.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_directory_is_held_until_the_last_handle_and_scan_are_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let held = || {
        let error = refused(directory.path());
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let (name, id) = (directory.path().display(), std::process::id());
        let program = std::env::current_exe().unwrap();
        let program = program.file_name().unwrap().display();
        assert_eq!(
            error.to_string(),
            format!(
                "the directory `{name}` is open through another handle of process {id} (`{program}`); close that \
                 handle first"
            )
        );
        assert_eq!(
            EmbeddedTables::check(directory.path()).unwrap_err().kind(),
            ErrorKind::Unavailable
        );
    };
    let tables = EmbeddedTables::open(directory.path(), create()).unwrap();
    tables.create_table("t", Versions::All).await.unwrap();
    held();
    let clone = tables.clone();
    drop(tables);
    held();
    let table = clone.open_table("t", Authorizations::none()).await.unwrap();
    drop(clone);
    held();
    table.write(vec![Mutation::new("r").put(Column::new("f", "q"), "v")]).await.unwrap();
    let scan = table.scan(Scan::over(Span::all()));
    drop(table);
    held();
    assert_eq!(scan.try_concat().await.unwrap().len(), 1);
    drop(EmbeddedTables::open(directory.path(), EmbeddedOptions::new()).unwrap());
}

#[tokio::test]
async fn the_number_of_servers_is_stored_in_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    let three = create().servers(NonZeroUsize::new(3).unwrap());
    drop(EmbeddedTables::open(directory.path(), three).unwrap());
    let tables = EmbeddedTables::open(directory.path(), create()).unwrap();
    assert_eq!(tables.servers().await.unwrap(), ["server-001", "server-002", "server-003"]);
}

fn is_refused(directory: &Path, message: &str) {
    for options in [EmbeddedOptions::new(), create()] {
        let error = EmbeddedTables::open(directory, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert_eq!(error.to_string(), format!("the directory `{}` {message}", directory.display()));
    }
    let error = EmbeddedTables::check(directory).unwrap_err();
    assert_eq!(error.to_string(), format!("the directory `{}` {message}", directory.display()));
}

/// Changes a number in the directory, without the embedded table.
fn set_number(directory: &Path, name: &str, number: Option<u64>) {
    let number = number.map(u64::to_be_bytes);
    change(directory, &[("meta", name.as_bytes(), number.as_ref().map(|number| &number[..]))]);
}

fn created() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    drop(EmbeddedTables::open(directory.path(), create()).unwrap());
    directory
}

#[test]
fn a_number_that_is_missing_or_out_of_its_bounds_is_damage() {
    for (name, number, message) in [
        ("servers", Some(0), "the number of servers is out of its bounds"),
        ("servers", Some(10_001), "the number of servers is out of its bounds"),
        ("servers", None, "the number `servers` is missing"),
        ("last-time-ms", None, "the number `last-time-ms` is missing"),
        ("max-explicit", None, "the number `max-explicit` is missing"),
        ("commits", None, "the number `commits` is missing"),
    ] {
        let directory = created();
        set_number(directory.path(), name, number);
        is_refused(directory.path(), &format!("is damaged: {message}; restore it from a copy"));
    }
    let directory = created();
    change(directory.path(), &[("meta", b"servers", Some(b"2"))]);
    let message = "is damaged: a number does not have 8 bytes; restore it from a copy";
    is_refused(directory.path(), message);
}

#[test]
fn another_version_of_the_format_is_refused() {
    let directory = created();
    set_number(directory.path(), "format", Some(7));
    is_refused(
        directory.path(),
        "has format version 7, but this build supports only version 4; use the build that created it",
    );
}

#[test]
fn files_of_another_program_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    change(directory.path(), &[("other", b"key", Some(b"value"))]);
    is_refused(
        directory.path(),
        "contains files of another program: they have no format version; choose another directory",
    );
}

#[test]
fn tables_of_an_older_build_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let older = directory.path().join("fluo.redb");
    std::fs::write(&older, "redb").unwrap();
    is_refused(
        directory.path(),
        "has tables of an older build in `fluo.redb`; load their rows elsewhere with `fluo table load`",
    );
    assert_eq!(files(directory.path()), [older]);
}

#[test]
fn files_that_are_missing_or_damaged_are_refused() {
    let unreadable = "its `fluo.commits` cannot be read";
    for (file, bytes, message) in [
        ("fluo.commits", None, "its `fluo.commits` is missing"),
        ("fluo.commits", Some(""), unreadable),
        ("fluo.commits", Some("once upon a time"), unreadable),
        ("fluo.tables/version", None, "its file `version` is missing"),
        ("fluo.tables/version", Some("once upon a time"), "its file `version` cannot be read"),
        ("fluo.tables", None, "its `fluo.tables` is missing"),
        ("fluo.tables/keyspaces", None, "its records are missing"),
        ("fluo.tables/0.jnl", None, "its records are missing"),
        ("fluo.tables/0.jnl", Some(""), "its records are missing"),
    ] {
        let directory = created();
        let path = directory.path().join(file);
        match bytes {
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None if path.is_dir() => std::fs::remove_dir_all(path).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
        is_refused(directory.path(), &format!("is damaged: {message}; restore it from a copy"));
        let checked = EmbeddedTables::check(directory.path()).unwrap_err();
        let damage = checked.source().and_then(<dyn StdError>::downcast_ref::<Damage>);
        assert_eq!(damage.unwrap().findings(), [message], "{file}");
    }
}

/// Creates a table, and writes each row by a commit of its own.
async fn write(directory: &Path, rows: &[&'static str]) {
    let tables = EmbeddedTables::open(directory, create()).unwrap();
    tables.create_table("t", Versions::All).await.unwrap();
    let table = tables.open_table("t", Authorizations::none()).await.unwrap();
    for row in rows {
        let row = Mutation::new(*row).put(Column::new("f", "q"), "v");
        table.write(vec![row]).await.unwrap();
    }
}

/// The storage engine forgets a map whose files are missing. The next opening deleted the entries
/// of all tables.
#[tokio::test]
async fn missing_files_of_the_tables_are_damage() {
    let original = tempfile::tempdir().unwrap();
    write(original.path(), &["r"]).await;
    let (parent, mut found) = (tempfile::tempdir().unwrap(), 0);
    let directory = parent.path().join("copy");
    for file in files(original.path()) {
        copy(original.path(), &directory);
        let file = file.strip_prefix(original.path()).unwrap();
        std::fs::remove_file(directory.join(file)).unwrap();
        let name = file.file_name().unwrap();
        if ["lock", "fluo.lock"].iter().any(|lock| name == *lock) {
            continue;
        }
        let checked = EmbeddedTables::check(&directory);
        let _ = std::fs::remove_file(directory.join("fluo.damaged"));
        let opened = EmbeddedTables::open(&directory, EmbeddedOptions::new());
        let errors = match checked {
            // The engine keeps files that it does not need any more for a while.
            Ok(report) => {
                assert_eq!((report.tables, report.entries), (1, 1), "{}", file.display());
                opened.unwrap();
                continue;
            }
            Err(error) => [error, opened.unwrap_err()],
        };
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{}: {error}", file.display());
            assert!(error.to_string().contains(" is damaged: "), "{}: {error}", file.display());
        }
        found += 1;
    }
    assert!(found > 5, "{found}");
}

/// The storage engine drops the end of its log from the first place on that it cannot read, without
/// an error.
#[tokio::test]
async fn a_log_that_lost_acknowledged_commits_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), &["first row", "last row"]).await;
    let tables = directory.path().join("fluo.tables");
    let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "jnl");
    let log = files(&tables).into_iter().find(is_log).unwrap();
    let mut bytes = std::fs::read(&log).unwrap();
    let last = bytes.windows(8).rposition(|bytes| bytes == b"last row").unwrap();
    bytes.truncate(last);
    std::fs::write(&log, bytes).unwrap();
    is_refused(
        directory.path(),
        "is damaged: its last commit is 2, but 3 was acknowledged; restore it from a copy",
    );
}

#[test]
fn the_remains_of_a_crashed_creation_are_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("fluo.tables.new");
    std::fs::create_dir(&new).unwrap();
    std::fs::write(new.join("version"), "half of a file").unwrap();
    assert_eq!(refused(directory.path()).kind(), ErrorKind::NotFound);
    drop(EmbeddedTables::open(directory.path(), create()).unwrap());
    assert!(!new.exists());
    assert_eq!(EmbeddedTables::check(directory.path()).unwrap().tables, 0);
}

/// Regression test: opening or checking a directory whose file was a named pipe waited for ever.
#[test]
fn a_file_that_is_not_regular_is_refused() {
    for name in ["fluo.commits", "fluo.lock"] {
        let directory = tempfile::tempdir().unwrap();
        drop(EmbeddedTables::open(directory.path(), create()).unwrap());
        let pipe = directory.path().join(name);
        std::fs::remove_file(&pipe).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let expected = format!("`{}` is not a regular file", pipe.display());
        let error = EmbeddedTables::check(directory.path()).unwrap_err();
        assert!(error.to_string().contains(&expected), "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("fluo.tables"), "").unwrap();
    let error = refused(directory.path());
    assert!(error.to_string().contains("is not a directory"), "{error}");
}
