//! Columns that a server compacted in part: the state after a flush with Fluo's attached garbage
//! iterator.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::layout::{EntryKind, NotificationTimestamp, notification_column};
use fluo_table::{Filter, Garbage, Mutation, Result, Scan, Span, Timestamp};
use fluo_tests::{Call, Fixture, Intercepted, Latch};
use tokio::time::Instant;

use super::entries::{at, client_after_20, committed, length, lock, observed, stamp, text};

/// Reproduces a bug: a strong observer acknowledged a page. A flush came between its lock and its
/// commit, and the next flush dropped the end of the lock, because the lock was in another file.
/// The lock counted again: every reader of the page waited for five minutes, and then `client.run`
/// failed.
#[tokio::test(start_paused = true)]
async fn does_not_wait_for_a_lock_whose_end_a_flush_dropped() {
    for writes_first in [false, true] {
        let fixture = Fixture::in_memory().await;
        let observer = client_after_20(&fixture).await;
        let acknowledged = observed(&observer).put_at(text(), stamp(EntryKind::Ack, 5), "");
        fixture.write(vec![acknowledged]).await;
        let begun = Instant::now();
        if writes_first {
            let written: Result<()> =
                fixture.client().await.run(async |tx| tx.set("r", &text(), "w")).await;
            written.unwrap();
        }
        let snapshot = fixture.client().await.snapshot().await.unwrap();
        let value = snapshot.get("r", &text()).await.unwrap();
        let expected = if writes_first { "w" } else { "v" };
        assert_eq!(value.as_deref(), Some(expected.as_bytes()));
        assert!(begun.elapsed() < Duration::from_secs(1));
    }
}

/// Reproduces a bug: a reader met a lock of an observer. The observer committed, and a flush
/// dropped the end of its primary's lock. Only then did the reader read the primary. It considered
/// the observer dead, and rolled its other lock back, beside the write that the observer had
/// committed there. The next collection dropped the value of the write.
#[tokio::test(start_paused = true)]
async fn keeps_a_value_that_was_committed_while_a_reader_resolved_its_lock() {
    let fixture = Fixture::in_memory().await;
    let observer = client_after_20(&fixture).await;
    let locked = observed(&observer)
        .put_at(length(), stamp(EntryKind::Lock, 5), lock(&observer, true))
        .put_at(length(), stamp(EntryKind::Data, 5), "1");
    fixture.write(vec![locked]).await;
    // A table that delays its answers about the status of transactions.
    let latch = Arc::new(Latch::default());
    let delays = latch.clone();
    let delay = move |call: &Call| {
        let is_status = matches!(call, Call::Scan(scan)
            if matches!(scan.filter, Filter::TransactionStatus { .. }));
        let latch = is_status.then(|| delays.clone());
        async move {
            if let Some(latch) = latch {
                latch.pass().await;
            }
            Ok(None)
        }
    };
    let slow = Intercepted::with_hooks(fixture.table.clone(), delay).row_by_row();
    let reader = fixture.client_on(Arc::new(slow)).await;
    let snapshot = reader.snapshot().await.unwrap();
    let reading = tokio::spawn(async move { snapshot.get("r", &length()).await });
    latch.holds_a_task().await;

    let left = Mutation::new("r").put_at(text(), stamp(EntryKind::Ack, 5), "").put_at(
        length(),
        stamp(EntryKind::Write, 6),
        committed(5, false),
    );
    fixture.write(vec![left]).await;
    drop(observer);
    latch.open();
    assert_eq!(reading.await.unwrap().unwrap().as_deref(), Some(&b"1"[..]));

    let client = fixture.client().await;
    let all = Span::all();
    let horizon = client.collect_garbage(&*fixture.tables, &all).await;
    assert!(horizon.unwrap() > at(6));
    let snapshot = client.snapshot().await.unwrap();
    let value = snapshot.get("r", &length()).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"1"[..]));
}

/// Checks that a compaction without garbage collection keeps the end of a lock.
#[tokio::test]
async fn keeps_the_ends_of_locks_in_a_plain_compaction() {
    let (fixture, client) = Fixture::in_memory().await.with_client().await;
    let written: Result<()> = client.run(async |tx| tx.set("r", &text(), "v")).await;
    written.unwrap();
    let before = fixture.cells().await;
    assert!(before.len() > 1);
    let all = Span::all();
    let compacted = fixture.tables.compact("web", &all, Garbage::Keep);
    compacted.await.unwrap();
    assert_eq!(fixture.cells().await, before);
}

/// Reproduces a bug: a page was set twice before its observer ran, with a flush in between. The
/// next flush dropped the second notification with the deletion of both. The first one, in another
/// file, counted again, so the observer ran a second time. A compaction drops notifications only if
/// its caller requests it, and then those of the whole column.
#[tokio::test]
async fn keeps_a_notification_deleted_after_compactions() {
    let fixture = Fixture::in_memory().await;
    let column = notification_column(&text());
    let entry = |number, is_delete| {
        let timestamp = at(number);
        NotificationTimestamp { timestamp, is_delete }.encode()
    };
    let stamps = [entry(12, true), entry(10, false), entry(8, false)];
    let entries =
        stamps.iter().fold(Mutation::new("r"), |row, stamp| row.put_at(column.clone(), *stamp, ""));
    fixture.write(vec![entries]).await;
    for (garbage, left) in [(Garbage::Keep, 3), (Garbage::DropBelow(Timestamp::MAX), 0)] {
        let all = Span::all();
        fixture.tables.compact("web", &all, garbage).await.unwrap();
        let stored = fixture.table.read(Scan::over(all.clone())).await.unwrap();
        assert_eq!(stored.len(), left);
        let share = None;
        let shown = Scan::over(all).filter(Filter::Notifications { share });
        assert!(fixture.table.read(shown).await.unwrap().is_empty());
    }
}
