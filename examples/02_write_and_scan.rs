//! An embedded table: mutations, versions, deletes, scans in batches.

use anyhow::Result;
use fluo::{Column, Fluo, Mutation, Scan, Span, Versions};
use futures::TryStreamExt;

const URI: Column = Column::from_static("page", "uri");
const SCORE: Column = Column::from_static("page", "score");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;

    let pages = fluo.create_table("pages").versions(Versions::All).await?;

    // A mutation changes one row atomically. It is on disk when the call returns.
    let wikipedia = Mutation::new("org.wikipedia/accumulo")
        .put(&URI, "https://wikipedia.org/accumulo")
        .put_at(SCORE, 1, "7")
        .put_at(SCORE, 2, "9");
    pages.write([wikipedia, Mutation::new("org.debian/").put(&URI, "https://debian.org/")]).await?;

    // `get` returns the newest version. A delete hides versions at or below its timestamp.
    assert_eq!(pages.get("org.wikipedia/accumulo", &SCORE).await?.as_deref(), Some(&b"9"[..]));
    pages.write([Mutation::new("org.wikipedia/accumulo").delete_at(SCORE, 2)]).await?;
    assert_eq!(pages.get("org.wikipedia/accumulo", &SCORE).await?, None);

    // A scan is a stream of batches, in key order.
    let mut batches = pages.scan(Scan::over(Span::prefix("org.")));
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            println!("{} = {}", cell.key, String::from_utf8_lossy(&cell.value));
        }
    }
    Ok(())
}
