//! A directory that was found to be damaged accepts no writes. Without this rule, a load of 4,208
//! rows into a damaged table reported success.

use std::path::Path;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{
    Authorizations, Column, ErrorKind, Mutation, Result, Scan, Span, TableAdmin, Versions,
};

const VALUE: &[u8] = b"a value that is found in the file";

fn put(row: &'static str) -> Vec<Mutation> {
    vec![Mutation::new(row).put(Column::new("f", "q"), VALUE)]
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

/// Changes each occurrence of `bytes` in a file, and returns the number of occurrences.
fn change(file: &Path, bytes: &[u8], change: impl Fn(&mut [u8])) -> usize {
    let mut content = std::fs::read(file).unwrap();
    let starts = 0..content.len() - bytes.len();
    let places: Vec<_> = starts.filter(|&start| content[start..].starts_with(bytes)).collect();
    for &place in &places {
        change(&mut content[place..place + bytes.len()]);
    }
    std::fs::write(file, content).unwrap();
    places.len()
}

/// Damages the key of the row `r`, which the bytes 00 01 end.
fn break_a_key(directory: &Path) {
    let key = b"r\0\x01f\0\x01q\0\x01";
    assert!(change(&directory.join("fluo.redb"), key, |key| key[2] = 2) > 0);
}

#[tokio::test]
async fn damage_that_a_check_found_stops_writes_until_a_check_finds_none() {
    let directory = tempfile::tempdir().unwrap();
    let (path, name) = (directory.path(), directory.path().display());
    make(path).await;
    let (file, mark) = (path.join("fluo.redb"), path.join("fluo.damaged"));
    let copy = std::fs::read(&file).unwrap();
    assert!(change(&file, VALUE, |value| value[0] ^= 1) > 0);
    // No read has noticed the damage.
    assert_eq!(read(&open(path)).await.unwrap(), 1);
    let damaged = std::fs::read(&file).unwrap();
    EmbeddedTables::check(path).unwrap_err();
    let finding = std::fs::read_to_string(&mark).unwrap();
    assert!(finding.contains("checksums"), "{finding}");

    let refusal = format!(
        "the directory `{name}` is damaged ({}) and takes no writes; restore it from a copy, then check it \
         again",
        finding.trim_end()
    );
    std::fs::write(&file, damaged).unwrap();
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

    // The restored copy accepts writes only after a check.
    std::fs::write(&file, copy).unwrap();
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
    assert!(change(&path.join("fluo.redb"), VALUE, |value| value[0] ^= 1) > 0);
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

/// Regression test: a sound copy on a read-only mount failed its check, because such a file system
/// refuses to remove even a mark that does not exist. The test runs itself again after it has
/// mounted the directory read-only.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "reports that nothing was tested")]
#[tokio::test]
async fn a_sound_directory_on_a_read_only_mount_passes_its_check() {
    const MOUNTED: &str = "FLUO_TEST_READ_ONLY_MOUNT";
    if let Some(mounted) = std::env::var_os(MOUNTED) {
        let mounted = Path::new(&mounted);
        std::fs::write(mounted.join("new"), "").unwrap_err();
        assert_eq!(EmbeddedTables::check(mounted).unwrap().tables, 1);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    make(path).await;
    let mount = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\"";
    let unshared = |script: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.arg(path);
        command
    };
    if !unshared(mount).status().is_ok_and(|status| status.success()) {
        println!("not tested: this user may not mount a directory read-only");
        return;
    }
    let name = "marked::a_sound_directory_on_a_read_only_mount_passes_its_check";
    let mut again = unshared(&format!("{mount} && exec \"$2\" --exact {name}"));
    again.arg(std::env::current_exe().unwrap()).env(MOUNTED, path);
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[tokio::test]
async fn the_creation_of_new_tables_removes_an_old_mark() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("fluo.damaged"), "a page\n").unwrap();
    make(directory.path()).await;
    assert!(!directory.path().join("fluo.damaged").exists());
}
