//! Directories with random damage in one file are checked, opened, read and written. Every call
//! ends with a result, or with an error that reports the damage. No call panics.
//!
//! The rounds run in a child process, because the failures that must not happen (a stack overflow,
//! an abort) end the process. `FLUO_SOAK` multiplies the number of rounds; `FLUO_DAMAGE_SEED` sets
//! the first seed.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;
use fluo_embedded::{EmbeddedApplications, EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications, FailedNotification, ObserverKind};
use fluo_table::{
    Authorizations, Bytes, Column, Condition, Error, ErrorKind, Garbage, Mutation, Result,
    RowColumn, Scan, Span, TableAdmin, Timestamp, Versions,
};

use super::files::{copy, files};
use super::{SOAK, setting};

const IN_CHILD: &str = "FLUO_DAMAGE_CHILD";
const ROUNDS: u64 = 60;
const SEED: &str = "FLUO_DAMAGE_SEED";

fn options() -> EmbeddedOptions {
    EmbeddedOptions::new().create_if_missing(true).cache_bytes(1 << 20)
}

async fn load(directory: &Path) -> Result<()> {
    let tables = EmbeddedTables::open(directory, options())?;
    tables.create_table("pages", Versions::All).await?;
    tables.create_table("other", Versions::default()).await?;
    let pages = tables.open_table("pages", Authorizations::none()).await?;
    let row = |number: u32| {
        Mutation::new(format!("row-{number:06}"))
            .put(Column::new("page", "uri"), format!("https://example.org/{number}"))
            .put(
                Column::new("page", "text"),
                vec![b'x'; if number.is_multiple_of(97) { 9_000 } else { 90 }],
            )
    };
    for start in [0, 500, 1_000, 1_500] {
        pages.write((start..start + 500).map(row).collect()).await?;
    }
    let splits: BTreeSet<Bytes> =
        (0..200).map(|number| format!("row-{:06}", number * 10).into()).collect();
    tables.add_splits("pages", &splits).await?;
    let applications = tables.applications();
    for name in ["web", "other"] {
        let application = Application::new("1", name).set("a", "1");
        applications.initialize(name, application).await?;
        let coordination = applications.open(name).await?;
        for row in 0..20 {
            coordination.add_dead_letter(failed(row)).await?;
        }
    }
    Ok(())
}

fn failed(row: u8) -> FailedNotification {
    FailedNotification {
        cell: RowColumn::new(vec![row], Column::new("page", "uri")),
        kind: ObserverKind::Weak,
        timestamp: Timestamp::ZERO,
        tries: 3,
        error: "e".repeat(400),
        failed_at_ms: 0,
    }
}

/// Damages one to three places of a file of `length` bytes.
fn damage(bytes: &mut Vec<u8>, dice: &mut Rng) {
    for _ in 0..=dice.u64(0..3) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        // Most of a log is not written yet.
        let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let reach = length.min(u64::try_from(written).unwrap_or(u64::MAX));
        let at = usize::try_from(dice.u64(0..reach.max(1))).unwrap_or(0);
        let page = at - at % 4_096;
        match dice.u64(0..7) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(page).take(4_096).for_each(|byte| *byte = 0),
            2 => bytes.iter_mut().skip(at).take(16).for_each(|byte| *byte = dice.u8(..)),
            3 => bytes.iter_mut().skip(page).take(64).for_each(|byte| *byte = dice.u8(..)),
            4 => bytes.iter_mut().skip(page).take(4_096).for_each(|byte| *byte = 0xff),
            5 => bytes.iter_mut().skip(page).take(8).for_each(|byte| *byte = dice.u8(..)),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1),
        }
    }
}

fn must_be_of_the_storage(what: &str, seed: u64, result: Result<()>) -> Result<()> {
    match result {
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::Corrupt
                    | ErrorKind::Storage
                    | ErrorKind::NotFound
                    | ErrorKind::Uncertain
            ) =>
        {
            Err(Error::with_source(error.kind(), format!("seed {seed}: {what}: {error}"), error))
        }
        _ => Ok(()),
    }
}

