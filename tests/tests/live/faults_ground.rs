//! What tests that break things have in common: a proxy of their own, and rows that show when they are not whole.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::ProxyOptions;
use fluo_accumulo::AccumuloTables;
use fluo_cluster::{Cluster, Proxy, ProxySettings};
use fluo_core::{
    Authorizations, Column, Mutation, Scan, Span, Table, TableAdmin, TableExt, Versions,
};

use fluo_recipes::{PropertyVerdict, RowCounting, RowHasher, TableOptimizations, VerifyOptions};

use crate::ground::fresh_name;

/// A table of a test's own, reached through a proxy of its own and, to see what became of it, through a good one.
pub(crate) struct Broken {
    pub(crate) proxy: Arc<Proxy>,
    /// What the proxy of the test leads to.
    pub(crate) settings: ProxyOptions,
    /// Through the shared proxy, which nothing happens to.
    pub(crate) good: AccumuloTables,
    pub(crate) name: String,
}

impl Broken {
    /// None where live tests are not wanted.
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

    /// The same proxy, and another table in place of the first.
    pub(crate) async fn with_another_table(self, topic: &str) -> Self {
        let name = fresh_name(topic);
        self.good
            .create_table(&name, Versions::default())
            .await
            .unwrap();
        self.good.delete_table(&self.name).await.unwrap();
        Self { name, ..self }
    }

    /// The tables through the proxy of the test.
    pub(crate) async fn tables(&self, settings: ProxyOptions) -> AccumuloTables {
        AccumuloTables::connect(settings).await.unwrap()
    }

    /// The table through the proxy of the test.
    pub(crate) async fn open(&self, settings: ProxyOptions) -> Arc<dyn Table> {
        open(&self.tables(settings).await, &self.name).await
    }

    /// What is there, whole rows only.
    pub(crate) async fn rows(&self) -> BTreeMap<String, String> {
        whole_rows(&*open(&self.good, &self.name).await).await
    }

    pub(crate) fn kill(&self) {
        blocking(|| self.proxy.kill().unwrap());
    }

    pub(crate) fn restart(&self) {
        blocking(|| self.proxy.restart().unwrap());
    }

    /// Restarts the proxy while the caller goes on.
    pub(crate) fn restart_meanwhile(&self) -> tokio::task::JoinHandle<()> {
        let proxy = Arc::clone(&self.proxy);
        tokio::task::spawn_blocking(move || proxy.restart().unwrap())
    }

    pub(crate) async fn end(self) {
        self.good.delete_table(&self.name).await.unwrap();
    }
}

/// Tells a figure to whoever runs the tests with `--nocapture`.
#[expect(
    clippy::print_stdout,
    reason = "the test runner keeps it unless it is asked for"
)]
pub(crate) fn say(figure: &str) {
    println!("{figure}");
}

/// What waits for processes, in a test that other tasks go on in.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// ProxyOptions of somebody who gives up soon: three tries within a fifth of a second.
pub(crate) fn settings(cluster: &Cluster, address: &str) -> ProxyOptions {
    let credentials = crate::cluster::credentials(cluster);
    let mut settings = ProxyOptions::new(address, credentials);
    settings = settings.tries(NonZeroUsize::new(3).unwrap());
    settings = settings.first_pause(Duration::from_millis(50));
    settings
}

/// The same settings of somebody who outlasts a restart.
pub(crate) fn patient(mut settings: ProxyOptions) -> ProxyOptions {
    settings = settings.tries(NonZeroUsize::new(200).unwrap());
    settings = settings.longest_pause(Duration::from_millis(250));
    settings
}

pub(crate) async fn open(tables: &dyn TableAdmin, name: &str) -> Arc<dyn Table> {
    tables
        .open_table(name, Authorizations::none())
        .await
        .unwrap()
}

fn first() -> Column {
    Column::new("f", "first")
}

fn second() -> Column {
    Column::new("f", "second")
}

/// The column by which a row is claimed.
pub(crate) fn claimed() -> Column {
    first()
}

/// A mutation of two cells that have one value.
pub(crate) fn pair(row: &str, value: &str) -> Mutation {
    Mutation::new(row.to_owned())
        .put(first(), value.to_owned())
        .put(second(), value.to_owned())
}

/// The rows of [`pair`]s with their values. Half a row is a panic.
pub(crate) async fn whole_rows(table: &dyn Table) -> BTreeMap<String, String> {
    let cells = table.read(Scan::over(Span::all())).await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let rows = cells.chunks(2).map(|cells| {
        let [a, b] = cells else {
            panic!("half a row at the end: {cells:?}")
        };
        assert_eq!(
            (&a.key.row, &a.value, &a.key.column, &b.key.column),
            (&b.key.row, &b.value, &first(), &second()),
            "half a row"
        );
        (text(&a.key.row), text(&a.value))
    });
    rows.collect()
}

/// Rows for a table that is to be split by the hasher of prefix `p`.
fn hashed_rows() -> BTreeMap<String, String> {
    let hasher = RowHasher::new("p").unwrap();
    let key = |row: usize| {
        let key = hasher.add(format!("row {row}").as_bytes());
        String::from_utf8(key.to_vec()).unwrap()
    };
    (0..1_000).map(|row| (key(row), row.to_string())).collect()
}

/// Writes rows that must outlive what is done to their table.
pub(crate) async fn put_hashed_rows(tables: &AccumuloTables, name: &str) {
    let rows = hashed_rows();
    let mutations = rows.iter().map(|(row, value)| pair(row, value)).collect();
    open(tables, name).await.write(mutations).await.unwrap();
}

/// Those rows are there, each once, and no others.
pub(crate) async fn hashed_rows_are_there(tables: &AccumuloTables, name: &str) {
    let found = whole_rows(&*open(tables, name).await).await;
    assert!(found == hashed_rows(), "{} rows are there", found.len());
}

/// Everything but where the tablets are, which takes the servers their time.
pub(crate) async fn is_as_wanted(
    tables: &AccumuloTables,
    name: &str,
    optimizations: &TableOptimizations,
) {
    let options = VerifyOptions {
        rows: RowCounting::Skip,
        ..VerifyOptions::default()
    };
    let verdict = optimizations
        .verify(tables, name)
        .options(&options)
        .await
        .unwrap();
    // Entries are estimates after a split, until a compaction.
    let splits = &verdict.splits;
    let are_wanted =
        splits.missing.is_empty() && splits.extra.is_empty() && splits.strays.is_empty();
    let properties = &verdict.properties;
    assert!(
        are_wanted && properties.iter().all(PropertyVerdict::is_as_expected),
        "{:?}",
        verdict.differences
    );
    assert!(
        optimizations
            .plan(tables, name)
            .prune(true)
            .await
            .unwrap()
            .is_empty()
    );
}
