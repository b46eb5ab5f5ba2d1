//! A directory that was found to be damaged accepts no writes. Without this rule, a load of 4,208
//! rows into a damaged table reported success.

use std::path::Path;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Column, ErrorKind, Mutation, Result, Scan, Span, TableAdmin, Versions,
};

use super::files::change;

fn put(row: &'static str) -> Vec<Mutation> {
    vec![Mutation::new(row).put(Column::new("f", "q"), "v")]
}

fn open(directory: &Path) -> EmbeddedTables {
    let options = EmbeddedOptions::new().create_if_missing(true);
    EmbeddedTables::open(directory, options).unwrap()
}

async fn make(directory: &Path) {
    let tables = open(directory);
    tables.create_table("t", Versions::All).await.unwrap();
    let table = tables.open_table("t", Authorizations::none()).await;
    table.unwrap().write(put("r")).await.unwrap();
}

async fn write(tables: &EmbeddedTables) -> Result<()> {
    let table = tables.open_table("t", Authorizations::none()).await?;
    table.write(put("s")).await
}

async fn read(tables: &EmbeddedTables) -> Result<usize> {
    let table = tables.open_table("t", Authorizations::none()).await?;
    Ok(table.read(Scan::over(Span::all())).await?.len())
}

/// Adds a key that cannot be read.
fn break_a_key(directory: &Path) {
    change(directory, &[("cells-1", b"no key", Some(b""))]);
}

/// Sets the number of entries of the only tablet, which no read needs.
fn set_count(directory: &Path, count: u64) {
    let tablet = [&1_u64.to_be_bytes()[..], &[1]].concat();
    change(directory, &[("tablets", &tablet, Some(&count.to_be_bytes()))]);
}

#[tokio::test]
async fn damage_that_a_check_found_stops_writes_until_a_check_finds_none() {
    let directory = tempfile::tempdir().unwrap();
    let (path, name) = (directory.path(), directory.path().display());
    make(path).await;
    let mark = path.join("fluo.damaged");
    set_count(path, 7);
    // No read has noticed the damage.
    assert_eq!(read(&open(path)).await.unwrap(), 1);
    EmbeddedTables::check(path).unwrap_err();
    let finding = std::fs::read_to_string(&mark).unwrap();
    assert!(finding.contains("counts 7 entries and has 1"), "{finding}");

    let refusal = format!(
        "the directory `{name}` is damaged ({}) and takes no writes; restore it from a copy, then check it \
         again",
        finding.trim_end()
    );
    let tables = open(path);
    for error in [
        tables.check_writable().unwrap_err(),
        write(&tables).await.unwrap_err(),
        tables.create_table("u", Versions::All).await.unwrap_err(),
        tables.add_splits("t", &["m".into()].into()).await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Corrupt, refusal.clone()));
    }
    assert_eq!(read(&tables).await.unwrap(), 1, "readable cells can be rescued");
    drop(tables);

    // The repaired directory accepts writes only after a check.
    set_count(path, 1);
    assert_eq!(write(&open(path)).await.unwrap_err().to_string(), refusal);
    EmbeddedTables::check(path).unwrap();
    assert!(!mark.exists());
    let tables = open(path);
    tables.check_writable().unwrap();
    write(&tables).await.unwrap();
}

#[tokio::test]
async fn damage_that_a_read_found_stops_writes_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    make(path).await;
    break_a_key(path);
    let tables = open(path);
    tables.check_writable().unwrap();
    let error = read(&tables).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("is damaged: a stored key cannot be read"), "{error}");
    let known = "is damaged (a stored key cannot be read) and takes no writes";
    let error = write(&tables).await.unwrap_err();
    assert!(error.to_string().contains(known), "{error}");
    drop(tables);
    let error = write(&open(path)).await.unwrap_err();
    assert!(error.to_string().contains(known), "{error}");
}

/// Regression test: damage was found on a full disk, so the mark could not be written. The process
/// continued to write into the damaged tables, and the check failed with the error of the disk
/// instead of the damage.
#[tokio::test]
async fn writes_stop_even_if_the_mark_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    make(path).await;
    break_a_key(path);
    // The mark is written under this name first.
    std::fs::create_dir(path.join("fluo.damaged.new")).unwrap();
    let tables = open(path);
    let error = read(&tables).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let refused = write(&tables).await.unwrap_err();
    assert!(refused.to_string().contains("takes no writes"), "{refused}");
    drop(tables);
    let error = EmbeddedTables::check(path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(!path.join("fluo.damaged").exists());
}

/// Waits until a process has locked a file.
#[cfg(target_os = "linux")]
fn wait_until_locked(file: &Path) {
    use std::os::unix::fs::MetadataExt;
    let inode = std::fs::metadata(file).unwrap().ino();
    let locked = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.contains(&format!(":{inode} "))
    };
    while !locked() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Regression test: the check released the directory before it wrote the mark. A program that
/// opened the directory in between did not see the mark, and wrote into damaged tables as long as
/// it ran.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_check_holds_the_directory_until_the_mark_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    make(path).await;
    break_a_key(path);
    // The mark goes into a pipe, which blocks its writer until it is read.
    let pipe = path.join("fluo.damaged.new");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let checked = std::thread::spawn({
        let path = path.to_owned();
        move || EmbeddedTables::check(path)
    });
    wait_until_locked(&path.join("fluo.lock"));
    let opened = EmbeddedTables::open(path, EmbeddedOptions::new());
    let reader = std::fs::File::open(&pipe).unwrap();
    let error = checked.join().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    drop(reader);
    let refused = opened.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
}

#[tokio::test]
async fn the_creation_of_new_tables_removes_an_old_mark() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("fluo.damaged"), "a page\n").unwrap();
    make(directory.path()).await;
    assert!(!directory.path().join("fluo.damaged").exists());
}
