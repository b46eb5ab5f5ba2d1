//! A scan over salted rows in the order of the user's keys, with a limit, and resumed by a cursor.

use anyhow::{Context, Result};
use fluo::keys::{DigestSalt, RowBatch, RowSelection, ScanCursor};
use fluo::{Column, Fluo, KeyDesign, Mutation, SaltedScan, TableOptimizations};
use futures::TryStreamExt;

const KIND: Column = Column::from_static("event", "kind");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let table = fluo.create_table("events").await?;

    // Sixteen salts, one tablet for each: consecutive rows go to different tablets.
    let one_digit = DigestSalt { digits: 1, separator: ":".to_owned(), ..DigestSalt::default() };
    let design = KeyDesign::new(one_digit)?;
    let optimizations = TableOptimizations::for_key_design(&design, 16)?;
    fluo.optimize("events", &optimizations).await?;
    let events = (0..1_000).map(|minute| {
        let row = format!("2024-02-29T{:02}:{:02}", minute / 60, minute % 60);
        let key = design.encode_row(row.as_bytes())?;
        Ok(Mutation::new(key).put(KIND, "tick"))
    });
    table.write(events.collect::<Result<Vec<_>>>()?).await?;

    // A scan merges them in their original order.
    let morning = RowSelection::range("2024-02-29T08", "2024-02-29T12");
    let scan = SaltedScan::new(&design, &morning)?.limit(5);
    println!("The scan merges {} pieces of the table.", scan.explain().spans.len());
    let mut last: Option<ScanCursor> = None;
    let mut batches = scan.clone().run(table.clone().into());
    while let Some(batch) = batches.try_next().await? {
        for row in batch.rows() {
            println!("{}", String::from_utf8_lossy(row.row));
        }
        last = Some(batch.cursor());
    }

    // The cursor is text: another process can resume the scan.
    let cursor = last.context("there are rows")?.to_string();
    println!("resumes after {cursor}");
    let next: Vec<_> = scan.after(&cursor.parse()?)?.run(table.into()).try_collect().await?;
    let rows = next.iter().flat_map(RowBatch::rows);
    for row in rows {
        println!("{}", String::from_utf8_lossy(row.row));
    }
    Ok(())
}