async fn use_everything(tables: &EmbeddedTables, seed: u64) -> Result<()> {
    let check = |what: &str, result: Result<()>| must_be_of_the_storage(what, seed, result);
    check("tables", tables.tables().await.map(drop))?;
    for name in ["pages", "other"] {
        check("properties", tables.properties(name).await.map(drop))?;
        check("tablets", tables.tablets(name).await.map(drop))?;
        let Ok(table) = tables.open_table(name, Authorizations::none()).await else {
            continue;
        };
        check("scan", table.read(Scan::over(Span::all())).await.map(drop))?;
        for number in [0, 1_000, 1_999, 5_000] {
            let row =
                Mutation::new(format!("row-{number:06}")).put(Column::new("page", "new"), "v");
            let conditional = row.clone().when(Condition::absent(Column::new("page", "uri")));
            check("write", table.write(vec![row]).await)?;
            check("write if", table.write_conditional(vec![conditional]).await.map(drop))?;
        }
        check("add_splits", tables.add_splits(name, &["row-000777".into()].into()).await)?;
        check("merge", tables.merge(name, Some(b"row-000100"), Some(b"row-000900")).await)?;
        check("compact", tables.compact(name, &Span::all(), Garbage::Keep).await)?;
        check("delete", tables.delete_table(name).await)?;
    }
    use_applications(&tables.applications(), seed).await?;
    check("create", tables.create_table("third", Versions::All).await)
}

async fn use_applications(applications: &EmbeddedApplications, seed: u64) -> Result<()> {
    let check = |what: &str, result: Result<()>| must_be_of_the_storage(what, seed, result);
    check("list", applications.list().await.map(drop))?;
    for name in ["web", "other"] {
        let opened = match applications.open(name).await {
            Ok(opened) => opened,
            Err(error) => {
                check("open application", Err(error))?;
                continue;
            }
        };
        check("application", opened.application().await.map(drop))?;
        check("timestamps", opened.timestamps(NonZeroU32::MIN).await.map(drop))?;
        check("advance", opened.advance_horizon().await.map(drop))?;
        check("begin", opened.begin_transactor().await.map(drop))?;
        check("join", opened.join_workers().await.map(drop))?;
        check("add dead letter", opened.add_dead_letter(failed(100)).await)?;
        check("list dead letters", opened.dead_letters().await.map(drop))?;
        let cell = failed(7).cell;
        let forgotten = opened.remove_dead_letter(&cell, Timestamp::MAX).await;
        check("remove dead letter", forgotten.map(drop))?;
        check("settings", opened.update_settings([].into()).await)?;
        check("remove", applications.remove(name).await)?;
    }
    check("initialize", applications.initialize("third", Application::new("1", "t")).await)
}

async fn round(original: &Path, seed: u64) -> Result<()> {
    let parent = tempfile::tempdir().map_err(|error| Error::invalid(error.to_string()))?;
    let directory = parent.path().join("tables");
    copy(original, &directory);
    let mut dice = Rng::with_seed(seed);
    let files = files(&directory);
    let file = dice.choice(&files).ok_or_else(|| Error::invalid("there are no files"))?;
    let damaged = || -> std::io::Result<()> {
        let mut bytes = std::fs::read(file)?;
        damage(&mut bytes, &mut dice);
        std::fs::write(file, bytes)
    }();
    damaged.map_err(|error| Error::invalid(error.to_string()))?;
    let what = |what: &str| format!("{what} with a damaged {}", file.display());
    let checked = EmbeddedTables::check(&directory).map(drop);
    must_be_of_the_storage(&what("check"), seed, checked)?;
    // A directory that is marked as damaged would accept no writes.
    let _ = std::fs::remove_file(directory.join("fluo.damaged"));
    match EmbeddedTables::open(&directory, EmbeddedOptions::new().cache_bytes(1 << 20)) {
        Ok(tables) => use_everything(&tables, seed).await,
        Err(error) => must_be_of_the_storage(&what("open"), seed, Err(error)),
    }
}

/// Runs only as the child process of the test below.
#[test]
fn child() {
    if std::env::var_os(IN_CHILD).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    runtime.block_on(load(directory.path())).unwrap();
    let first = setting(SEED, 1);
    for seed in first..first + ROUNDS * setting(SOAK, 1) {
        std::fs::write(std::env::var_os(IN_CHILD).unwrap(), seed.to_string()).unwrap();
        runtime.block_on(round(directory.path(), seed)).unwrap();
    }
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let last_seed = directory.path().join("seed");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "damage::child", "--nocapture"])
        .env(IN_CHILD, &last_seed)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&child.stderr).into_owned();
    let seed = std::fs::read_to_string(&last_seed).unwrap_or_default();
    assert!(child.status.success(), "seed {seed}: {:?}\n{printed}", child.status);
}
