//! A table of a test's own.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use accumulo_proxy::{Entry, ProxyClient, Result, TimeType};
use futures::{Stream, TryStreamExt};

/// Creates a table that nobody else has; `None` without a cluster.
///
/// A proxy on which others create tables at the same time may learn of a new one only a moment after its creation
/// returned: seen, as a `TableNotFound` at the first write.
pub(crate) async fn table(topic: &str) -> Option<(ProxyClient, String)> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let client = crate::cluster::client().await?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{topic}_{}_{number}", process::id());
    let operations = client.table_operations();
    operations
        .create(&name, true, TimeType::Millis)
        .await
        .unwrap();
    while !operations.exists(&name).await.unwrap() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Some((client, name))
}

/// All entries of a scan, whose batches are never empty.
pub(crate) async fn entries(
    mut batches: impl Stream<Item = Result<Vec<Entry>>> + Unpin,
) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while let Some(batch) = batches.try_next().await? {
        assert!(!batch.is_empty());
        entries.extend(batch);
    }
    Ok(entries)
}
