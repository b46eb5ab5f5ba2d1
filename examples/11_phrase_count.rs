//! An index of phrases: observers count the phrases of documents, and update the counts when
//! documents change.
//!
//! The texts are the decisions of this project. A strong observer splits each changed document into
//! phrases. A weak observer sums up the documents of a phrase after a change of at least one of
//! them: one run covers many changes.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use fluo::table::coordination::{ObservedColumn, ObserverKind};
use fluo::{
    Bytes, Client, Column, ColumnSelector, Error, Fluo, Scan, Span, Transaction, observer_fn,
};
use futures::TryStreamExt;

const TEXT: Column = Column::from_static("document", "text");
const COUNTED: Column = Column::from_static("document", "counted");
const CHANGED: Column = Column::from_static("phrase", "changed");
const TOTAL: Column = Column::from_static("phrase", "documents");

const TEXTS: [(&str, &str); 6] = [
    ("spans", include_str!("../docs/decisions/0001-spans-are-half-open.md")),
    ("balancing", include_str!("../docs/decisions/0002-the-balancing-rule-is-in-core.md")),
    ("shares", include_str!("../docs/decisions/0003-expected-shares.md")),
    (
        "authorizations",
        include_str!("../docs/decisions/0004-authorizations-belong-to-the-handle.md"),
    ),
    ("undo", include_str!("../docs/decisions/0005-undo-reads-back.md")),
    ("structures", include_str!("../docs/decisions/0006-requests-and-replies-as-structures.md")),
];

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;

    // The application stores the observed columns, so that all its clients notify the observers.
    let sums = ObservedColumn::new(CHANGED, ObserverKind::Weak, "sum-up");
    let client = fluo
        .application("phrases")
        .observe(&TEXT, "take-apart", take_apart)
        .observe_with(sums, observer_fn(|tx, phrase, _| sum_up(tx, phrase)))
        .open_or_create()
        .await?;
    let worker = client.worker().start().await?;

    // Loaders add the documents, several at once.
    let loaders = client.loaders().start()?;
    for (name, document) in TEXTS {
        loaders
            .load((name, document), async |tx, (name, document)| {
                tx.set(document_row(name), &TEXT, document)
            })
            .await?;
    }
    loaders.finish().await?;
    client.wait_until_idle().await?;
    println!("{} documents:", TEXTS.len());
    for (phrase, documents) in top(&client).await? {
        println!("{documents:3}  {phrase}");
    }

    // The documents change, and phrases without a document disappear.
    for (name, _) in TEXTS.into_iter().skip(1) {
        client.run(async |tx| tx.set(document_row(name), &TEXT, "nothing to say")).await?;
    }
    client.wait_until_idle().await?;
    let left = top(&client).await?;
    println!("all but one have nothing to say:");
    for (phrase, documents) in left.iter().take(2) {
        println!("{documents:3}  {phrase}");
    }
    anyhow::ensure!(left.first() == Some(&("nothing to".to_owned(), TEXTS.len() - 1)), "{left:?}");
    worker.stop().await;
    Ok(())
}

/// Splits a document into phrases, and writes those that were added or removed since the last run.
async fn take_apart(tx: Transaction, row: Bytes) -> Result<(), Error> {
    let (now, before) = (tx.get(row.clone(), &TEXT).await?, tx.get(row.clone(), &COUNTED).await?);
    let (now, before) = (now.unwrap_or_default(), before.unwrap_or_default());
    let (new, old) = (phrases(&now), phrases(&before));
    let here = Column::new("in", row.clone());
    for phrase in new.symmetric_difference(&old) {
        let phrase_row = format!("phrase:{phrase}");
        match new.contains(phrase) {
            true => tx.set(phrase_row.clone(), &here, "")?,
            false => tx.delete(phrase_row.clone(), &here)?,
        }
        tx.notify(phrase_row, &CHANGED)?;
    }
    tx.set(row, &COUNTED, now)
}

/// Counts the documents of a phrase.
async fn sum_up(tx: Transaction, row: Bytes) -> Result<(), Error> {
    let documents = Scan::over(Span::row(row.clone())).column(ColumnSelector::family("in"));
    let documents = tx.scan(documents).try_concat().await?.len();
    match documents {
        0 => tx.delete(row, &TOTAL),
        _ => tx.set(row, &TOTAL, documents.to_string()),
    }
}

/// Returns the ten phrases in most documents, each with the number of its documents.
async fn top(client: &Client) -> Result<Vec<(String, usize)>> {
    let snapshot = client.snapshot().await?;
    let cells = snapshot.scan_prefix("phrase:", [&TOTAL]).try_concat().await?;
    let mut by_documents: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for cell in cells {
        let phrase = String::from_utf8_lossy(&cell.key.row).replacen("phrase:", "", 1);
        let documents = std::str::from_utf8(&cell.value)?.parse()?;
        by_documents.entry(documents).or_default().push(phrase);
    }
    let most_first = by_documents.into_iter().rev();
    let all = most_first.flat_map(|(documents, phrases)| {
        phrases.into_iter().map(move |phrase| (phrase, documents))
    });
    Ok(all.take(10).collect())
}

/// Returns all pairs of consecutive words.
fn phrases(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let words: Vec<_> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).map(|words| words.join(" ")).collect()
}

fn document_row(name: &str) -> String {
    format!("document:{name}")
}
