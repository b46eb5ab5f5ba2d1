//! A combine queue: many transactions count the same words, and none conflicts with another.
//!
//! The argument is a text file; the default is the addresses of home pages in `data`, whose words
//! are very uneven: almost every line has `github` or `com`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result};
use fluo::{CombineQueue, Fluo, Sum, Transaction};
use futures::TryStreamExt;

const HOME_PAGES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/package-homepages.txt");

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;

    // The queue is configuration: an id, which is the prefix of its rows, and a combiner.
    let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(17)?;
    let client = fluo.application("count").recipe(&words).create().await?;

    let (path, most) = match env::args_os().nth(1) {
        Some(path) => (PathBuf::from(path), usize::MAX),
        None => (HOME_PAGES.into(), 2_000),
    };
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    let loaders = client.loaders().start()?;
    for line in BufReader::new(file).lines().take(most) {
        let words = words.clone();
        let add = move |tx: Transaction, line: String| {
            let parts = line.split(|letter: char| !letter.is_alphanumeric());
            let parts = parts.filter(|word| !word.is_empty());
            let added = words.extend(&tx, parts.map(|word| (word, 1)));
            std::future::ready(added)
        };
        loaders.load(line?, add).await?;
    }
    loaders.finish().await?;

    // A read adds the updates that no observer has combined yet.
    let before = client.snapshot().await?;
    println!("github {}", words.get(&before, "github").await?.unwrap_or(0));

    let worker = client.worker().start().await?;
    client.wait_until_idle().await?;
    worker.stop().await;
    let after = client.snapshot().await?;
    assert_eq!(words.get(&before, "github").await?, words.get(&after, "github").await?);

    let mut all: Vec<(String, u64)> = words.iter(&after).try_collect().await?;
    all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    println!("{} words, the most frequent:", all.len());
    for (word, count) in all.iter().take(5) {
        println!("{count:6} {word}");
    }
    Ok(())
}
