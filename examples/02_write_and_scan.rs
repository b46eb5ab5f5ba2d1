//! An embedded table: mutations, versions, deletes, scans in batches.

use anyhow::Result;
use fluo::{Column, Span};
use fluo_table::{Authorizations, Mutation, Scan, TableAdmin, TableExt, Versions};
use futures::TryStreamExt;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = fluo_embedded::open(directory.path())?;

    fluo.create_table("pages", Versions::All).await?;
    let pages = fluo.open_table("pages", Authorizations::none()).await?;

    // A mutation changes one row atomically. It is on disk when the call returns.
    let (uri, score) = (Column::new("page", "uri"), Column::new("page", "score"));
    let wikipedia = Mutation::new("org.wikipedia/accumulo")
        .put(uri.clone(), "https://wikipedia.org/accumulo")
        .put_at(score.clone(), 1, "7")
        .put_at(score.clone(), 2, "9");
    pages
        .write(vec![
            wikipedia,
            Mutation::new("org.debian/").put(uri, "https://debian.org/"),
        ])
        .await?;

    // `get` returns the newest version. A delete hides versions at or below its timestamp.
    assert_eq!(
        pages
            .get("org.wikipedia/accumulo", &score)
            .await?
            .as_deref(),
        Some(&b"9"[..])
    );
    pages
        .write(vec![
            Mutation::new("org.wikipedia/accumulo").delete_at(score.clone(), 2),
        ])
        .await?;
    assert_eq!(pages.get("org.wikipedia/accumulo", &score).await?, None);

    // A scan is a stream of batches, in key order.
    let mut batches = pages.scan(Scan::over(Span::prefix("org.")));
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            println!("{} = {}", cell.key, String::from_utf8_lossy(&cell.value));
        }
    }
    Ok(())
}
