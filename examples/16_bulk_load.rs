//! A bulk load of a file of rows, and an insert-only load that names the rows that exist.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use anyhow::{Result, ensure};
use fluo::{BulkLoad, Column, Fluo, KeyDesign, Mutation, RowHasher};
use futures::{Stream, stream};

const URI: Column = Column::from_static("page", "uri");

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let pages = fluo.create_table("pages").await?;
    let hasher = RowHasher::new("p")?;
    let optimizations = hasher.table_optimizations(20)?;
    fluo.optimize("pages", &optimizations).await?;

    // The load computes the keys, and runs several writes at the same time.
    let design = KeyDesign::from(&hasher);
    let mut calls = 0;
    let report = BulkLoad::new(&design).on_progress(|_| calls += 1).load(&*pages, rows()?).await?;
    println!("{} rows are written, in {calls} steps", report.written);
    println!("{} rows have the key of an earlier row", report.repeated_keys.rows);
    fluo.verify("pages", &optimizations).await?.into_result()?;

    // Every row exists now, so an insert-only load writes none of them.
    let load = BulkLoad::new(&design).insert_only()?.named_rows(2);
    let report = load.load(&*pages, rows()?).await?;
    println!("{} rows exist already, such as:", report.existing.count);
    for exists in &report.existing.first {
        println!("  line {}: {}", exists.number, String::from_utf8_lossy(&exists.row));
    }
    ensure!(report.written == 0);
    Ok(())
}

/// Returns a mutation for each line of the file. An error of the file ends the load.
fn rows() -> Result<impl Stream<Item = io::Result<Mutation>> + Send> {
    let file =
        File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/package-homepages.txt"))?;
    let row = |line: String| Mutation::new(line).put(&URI, "");
    // A program with much larger files reads them on a thread of its own.
    Ok(stream::iter(BufReader::new(file).lines().map(move |line| line.map(row))))
}
