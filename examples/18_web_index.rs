//! An inverted index of links: the packages that this repository depends on, and which of them most
//! others depend on.
//!
//! A package is a page and its dependencies are links, from `Cargo.lock`. Three recipes keep the
//! index while pages change:
//!
//! - a [`RowHasher`] spreads the pages over the table;
//! - a [`CombineQueue`] counts the links to each page;
//! - an [`ExportQueue`] writes the counts to a query table, sorted by count.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use anyhow::Result;
use fluo::recipes::codec::{Postcard, Text};
use fluo::recipes::recording::difference;
use fluo::recipes::table_optimizations;
use fluo::{
    Bytes, Change, Client, Column, CombineQueue, ExportQueue, Fluo, RowColumn, RowHasher, Scan,
    Span, Sum, Table, TableSink, Transaction, TypedColumn,
};

/// The links of a page that was loaded and is not indexed yet, one in each line.
const NEW: TypedColumn<String> = TypedColumn::new("page", "new");
/// The links of a page in the index.
const INDEXED: TypedColumn<String> = TypedColumn::new("page", "cur");

static PAGES: LazyLock<RowHasher> =
    LazyLock::new(|| RowHasher::new("p").unwrap_or_else(|error| unreachable!("{error}")));

/// The count of links to a page, before and after.
type Counts = (i64, i64);

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let query = fluo.create_table("query").await?;

    let links = CombineQueue::<String, i64>::new("um", Sum)?.buckets(17)?;
    let exports = ExportQueue::<String, Counts>::with_codecs("eq", Text, Postcard)?.buckets(7)?;
    let sink = TableSink::new(&exports, query.clone().into(), |export| {
        let (old, new) = export.value;
        let (before, after) = (rank(&export.key, old), rank(&export.key, new));
        Ok(difference(&before, &after, export.sequence))
    });
    let (exports, counted) = (exports.export_with(sink), links.clone());
    let exported = exports.clone();
    let links = links.on_changes(move |tx, changes| {
        let counts = changes.into_iter().map(counts);
        std::future::ready(exported.extend(&tx, counts))
    });
    let web = fluo
        .application("web")
        .recipe(&PAGES.table_optimizations(20)?)
        .recipe(&links)
        .recipe(&exports)
        .observe(&NEW.column(), "index", move |tx, page| index(tx, page, counted.clone()));
    let client = web.create().await?;
    // The table gets the split points of all three recipes.
    let optimizations = table_optimizations(&web.settings())?;
    fluo.optimize("web", &optimizations).await?;

    let worker = client.worker().start().await?;
    for (package, dependencies) in packages() {
        load(&client, package, &dependencies).await?;
    }
    client.wait_until_idle().await?;
    println!("Most packages depend on:");
    print_top(&query).await?;

    // A page changes: only the counts of the links that it gains or loses change.
    load(&client, "fluo-cli", &BTreeSet::from(["libc", "syn"])).await?;
    client.wait_until_idle().await?;
    println!("After a change of fluo-cli:");
    print_top(&query).await?;
    worker.stop().await;
    Ok(())
}

/// Returns the entry of the export queue for a change of a count.
fn counts(change: Change<String, i64>) -> (String, Counts) {
    let counts = (change.old.unwrap_or(0), change.new.unwrap_or(0));
    (change.key, counts)
}

/// Loads the links of a page. The observer indexes them.
async fn load(client: &Client, page: &str, links: &BTreeSet<&str>) -> fluo::Result<()> {
    let row = PAGES.add(page.as_bytes());
    let links: Vec<&str> = links.iter().copied().collect();
    let load = async |tx: Transaction| tx.set(row.clone(), &NEW, links.join("\n"));
    client.run(load).await
}

/// Compares the links of a page with those in the index, and adds the difference to the counts.
async fn index(tx: Transaction, row: Bytes, links: CombineQueue<String, i64>) -> fluo::Result<()> {
    let Some(new) = tx.get(row.clone(), &NEW).await? else {
        return Ok(());
    };
    let old = tx.get(row.clone(), &INDEXED).await?.unwrap_or_default();
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (old.lines().collect(), new.lines().collect());
    let added = after.difference(&before).map(|link| (*link, 1));
    let removed = before.difference(&after).map(|link| (*link, -1));
    links.extend(&tx, added.chain(removed))?;
    tx.delete(row.clone(), &NEW)?;
    tx.set(row, &INDEXED, new.clone())
}

/// Returns the cell of a page in the query table, which sorts the highest counts first.
fn rank(page: &str, count: i64) -> BTreeMap<RowColumn, Bytes> {
    let row = format!("top:{:06}:{page}", 999_999 - count);
    let cell = RowColumn::new(row, Column::new("page", "links"));
    let cells = (count > 0).then(|| (cell, Bytes::from(count.to_string())));
    cells.into_iter().collect()
}

async fn print_top(query: &Table) -> fluo::Result<()> {
    let cells = query.read(Scan::over(Span::prefix("top:"))).await?;
    let counts = cells.iter().filter(|cell| cell.key.column.family == "page");
    for cell in counts.take(4) {
        let row = String::from_utf8_lossy(&cell.key.row);
        let count = String::from_utf8_lossy(&cell.value);
        println!("{count:>6} {}", row.rsplit(':').next().unwrap_or_default());
    }
    Ok(())
}

/// Returns the packages of `Cargo.lock` and the names of their dependencies.
fn packages() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut packages: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for package in include_str!("../Cargo.lock").split("[[package]]").skip(1) {
        let name = package.lines().find_map(|line| line.strip_prefix("name = "));
        let dependencies = package.lines().filter_map(|line| line.strip_prefix(" \""));
        let names = dependencies.filter_map(|line| line.split(['"', ' ']).next());
        packages.entry(name.unwrap_or_default().trim_matches('"')).or_default().extend(names);
    }
    packages
}
