//! Common parts of tests with faults: a proxy for each test, and rows that show whether they are
//! complete.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::ProxyOptions;
use fluo_accumulo::AccumuloTables;
use fluo_cluster::{Cluster, Proxy, ProxySettings};
use fluo_keys::{Difference, RowCounting, RowHasher, TableOptimizations, VerifyOptions};
use fluo_table::{Authorizations, Column, Mutation, Scan, Span, Table, TableAdmin, Versions};

use crate::ground::fresh_name;

/// A table for one test, reached through the test's own proxy and, to check it, through a good one.
pub(crate) struct Broken {
    pub(crate) proxy: Arc<Proxy>,
    /// Settings for the proxy of the test.
    pub(crate) settings: ProxyOptions,
    /// The tables through the shared proxy, which has no faults.
    pub(crate) good: AccumuloTables,
    pub(crate) name: String,
}

impl Broken {
    /// Creates the table, and starts the proxy. Returns `None` if live tests are not wanted.
    pub(crate) async fn new(topic: &str) -> Option<Self> {
        let good = crate::cluster::tables().await?;
        let cluster = crate::cluster::cluster()?;
        let proxy = blocking(|| cluster.start_proxy(ProxySettings::default()).unwrap());
        let name = fresh_name(topic);
        good.create_table(&name, Versions::default()).await.unwrap();
        Some(Self {
            settings: settings(cluster, &proxy.address()),
            proxy: Arc::new(proxy),
            good,
            name,
        })
    }

    /// Replaces the table by a new one, with the same proxy.
    pub(crate) async fn with_another_table(self, topic: &str) -> Self {
        let name = fresh_name(topic);
        self.good.create_table(&name, Versions::default()).await.unwrap();
        self.good.delete_table(&self.name).await.unwrap();
        Self { name, ..self }
    }

    /// Opens the tables through the proxy of the test.
    pub(crate) async fn tables(&self, settings: ProxyOptions) -> AccumuloTables {
        AccumuloTables::connect(settings).await.unwrap()
    }

    /// Opens the table through the proxy of the test.
    pub(crate) async fn open(&self, settings: ProxyOptions) -> Arc<dyn Table> {
        open(&self.tables(settings).await, &self.name).await
    }

    /// Returns the rows of the table. Panics if a row is incomplete.
    pub(crate) async fn rows(&self) -> BTreeMap<String, String> {
        whole_rows(&*open(&self.good, &self.name).await).await
    }

    pub(crate) fn kill(&self) {
        blocking(|| self.proxy.kill().unwrap());
    }

    pub(crate) fn restart(&self) {
        blocking(|| self.proxy.restart().unwrap());
    }

    /// Restarts the proxy in the background.
    pub(crate) fn restart_meanwhile(&self) -> tokio::task::JoinHandle<()> {
        let proxy = Arc::clone(&self.proxy);
        tokio::task::spawn_blocking(move || proxy.restart().unwrap())
    }

    pub(crate) async fn end(self) {
        self.good.delete_table(&self.name).await.unwrap();
    }
}

/// Prints a figure, which is visible with `--nocapture`.
#[expect(clippy::print_stdout, reason = "the test runner shows it only on request")]
pub(crate) fn say(figure: &str) {
    println!("{figure}");
}

/// Waits for processes in a test, without blocking its other tasks.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// Returns settings of an impatient client: three tries within a fifth of a second.
pub(crate) fn settings(cluster: &Cluster, address: &str) -> ProxyOptions {
    ProxyOptions::new(address, cluster.site().credentials())
        .tries(NonZeroUsize::new(3).unwrap())
        .first_pause(Duration::from_millis(50))
}

/// Returns the same settings for a client that outlasts a restart.
pub(crate) fn patient(settings: ProxyOptions) -> ProxyOptions {
    settings.tries(NonZeroUsize::new(200).unwrap()).max_pause(Duration::from_millis(250))
}

pub(crate) async fn open(tables: &dyn TableAdmin, name: &str) -> Arc<dyn Table> {
    tables.open_table(name, Authorizations::none()).await.unwrap()
}

fn first() -> Column {
    Column::new("f", "first")
}

fn second() -> Column {
    Column::new("f", "second")
}

/// Returns the column by which a row is claimed.
pub(crate) fn claimed() -> Column {
    first()
}

/// Returns a mutation of two cells with the same value.
pub(crate) fn pair(row: &str, value: &str) -> Mutation {
    Mutation::new(row.to_owned()).put(first(), value.to_owned()).put(second(), value.to_owned())
}

/// Returns the rows of [`pair`]s with their values. Panics if a row is incomplete.
pub(crate) async fn whole_rows(table: &dyn Table) -> BTreeMap<String, String> {
    let cells = table.read(Scan::over(Span::all())).await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let rows = cells.chunks(2).map(|cells| {
        let [a, b] = cells else { panic!("half a row at the end: {cells:?}") };
        assert_eq!(
            (&a.key.row, &a.value, &a.key.column, &b.key.column),
            (&b.key.row, &b.value, &first(), &second()),
            "half a row"
        );
        (text(&a.key.row), text(&a.value))
    });
    rows.collect()
}

/// Returns rows for a table that is split by the hasher of prefix `p`.
fn hashed_rows() -> BTreeMap<String, String> {
    let hasher = RowHasher::new("p").unwrap();
    let key = |row: usize| {
        let key = hasher.add(format!("row {row}").as_bytes());
        String::from_utf8(key.to_vec()).unwrap()
    };
    (0..1_000).map(|row| (key(row), row.to_string())).collect()
}

/// Writes rows that must survive changes of their table.
pub(crate) async fn put_hashed_rows(tables: &AccumuloTables, name: &str) {
    let rows = hashed_rows();
    let mutations = rows.iter().map(|(row, value)| pair(row, value)).collect();
    open(tables, name).await.write(mutations).await.unwrap();
}

/// Checks that the table has each of those rows once, and no others.
pub(crate) async fn hashed_rows_are_there(tables: &AccumuloTables, name: &str) {
    let found = whole_rows(&*open(tables, name).await).await;
    assert!(found == hashed_rows(), "{} rows are there", found.len());
}

/// Checks the table against the optimizations, except the distribution of its tablets, for which
/// servers need time.
pub(crate) async fn is_as_wanted(
    tables: &AccumuloTables,
    name: &str,
    optimizations: &TableOptimizations,
) {
    let options = VerifyOptions::new().rows(RowCounting::Skip);
    let verdict = optimizations.verify(tables, name).options(&options).await.unwrap();
    // Entries are estimates after a split, until a compaction.
    let is_expected = |one: &Difference| {
        one.is_hot() || matches!(one, Difference::NotSpread { .. } | Difference::Unhosted { .. })
    };
    assert!(verdict.differences.iter().all(is_expected), "{:?}", verdict.differences);
    assert!(optimizations.plan(tables, name).prune(true).await.unwrap().is_empty());
}
