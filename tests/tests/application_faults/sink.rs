//! The queues of the application, and its sink, a table that shows all versions.
//!
//! ```text
//! order/<n> tallied -- observer --> combine queue, key: last digit, +1
//!                                     -- change --> export queue, "<sum before> <sum after>"
//!                                                     -- exporter --> row <digit> of the sink
//! ```
//!
//! An export that is lost breaks the chain of the sums of its key; one that is applied twice
//! appears twice. The program `tests/interop/Shop.java` does the same.

use std::collections::BTreeMap;

use fluo_engine::{ApplicationHandle, Bytes, Client, Column, Error, Transaction};
use fluo_recipes::codec::Kryo;
use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
use fluo_recipes::export_queue::{Export, ExportQueue};
use fluo_recipes::sink::TableSink;
use fluo_table::{Authorizations, Instance, Mutation, Scan, Span, TableAdmin, Versions};
use fluo_tests::shop;
use futures::TryStreamExt;

const TABLE: &str = "sink";
/// A number of which a worker of each side has some.
const BUCKETS: u32 = 31;
const SUMS: Column = Column::from_static("sold", "sums");

fn sold() -> CombineQueue<String, i64> {
    let queue = CombineQueue::with_codecs("sold", Kryo, Kryo, Sum).unwrap();
    queue.buckets(BUCKETS).unwrap()
}

fn out() -> ExportQueue<String, String> {
    let queue = ExportQueue::with_codecs("out", Kryo, Kryo).unwrap();
    queue.buckets(BUCKETS).unwrap()
}

/// Creates the table of the sink.
pub(crate) async fn create(fluo: &Instance) {
    fluo.create_table(TABLE, Versions::All).await.unwrap();
}

/// Adds the observers and the queues to the application. The class of Java's observers is a
/// setting.
pub(crate) async fn add(application: ApplicationHandle, fluo: &Instance) -> ApplicationHandle {
    let sell = async |tx: Transaction, order: Bytes| {
        let digit = char::from(order[order.len() - 1]);
        sold().add(&tx, digit.to_string(), 1)
    };
    let report = async |tx: Transaction, changes: Vec<Change<String, i64>>| {
        for change in changes {
            let [old, new] = [change.old, change.new].map(Option::unwrap_or_default);
            out().add(&tx, change.key, format!("{old} {new}"))?;
        }
        Ok::<(), Error>(())
    };
    let table = fluo.open_table(TABLE, Authorizations::none()).await.unwrap();
    let sink = TableSink::new(&out(), table, |export: &Export<String, String>| {
        Ok(vec![Mutation::new(export.key.clone()).put(SUMS, export.value.clone())])
    });
    application
        .observe(&shop::tallied(), "sell", sell)
        .recipe(&sold().on_changes(report))
        .recipe(&out().export_with(sink))
        .set("fluo.observer.provider", "Observers")
        .set("shop", "true")
}

/// Returns the sums at the sink with their timestamps, by key.
async fn exported(fluo: &Instance) -> BTreeMap<Bytes, Vec<(i64, String)>> {
    let table = fluo.open_table(TABLE, Authorizations::none()).await.unwrap();
    let mut chains: BTreeMap<Bytes, Vec<(i64, String)>> = BTreeMap::new();
    for cell in table.read(Scan::over(Span::all())).await.unwrap() {
        if cell.key.column == SUMS {
            let value = String::from_utf8(cell.value.to_vec()).unwrap();
            chains.entry(cell.key.row).or_default().push((cell.key.timestamp, value));
        }
    }
    chains
}

/// Checks whether a worker of Java has tallied an order and exported sums. Both have its name.
pub(crate) async fn java_works(fluo: &Instance, client: &Client) -> bool {
    let snapshot = client.snapshot().await.unwrap();
    let tallied = snapshot.scan_prefix("order/", &[shop::tallied()]).try_concat().await.unwrap();
    let exported = exported(fluo).await;
    tallied.iter().any(|cell| *cell.value == *b"java")
        && exported.values().flatten().any(|(_, sums)| sums.ends_with(" java"))
}

/// Checks that each of a number of tallied orders counts at the sink exactly once.
pub(crate) async fn check(fluo: &Instance, client: &Client, orders: usize) {
    let snapshot = client.snapshot().await.unwrap();
    let mut sold_in_all = 0;
    for (key, mut chain) in exported(fluo).await {
        chain.sort();
        let mut sum = 0;
        for (_, sums) in &chain {
            let [old, new, ..] = &sums.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{key:?}: {chain:?}")
            };
            assert_eq!(old.parse(), Ok(sum), "{key:?}: {chain:?}");
            sum = new.parse().unwrap();
        }
        let key = String::from_utf8(key.to_vec()).unwrap();
        assert_eq!(sold().get(&snapshot, &key).await.unwrap(), Some(sum));
        sold_in_all += sum;
    }
    assert_eq!(sold_in_all, i64::try_from(orders).unwrap());
}
