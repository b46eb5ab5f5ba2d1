//! Scanners and conditional writers by their handles, and keys that the proxy computes.

use accumulo_proxy::{
    BatchScanOptions, Condition, ConditionalOutcome, ConditionalWriterHandle,
    ConditionalWriterOptions, ErrorKind, Key, Mutation, PartialKey, Range, Result, ScanOptions,
    ScannerHandle,
};

use crate::cluster::client;
use crate::ground::{Ground, fails, text};

/// A handle of the right form that does not exist.
const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

#[tokio::test]
async fn a_scanner_is_read_entry_by_entry_and_in_batches() -> Result<()> {
    let Some(ground) = Ground::new("scanner").await else { return Ok(()) };
    ground.put(&["a", "b", "c", "d"]).await;
    let (low_level, table) = (ground.client.low_level(), ground.table.as_str());
    let scanner = low_level.create_scanner(table, &ScanOptions::default()).await?;
    assert!(low_level.has_next(&scanner).await?);
    let (entry, more) = low_level.next_entry(&scanner).await?;
    assert_eq!((text(&entry.key.row).as_str(), more), ("a", true));
    // Exactly the remaining entries: the proxy answers that there may be more.
    let batch = low_level.next_k(&scanner, 3).await?;
    assert_eq!((batch.entries.len(), batch.more), (3, true));
    assert!(!low_level.has_next(&scanner).await?);
    let batch = low_level.next_k(&scanner, 3).await?;
    assert_eq!((batch.entries.len(), batch.more), (0, false));
    fails(low_level.next_entry(&scanner).await, ErrorKind::Invalid, "nextEntry");
    low_level.close_scanner(&scanner).await?;
    fails(low_level.next_k(&scanner, 1).await, ErrorKind::HandleExpired, "nextK");

    // The stop of a batch scan is exclusive, although the range includes it.
    let range = Range { stop_inclusive: true, ..Range::between(None, Some(entry.key.clone())) };
    for (range, expected) in [(range, false), (Range::row("d"), true)] {
        let options = BatchScanOptions::over([range]);
        let scanner = low_level.create_batch_scanner(table, &options).await?;
        assert_eq!(low_level.has_next(&scanner).await?, expected);
        low_level.close_scanner(&scanner).await?;
    }

    let unknown = ScannerHandle::from(UNKNOWN.to_owned());
    let expired = ErrorKind::HandleExpired;
    fails(low_level.has_next(&unknown).await, expired, "hasNext");
    fails(low_level.close_scanner(&unknown).await, expired, "closeScanner");
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn conditional_mutations_are_decided_row_by_row() -> Result<()> {
    let Some(ground) = Ground::new("conditional").await else { return Ok(()) };
    let (low_level, table) = (ground.client.low_level(), ground.table.as_str());
    let create = |row: &'static str| {
        let mutation = Mutation::new(row).put("f", "q", "v");
        mutation.when([Condition::absent("f", "q")])
    };
    let outcome = low_level.update_row_conditionally(table, &create("a")).await?;
    assert!(outcome.is_accepted());
    let options = ConditionalWriterOptions::default();
    let writer = low_level.create_conditional_writer(table, &options).await?;
    let both = [create("a"), create("b")];
    let outcomes = low_level.update_rows_conditionally(&writer, &both).await?;
    assert!(matches!(outcomes[&b"a"[..]], ConditionalOutcome::Rejected));
    assert!(outcomes[&b"b"[..]].is_accepted(), "{outcomes:?}");
    assert_eq!(ground.rows().await, ["a", "b"]);
    low_level.close_conditional_writer(&writer).await?;
    let unknown = ConditionalWriterHandle::from(UNKNOWN.to_owned());
    for writer in [writer, unknown] {
        let late = low_level.update_rows_conditionally(&writer, &[create("c")]).await;
        fails(late, ErrorKind::HandleExpired, "updateRowsConditionally");
    }
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn the_proxy_computes_ranges_and_following_keys() -> Result<()> {
    let Some(client) = client().await else { return Ok(()) };
    let after_row = Key::from_row(b"b\0".to_vec());
    let range = client.row_range("b").await?;
    assert_eq!(range, Range::between(Some(Key::from_row("b")), Some(after_row.clone())));
    let key = Key::from_row("b").in_column("f", "q").at(7);
    assert_eq!(client.following_key(&key, PartialKey::Row).await?, after_row);
    let after_column = client.following_key(&key, PartialKey::RowFamilyQualifier).await?;
    assert_eq!(after_column, Key::from_row("b").in_column("f", b"q\0".to_vec()));
    Ok(())
}
