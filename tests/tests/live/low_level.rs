//! Scanners and conditional writers by their handles, and keys that the proxy computes.

use std::collections::BTreeSet;

use accumulo_proxy::{
    BatchScanOptions, Condition, ConditionalOutcome, ConditionalWriterHandle,
    ConditionalWriterOptions, ErrorKind, Key, Mutation, PartialKey, Range, ScanOptions,
    ScannerHandle,
};

use crate::cluster::client;
use crate::ground::{Ground, text};

/// A handle of the right form that does not exist.
const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

#[tokio::test]
async fn a_scanner_is_read_entry_by_entry_and_in_batches() {
    let Some(ground) = Ground::new("scanner").await else {
        return;
    };
    ground.put(&["a", "b", "c", "d"]).await;
    let low_level = ground.client.low_level();
    let options = ScanOptions::default();
    let scanner = low_level
        .create_scanner(&ground.table, &options)
        .await
        .unwrap();
    assert!(low_level.has_next(&scanner).await.unwrap());
    let (entry, more) = low_level.next_entry(&scanner).await.unwrap();
    assert_eq!((text(&entry.key.row).as_str(), more), ("a", true));
    // Exactly the remaining entries: the proxy answers that there may be more.
    let batch = low_level.next_k(&scanner, 3).await.unwrap();
    assert_eq!((batch.entries.len(), batch.more), (3, true));
    assert!(!low_level.has_next(&scanner).await.unwrap());
    let batch = low_level.next_k(&scanner, 3).await.unwrap();
    assert_eq!((batch.entries.len(), batch.more), (0, false));
    let error = low_level.next_entry(&scanner).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Invalid, "nextEntry"),
        "{error}"
    );

    low_level.close_scanner(&scanner).await.unwrap();
    let error = low_level.next_k(&scanner, 1).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::HandleExpired, "nextK"),
        "{error}"
    );
    assert_eq!(error.subject(), Some(ground.table.as_str()));
    assert!(!error.to_string().contains(scanner.as_str()));
    ground.end().await;
}

#[tokio::test]
async fn rejects_unknown_handles() {
    let Some(client) = client().await else { return };
    let low_level = client.low_level();
    let scanner = ScannerHandle::from(UNKNOWN.to_owned());
    let errors = [
        low_level.has_next(&scanner).await.unwrap_err(),
        low_level.next_entry(&scanner).await.unwrap_err(),
        low_level.next_k(&scanner, 1).await.unwrap_err(),
        low_level.close_scanner(&scanner).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), ErrorKind::HandleExpired, "{error}");
        assert_eq!(error.subject(), Some(scanner.to_string().as_str()));
        assert_eq!(error.reason(), "Scanner never existed or no longer exists");
    }
    let writer = ConditionalWriterHandle::from(UNKNOWN.to_owned());
    let mutation = Mutation::new("a")
        .put("f", "q", "v")
        .when([Condition::absent("f", "q")]);
    let error = low_level
        .update_rows_conditionally(&writer, &[mutation])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HandleExpired, "{error}");
    low_level.close_conditional_writer(&writer).await.unwrap();
}

#[tokio::test]
async fn the_stop_of_a_batch_scan_is_always_exclusive() {
    let Some(ground) = Ground::new("batch").await else {
        return;
    };
    ground.put(&["a", "b", "c", "d", "e"]).await;
    let low_level = ground.client.low_level();
    let stop = |row: &'static str| Some(Key::from_row(row).in_column("f", "q").at(i64::MIN));
    let range = Range {
        stop_inclusive: true,
        ..Range::between(Some(Key::from_row("b")), stop("c"))
    };
    let options = BatchScanOptions::over([range, Range::row("e")]);
    let scanner = low_level
        .create_batch_scanner(&ground.table, &options)
        .await
        .unwrap();
    let mut rows = BTreeSet::new();
    while low_level.has_next(&scanner).await.unwrap() {
        let batch = low_level.next_k(&scanner, 10).await.unwrap();
        rows.extend(batch.entries.iter().map(|entry| text(&entry.key.row)));
    }
    low_level.close_scanner(&scanner).await.unwrap();
    assert_eq!(rows, BTreeSet::from(["b", "c", "e"].map(str::to_owned)));

    let exact = ground.client.low_level();
    let first =
        crate::ground::entries(&ground.client, &ground.table, &ScanOptions::default()).await;
    let range = Range {
        stop_inclusive: true,
        ..Range::between(None, Some(first[0].key.clone()))
    };
    let options = BatchScanOptions::over([range]);
    let scanner = exact
        .create_batch_scanner(&ground.table, &options)
        .await
        .unwrap();
    assert!(
        !exact.has_next(&scanner).await.unwrap(),
        "the entry at the stop is left out"
    );
    exact.close_scanner(&scanner).await.unwrap();
    ground.end().await;
}

#[tokio::test]
async fn conditional_mutations_are_decided_row_by_row() {
    let Some(ground) = Ground::new("conditional").await else {
        return;
    };
    let (low_level, table) = (ground.client.low_level(), ground.table.as_str());
    let create = |row: &'static str| {
        Mutation::new(row)
            .put("f", "q", "v")
            .when([Condition::absent("f", "q")])
    };
    let outcome = low_level
        .update_row_conditionally(table, &create("a"))
        .await
        .unwrap();
    assert!(outcome.is_accepted());
    let outcome = low_level
        .update_row_conditionally(table, &create("a"))
        .await
        .unwrap();
    assert!(
        matches!(outcome, ConditionalOutcome::Rejected),
        "{outcome:?}"
    );

    let options = ConditionalWriterOptions::default();
    let writer = low_level
        .create_conditional_writer(table, &options)
        .await
        .unwrap();
    let both = [create("a"), create("b")];
    let outcomes = low_level
        .update_rows_conditionally(&writer, &both)
        .await
        .unwrap();
    assert!(
        matches!(outcomes[&b"a"[..]], ConditionalOutcome::Rejected),
        "{outcomes:?}"
    );
    assert!(outcomes[&b"b"[..]].is_accepted(), "{outcomes:?}");
    assert_eq!(ground.rows().await, ["a", "b"]);

    let twice = [create("c"), create("c")];
    let error = low_level
        .update_rows_conditionally(&writer, &twice)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    low_level.close_conditional_writer(&writer).await.unwrap();
    let error = low_level
        .update_rows_conditionally(&writer, &[create("c")])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HandleExpired, "{error}");
    ground.end().await;
}

#[tokio::test]
async fn the_proxy_computes_ranges_and_following_keys() {
    let Some(client) = client().await else { return };
    let range = client.row_range("b").await.unwrap();
    assert_eq!(range.start, Some(Key::from_row("b")));
    assert_eq!(range.stop, Some(Key::from_row(b"b\0".to_vec())));
    assert!(range.start_inclusive && !range.stop_inclusive);

    let key = Key::from_row("b").in_column("f", "q").at(7);
    let after_row = client.following_key(&key, PartialKey::Row).await.unwrap();
    assert_eq!(after_row, Key::from_row(b"b\0".to_vec()));
    let after_column = client
        .following_key(&key, PartialKey::RowFamilyQualifier)
        .await
        .unwrap();
    assert_eq!(
        after_column,
        Key::from_row("b").in_column("f", b"q\0".to_vec())
    );
    assert!(key < after_column && after_column < after_row);
}
