//! A bulk load of a file of rows, and an insert-only load that names the rows that exist.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use anyhow::{Result, ensure};
use fluo::Column;
use fluo_keys::{BulkLoad, KeyDesign, RowHasher, TableOptimizations};
use fluo_table::{Authorizations, Mutation, TableAdmin, Versions};
use futures::{Stream, stream};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = fluo_embedded::open(directory.path())?;
    fluo.create_table("pages", Versions::default()).await?;
    let hasher = RowHasher::new("p")?;
    let optimizations = TableOptimizations::for_row_hasher(&hasher, 20)?;
    optimizations
        .plan(&fluo, "pages")
        .await?
        .apply(&fluo)
        .await?;

    // The load computes the keys, and runs several writes at the same time.
    let pages = fluo.open_table("pages", Authorizations::none()).await?;
    let design = KeyDesign::from(&hasher);
    let mut calls = 0;
    let report = BulkLoad::new(&design)
        .on_progress(|_| calls += 1)
        .load(&*pages, rows()?)
        .await?;
    println!("{} rows are written, in {calls} steps", report.written);
    println!(
        "{} rows have the key of an earlier row",
        report.repeated_keys.rows
    );
    optimizations.verify(&fluo, "pages").await?.into_result()?;

    // Every row exists now, so an insert-only load writes none of them.
    let load = BulkLoad::new(&design).insert_only()?.named_rows(2);
    let report = load.load(&*pages, rows()?).await?;
    println!("{} rows exist already, such as:", report.existing.count);
    for exists in &report.existing.first {
        println!(
            "  line {}: {}",
            exists.number,
            String::from_utf8_lossy(&exists.row)
        );
    }
    ensure!(report.written == 0);
    Ok(())
}

/// Returns a mutation for each line of the file. An error of the file ends the load.
fn rows() -> Result<impl Stream<Item = io::Result<Mutation>> + Send> {
    let file = File::open(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/package-homepages.txt"
    ))?;
    let row = |line: String| Mutation::new(line).put(Column::new("page", "uri"), "");
    // A program with much larger files reads them on a thread of its own.
    Ok(stream::iter(
        BufReader::new(file).lines().map(move |line| line.map(row)),
    ))
}
