//! Single bits of the files of a directory are flipped. A flip that changes stored data is found
//! when the directory is opened, when its data is read, or by the check: no table silently shows
//! other data.
//!
//! `FLUO_SOAK` multiplies the number of flips.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{
    Authorizations, Cell, Column, ErrorKind, Garbage, Mutation, Result, Scan, Span, TableAdmin,
    Versions,
};

use super::files::{copy, files};
use super::{SOAK, setting};

const IN_CHILD: &str = "FLUO_BIT_FLIPS_CHILD";
const TABLES: [&str; 2] = ["other", "pages"];
const FLIPS: u64 = 200;

fn options(create_if_missing: bool) -> EmbeddedOptions {
    EmbeddedOptions::new().create_if_missing(create_if_missing).cache_bytes(1 << 20)
}

/// All readable data of a directory.
#[derive(Debug, PartialEq)]
struct Content {
    tables: Vec<String>,
    cells: Vec<Vec<Cell>>,
    rest: Vec<String>,
}

async fn make(directory: &Path) -> Result<()> {
    let tables = EmbeddedTables::open(directory, options(true))?;
    for name in TABLES {
        tables.create_table(name, Versions::default()).await?;
        let table = tables.open_table(name, Authorizations::none()).await?;
        let row = |row: u32| {
            Mutation::new(format!("row-{row:06}"))
                .put(Column::new("page", "uri"), format!("https://example.org/{row}"))
        };
        for start in [0, 300, 0] {
            table.write((start..start + 300).map(row).collect()).await?;
        }
        tables.add_splits(name, &["row-000200".into()].into()).await?;
    }
    // Writes the entries of one table to files of their own.
    tables.compact("pages", &Span::all(), Garbage::Keep).await?;
    let application = Application::new("1", "pages").set("a", "1");
    tables.applications().initialize("web", application).await
}

async fn content(directory: &Path) -> Result<Content> {
    let tables = EmbeddedTables::open(directory, options(false))?;
    let mut content = Content {
        tables: tables.tables().await?,
        cells: Vec::new(),
        rest: vec![format!("{:?}", tables.servers().await?)],
    };
    for name in TABLES {
        let table = tables.open_table(name, Authorizations::none()).await?;
        content.cells.push(table.read(Scan::over(Span::all())).await?);
        content.rest.push(format!(
            "{:?} {:?}",
            tables.tablets(name).await?,
            tables.properties(name).await?
        ));
    }
    let web = tables.applications().open("web").await?;
    content.rest.push(format!("{:?}", web.application().await?));
    Ok(content)
}

/// Flips bits of copies of a directory, and prints for each flip whether the check and reading find
/// it. Runs only as a child process, because the engine may abort it.
#[tokio::test]
async fn child() {
    let Ok(arguments) = std::env::var(IN_CHILD) else {
        return;
    };
    let (first, original) = arguments.split_once(' ').unwrap();
    let original = Path::new(original);
    let expected = content(original).await.unwrap();
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    for number in first.parse().unwrap()..flips() {
        let mut dice = fastrand::Rng::with_seed(number);
        copy(original, &directory);
        let files = files(&directory);
        let file = dice.choice(&files).unwrap();
        let mut bytes = std::fs::read(file).unwrap();
        // Most of a log is not written yet.
        let written = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        let at = dice.usize(0..=written);
        bytes[at] ^= 1 << dice.u8(0..8);
        std::fs::write(file, bytes).unwrap();
        let flip = format!("flip {number}, byte {at} of {}", file.display());
        // Reading may change the damaged file; the check gets the flip itself, too.
        let damaged = parent.path().join("again");
        copy(original, &damaged);
        std::fs::copy(file, damaged.join(file.strip_prefix(&directory).unwrap())).unwrap();
        let checked = EmbeddedTables::check(&damaged);
        let read = content(&directory).await;
        for error in [read.as_ref().err(), checked.as_ref().err()].into_iter().flatten() {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{flip}: {error}");
        }
        let found = (checked.is_err(), read.is_err());
        assert!(read.is_err() || read.unwrap() == expected, "unseen: {flip}");
        writeln!(std::io::stdout(), "flip {number} {} {}", found.0, found.1).unwrap();
    }
}

fn flips() -> u64 {
    FLIPS * setting(SOAK, 1)
}

/// The engine uses some lengths before it verifies their checksum: if one is far too large, the
/// allocation fails and aborts the process. If the engine panics while it opens a map, one of its
/// destructors panics too, which also aborts the process. This counts as found.
#[tokio::test]
async fn finds_every_flip_that_changes_stored_data() {
    let original = tempfile::tempdir().unwrap();
    make(original.path()).await.unwrap();
    let (mut next, mut by_check, mut by_reading, mut ended) = (0, 0, 0, 0);
    while next < flips() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "bit_flips::child", "--nocapture"])
            .env(IN_CHILD, format!("{next} {}", original.path().display()))
            .output()
            .unwrap();
        let printed = String::from_utf8(child.stdout).unwrap();
        // The harness may print its own text before, without a new line.
        for line in printed.lines().filter_map(|line| line.split_once("flip ")) {
            let words: Vec<_> = line.1.split(' ').collect();
            next = words[0].parse::<u64>().unwrap() + 1;
            by_check += u64::from(words[1] == "true");
            by_reading += u64::from(words[2] == "true");
        }
        if !child.status.success() {
            let said = String::from_utf8_lossy(&child.stderr);
            let first = said.lines().find(|line| line.contains("panicked at")).unwrap_or_default();
            let is_of_the_engine = first.contains("/lsm-tree-") || first.contains("/fjall-");
            let is_double = said.contains("panic in a destructor during cleanup");
            let is_known = said.contains("memory allocation of") || is_of_the_engine && is_double;
            assert!(is_known, "flip {next}: {said}");
            (ended, next) = (ended + 1, next + 1);
        } else {
            assert_eq!(next, flips(), "{printed}");
        }
    }
    let found = format!("found by check: {by_check}, by reading: {by_reading}, ended: {ended}");
    writeln!(std::io::stdout(), "{found}").unwrap();
    assert!(by_check > 0 && by_reading > 0 && ended * 20 < flips(), "{found}");
}

/// One flipped bit was an invalid argument of the file system, as if the disk had failed.
#[tokio::test]
async fn a_place_outside_of_a_file_is_damage() {
    let original = tempfile::tempdir().unwrap();
    make(original.path()).await.unwrap();
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    let version = "fluo.tables/keyspaces/2/v0";
    let length = std::fs::metadata(original.path().join(version)).unwrap().len();
    let mut found = Vec::new();
    // The place of the contents of the file.
    for at in length - 16..length - 8 {
        copy(original.path(), &directory);
        let file = directory.join(version);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[usize::try_from(at).unwrap()] ^= 0x80;
        std::fs::write(file, bytes).unwrap();
        let error = EmbeddedTables::open(&directory, options(false)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "byte {at}: {error}");
        found.push(error.to_string());
    }
    let expected = "is damaged: a file refers to a place that it does not have; restore";
    assert!(found.iter().any(|error| error.contains(expected)), "{found:#?}");
}
