//! Single bits of a file are flipped. Reads verify no checksums, so a table with a flipped bit can
//! silently show another value: a read of all rows noticed 9 of 60 flips. The check must find every
//! flip that changes stored data; a flip in a free page changes none.
//!
//! `FLUO_SOAK` multiplies the number of flips.

use std::path::Path;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{
    Authorizations, Cell, Column, ErrorKind, Mutation, Result, Scan, Span, TableAdmin, Versions,
};

use super::{SOAK, setting};

const TABLES: [&str; 2] = ["other", "pages"];
const FLIPS: u64 = 150;
/// Number of bits in the part of the file that locates all other parts.
const HEADER_BITS: u64 = 320 * 8;

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
        tables.create_table(name, Versions::All).await?;
        let table = tables.open_table(name, Authorizations::none()).await?;
        let row = |row: u32| {
            Mutation::new(format!("row-{row:06}"))
                .put(Column::new("page", "uri"), format!("https://example.org/{row}"))
        };
        for start in [0, 300] {
            table.write((start..start + 300).map(row).collect()).await?;
        }
        tables.add_splits(name, &["row-000200".into()].into()).await?;
    }
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
    let bytes = std::fs::read(original.path().join("fluo.redb")).unwrap();
    let bits = u64::try_from(bytes.len()).unwrap() * 8;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("fluo.redb");
    let (mut found, mut unseen) = (0, Vec::new());
    for number in 0..FLIPS * setting(SOAK, 1) {
        // One in five goes into the header.
        let range = if number % 5 == 0 { HEADER_BITS } else { bits };
        let bit = fastrand::Rng::with_seed(number).u64(0..range);
        let (at, mask) = (usize::try_from(bit / 8).unwrap(), 1 << (bit % 8));
        let mut flipped = bytes.clone();
        flipped[at] ^= mask;
        std::fs::write(&file, &flipped).unwrap();
        let _ = std::fs::remove_file(directory.path().join("fluo.damaged"));
        match EmbeddedTables::check(directory.path()) {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt, "bit {bit}: {error}");
                found += 1;
            }
            Ok(_) => match content(directory.path()).await {
                Ok(content) if content == expected => {}
                Ok(_) => unseen.push(bit),
                Err(error) => panic!("bit {bit}: {error}"),
            },
        }
    }
    assert_eq!(unseen, [0; 0], "the check found {found}");
    assert!(found > 0);
}
