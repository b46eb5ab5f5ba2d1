//! A table for one test: created under a name of its own, written, read, and removed.

use std::fmt::Debug;

use accumulo_proxy::{Entry, ErrorKind, Mutation, ProxyClient, Result, ScanOptions, TimeType};
use futures::{Stream, TryStreamExt};

use crate::cluster::client;

pub(crate) use fluo_tests::{until, unused_name as fresh_name};

/// Number of entries requested at a time.
const BATCH: i32 = 1000;

/// A client, and a table that no other test uses.
pub(crate) struct Ground {
    pub(crate) client: ProxyClient,
    pub(crate) table: String,
}

impl Ground {
    /// Creates a table with one version of each column. Returns `None` if live tests are not
    /// wanted.
    pub(crate) async fn new(prefix: &str) -> Option<Self> {
        let client = client().await?;
        let table = fresh_name(prefix);
        let tables = client.table_operations();
        tables.create(&table, true, TimeType::Millis).await.unwrap();
        // While other clients create tables, a proxy may find its own new table only after a
        // moment.
        until("the table exists", async || tables.exists(&table).await.unwrap()).await;
        Some(Self { client, table })
    }

    /// Writes an entry of column `f:q` to each row.
    pub(crate) async fn put(&self, rows: &[&str]) {
        let mutations = rows.iter().map(|row| Mutation::new(row.to_string()).put("f", "q", "v"));
        let mutations: Vec<_> = mutations.collect();
        self.client.low_level().update_and_flush(&self.table, &mutations).await.unwrap();
    }

    /// Returns the rows of the table.
    pub(crate) async fn rows(&self) -> Vec<String> {
        rows(&self.client, &self.table).await
    }

    /// Removes the table.
    pub(crate) async fn end(self) {
        self.client.table_operations().delete(&self.table).await.unwrap();
    }
}

/// Creates a table that no other test uses. Returns `None` without a cluster.
pub(crate) async fn table(prefix: &str) -> Option<(ProxyClient, String)> {
    let Ground { client, table } = Ground::new(prefix).await?;
    Some((client, table))
}

/// Returns all entries of a scan, and checks that its batches are not empty.
pub(crate) async fn read(
    mut batches: impl Stream<Item = Result<Vec<Entry>>> + Unpin,
) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while let Some(batch) = batches.try_next().await? {
        assert!(!batch.is_empty());
        entries.extend(batch);
    }
    Ok(entries)
}

/// Checks that a call fails, and returns the reason.
#[track_caller]
pub(crate) fn fails<T: Debug>(result: Result<T>, kind: ErrorKind, call: &str) -> String {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.call()), (kind, call), "{error}");
    error.reason().to_owned()
}

/// Returns the rows of a table, each once.
pub(crate) async fn rows(client: &ProxyClient, table: &str) -> Vec<String> {
    let entries = entries(client, table, &ScanOptions::default()).await;
    let mut rows: Vec<_> = entries.iter().map(|entry| text(&entry.key.row)).collect();
    rows.dedup();
    rows
}

/// Returns the entries of a scan, read by the handle of its scanner.
pub(crate) async fn entries(
    client: &ProxyClient,
    table: &str,
    options: &ScanOptions,
) -> Vec<Entry> {
    let low_level = client.low_level();
    let scanner = low_level.create_scanner(table, options).await.unwrap();
    let mut entries = Vec::new();
    loop {
        let batch = low_level.next_k(&scanner, BATCH).await.unwrap();
        entries.extend(batch.entries);
        if !batch.more {
            break;
        }
    }
    low_level.close_scanner(&scanner).await.unwrap();
    entries
}

/// Converts bytes to text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
