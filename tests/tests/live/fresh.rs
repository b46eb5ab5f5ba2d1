//! A new table for one test.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use accumulo_proxy::{Entry, ProxyClient, Result, TimeType};
use futures::{Stream, TryStreamExt};

/// Creates a table that no other test uses. Returns `None` without a cluster.
///
/// While other clients create tables, a proxy may find a new table only a moment after its creation
/// returned. The first write then fails with `TableNotFound`.
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

/// Returns all entries of a scan, and checks that its batches are not empty.
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
