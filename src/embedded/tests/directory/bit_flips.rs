//! Single bits of the files of a directory are flipped. A flip that changes stored data is found
//! when the directory is opened, when its data is read, or by the check: no table silently shows
//! other data.
//!
//! `FLUO_SOAK` multiplies the number of flips.

use std::path::Path;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{
    Authorizations, Cell, Column, ErrorKind, Garbage, Mutation, Result, Scan, Span, TableAdmin,
    Versions,
};

use super::files::{copy, files};
use super::{SOAK, setting};

const TABLES: [&str; 2] = ["other", "pages"];
const FLIPS: u64 = 150;

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

#[tokio::test]
async fn finds_every_flip_that_changes_stored_data() {
    let original = tempfile::tempdir().unwrap();
    make(original.path()).await.unwrap();
    let expected = content(original.path()).await.unwrap();
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    let (mut by_check, mut by_reading, mut unseen) = (0, 0, Vec::new());
    for number in 0..FLIPS * setting(SOAK, 1) {
        let mut dice = fastrand::Rng::with_seed(number);
        copy(original.path(), &directory);
        let files = files(&directory);
        let file = dice.choice(&files).unwrap();
        let mut bytes = std::fs::read(file).unwrap();
        // Most of a log is not written yet.
        let written = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        let at = dice.usize(0..=written);
        bytes[at] ^= 1 << dice.u8(0..8);
        std::fs::write(file, bytes).unwrap();
        let flip = format!("flip {number}, byte {at} of {}", file.display());
        let read = content(&directory).await;
        // Reading may have changed the damaged file; the check gets the flip itself, too.
        let damaged = parent.path().join("again");
        copy(original.path(), &damaged);
        std::fs::copy(file, damaged.join(file.strip_prefix(&directory).unwrap())).unwrap();
        let checked = EmbeddedTables::check(&damaged);
        for error in [read.as_ref().err(), checked.as_ref().err()].into_iter().flatten() {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{flip}: {error}");
        }
        by_check += u64::from(checked.is_err());
        by_reading += u64::from(read.is_err());
        if read.is_ok_and(|content| content != expected) {
            unseen.push(flip);
        }
    }
    assert_eq!(unseen, [""; 0]);
    assert!(by_check > 0 && by_reading > 0, "found by check: {by_check}, by reading: {by_reading}");
}
