//! A directory that an older build wrote opens, and can be used.

use std::error::Error;
use std::fs;

use fluo_embedded::EmbeddedTables;
use fluo_engine::{Column, InstanceExt};
use fluo_table::{Authorizations, Scan, Span, TableAdmin};
use futures::TryStreamExt;

/// The only file with data of a directory; `tests/data/older/README.md` describes its content.
const DATABASE: &[u8] = include_bytes!("../data/older/fluo.redb");

#[tokio::test]
async fn opens_a_directory_of_an_older_build() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("fluo.redb"), DATABASE)?;
    let report = EmbeddedTables::check(directory.path())?;
    assert_eq!((report.entries, report.applications), (12, 1));

    let fluo = fluo_embedded::open_existing(directory.path())?;
    assert_eq!(fluo.tables().await?, ["pages", "web"]);
    let splits = fluo.splits("pages").await?;
    assert_eq!(splits, ["p:9000", "p:i000", "p:r000", "p:~"]);
    let properties = fluo.properties("pages").await?;
    let regex = properties.get("table.custom.balancer.group.regex.pattern");
    assert_eq!(regex.map(String::as_str), Some(r"(\Qp:\E).*"));

    let table = fluo.open_table("pages", Authorizations::none()).await?;
    let scan = table.scan(Scan::over(Span::all()));
    let cells = scan.try_concat().await?;
    let rows: Vec<_> =
        cells.iter().map(|cell| String::from_utf8_lossy(&cell.key.row).into_owned()).collect();
    assert!(rows.iter().all(|row| row.starts_with("p:")), "{rows:?}");
    let mut written: Vec<_> = rows.iter().filter_map(|row| row.rsplit(':').next()).collect();
    written.sort_unstable();
    let loaded: Vec<_> = (1..=12).map(|user| format!("user{user:03}")).collect();
    assert_eq!(written, loaded);
    Ok(())
}

#[tokio::test]
async fn runs_an_application_of_an_older_build() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("fluo.redb"), DATABASE)?;
    let fluo = fluo_embedded::open_existing(directory.path())?;
    let client = fluo.application("web").open().await?;
    let application = client.application();
    assert_eq!(application.settings["limit"], "7");
    assert_eq!(application.observers[0].column, Column::new("page", "text"));
    let column = Column::new("page", "title");
    client.run(async |tx| tx.set("org.wikipedia", &column, "Wikipedia")).await?;
    let title = client.snapshot().await?.get("org.wikipedia", &column).await?;
    assert_eq!(title.as_deref(), Some(&b"Wikipedia"[..]));
    Ok(())
}
