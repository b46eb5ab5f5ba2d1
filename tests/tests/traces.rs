//! A transaction can be followed in its trace. The test is alone in its binary, because a process
//! caches which events are enabled.

#![cfg(test)]

use fluo_engine::CommitError;
use fluo_table::Column;
use fluo_tests::{Fixture, Written};
use tracing::{Instrument, Level, debug_span};

/// Returns the lines with all these words.
fn lines<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    text.lines().filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

#[test]
fn traces_reads_writes_and_the_end_in_the_span_of_the_transaction() {
    let written = Written::default();
    let copy = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || copy.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(traced())
            .unwrap();
    });
    let text = written.text();

    let read = lines(&text, &[" transaction{start=6}: ", "read", r"row\xff f:q", r"value\x00"]);
    assert_eq!(read.len(), 1, "{text}");
    let write = lines(&text, &[" transaction{start=6}: ", "write", r"row\xff f:q", r"other\x07"]);
    assert_eq!(write.len(), 1, "{text}");
    // A transaction that its owner commits is traced in the same way, and so is a snapshot, in
    // whatever task it is used. Both are inside of the span in which they began.
    for operation in ["read start=5", "write start=5", "delete start=5"] {
        let owned = lines(&text, &[" request:transaction{start=5}: ", operation]);
        assert_eq!(owned.len(), 1, "{operation}\n{text}");
        assert_eq!(lines(&text, &[operation]), owned, "{text}");
    }
    let snapshot = lines(&text, &[" request:snapshot{start=8}: ", "read start=8"]);
    assert_eq!(snapshot.len(), 1, "{text}");
    assert_eq!(lines(&text, &["read start=8"]), snapshot, "{text}");
    let ended = lines(&text, &["commit{start=", "committed commit="]);
    assert_eq!(ended.len(), 3, "{text}");
    let conflict = lines(&text, &["commit{start=", "conflict", r"row\xff f:q"]);
    assert_eq!(conflict.len(), 1, "{text}");
    // The docs show them, without the time.
    let page = include_str!("../../docs/operating.md");
    for line in [read[0], write[0], ended[1], conflict[0]] {
        let line = line.split_once(' ').unwrap().1.trim_start();
        assert!(page.contains(&format!("\n{line}\n")), "docs/operating.md should have\n{line}");
    }
    // No byte of a value reaches a terminal unescaped.
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

async fn traced() -> Result<(), Box<dyn std::error::Error>> {
    let client = Fixture::in_memory().await.client().await;
    let (row, column) = (&b"row\xff"[..], Column::new("f", "q"));
    client.run(async |tx| tx.set(row, &column, &b"value\0"[..])).await?;
    let request = debug_span!("request");
    let late = client.begin().instrument(request.clone()).await?;
    client
        .run(async |tx| {
            tx.get(row, &column).await?;
            tx.set(row, &column, &b"other\x07"[..])
        })
        .await?;
    let now = client.snapshot().instrument(request).await?;
    tokio::spawn(async move { now.get(row, &Column::new("f", "q")).await }).await??;
    late.get(row, &column).await?;
    late.set(row, &column, "lost")?;
    late.delete(row, &Column::new("f", "other"))?;
    match late.commit().await {
        Err(CommitError::Conflict(_)) => {}
        other => return Err(format!("{other:?}").into()),
    }
    client.run(async |tx| tx.delete(row, &column)).await?;
    Ok(())
}
