//! The queues of the application, and its sink, a table that shows all versions.
//!
//! ```text
//! order/<n> tallied -- observer --> combine queue, key: last digit, +1
//!                                     -- change --> export queue, "<sum before> <sum after> <by>"
//!                                                     -- exporter --> row <digit> of the sink
//!                   -- observer --> order/<n> invoiced, by a weak observer: "<sold by> <invoiced by>"
//! ```
//!
//! An export that is lost breaks the chain of the sums of its key; one that is applied twice
//! appears twice. The program `tests/interop/Shop.java` does the same, without the weak observer.
//! Each value names the builds of the processes that wrote it.

use std::collections::BTreeMap;

use fluo_engine::{
    ApplicationHandle, Bytes, Client, Column, Error, ObserverError, Transaction, observer_fn,
};
use fluo_recipes::codec::Kryo;
use fluo_recipes::combine_queue::{Change, CombineQueue};
use fluo_recipes::export_queue::{Export, ExportQueue};
use fluo_recipes::sink::TableSink;
use fluo_table::coordination::{ObservedColumn, ObserverKind};
use fluo_table::{Authorizations, Instance, Mutation, Scan, Span, TableAdmin, Versions};
use fluo_tests::shop;
use futures::TryStreamExt;

use crate::access::Access;
use crate::letters::{Admitted, OBSERVED};

const TABLE: &str = "sink";
/// A number of which a worker of each side has some.
const BUCKETS: u32 = 31;
const SUMS: Column = Column::from_static("sold", "sums");
const SOLD: Column = Column::from_static("order", "sold");
/// A column that shares no worker with `order tallied` on the same row, if there are two workers:
/// the sums of the bytes of both names, with their lengths, are odd and even.
const INVOICED: Column = Column::from_static("order", "invoiced");

fn sold(access: &Access) -> CombineQueue<String, i64> {
    let sums = Admitted(access.clone());
    let queue = CombineQueue::with_codecs("sold", Kryo, Kryo, sums).unwrap();
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
pub(crate) async fn add(
    application: ApplicationHandle,
    fluo: &Instance,
    access: &Access,
) -> ApplicationHandle {
    let seller = access.clone();
    let sell = move |tx, order| sell(seller.clone(), tx, order);
    let by = access.build.name();
    let report = move |tx, changes| report(by, tx, changes);
    let table = fluo.open_table(TABLE, Authorizations::none()).await.unwrap();
    let sink = TableSink::new(&out(), table, move |export: &Export<String, String>| {
        let sums = format!("{} {by}", export.value);
        Ok(vec![Mutation::new(export.key.clone()).put(SUMS, sums)])
    });
    let application = match access.gate {
        None => application,
        Some(_) => {
            let invoice = move |tx, order, _| invoice(by, tx, order);
            let weak = ObservedColumn::new(INVOICED, ObserverKind::Weak, "invoice");
            application.observe_with(weak, observer_fn(invoice))
        }
    };
    application
        .observe(&shop::tallied(), "sell", sell)
        .recipe(&sold(access).on_changes(report))
        .recipe(&out().export_with(sink))
        .set("fluo.observer.provider", "Observers")
        .set("shop", "true")
}

/// Adds an order to the queue if it is tallied and not sold yet. The observer may also run for a
/// tally that was rolled back.
async fn sell(access: Access, tx: Transaction, order: Bytes) -> Result<(), ObserverError> {
    let digit = char::from(order[order.len() - 1]).to_string();
    access.admit(&digit, OBSERVED)?;
    let is_tallied = tx.get(order.clone(), &shop::tallied()).await?.is_some();
    println!("observed.");
    if !is_tallied || tx.get(order.clone(), &SOLD).await?.is_some() {
        return Ok(());
    }
    sold(&access).add(&tx, digit, 1)?;
    tx.set(order.clone(), &SOLD, access.build.name())?;
    if access.gate.is_some() {
        tx.notify(order, &INVOICED)?;
    }
    Ok(())
}

async fn report(by: &str, tx: Transaction, changes: Vec<Change<String, i64>>) -> Result<(), Error> {
    for change in changes {
        let [old, new] = [change.old, change.new].map(Option::unwrap_or_default);
        out().add(&tx, change.key, format!("{old} {new} {by}"))?;
    }
    Ok(())
}

async fn invoice(by: &str, tx: Transaction, order: Bytes) -> Result<(), Error> {
    let Some(seller) = tx.get(order.clone(), &SOLD).await? else { return Ok(()) };
    tx.set(order, &INVOICED, format!("{} {by}", String::from_utf8_lossy(&seller)))
}

/// Returns the builds that have sold and invoiced each order, by its row.
pub(crate) async fn invoiced(client: &Client) -> BTreeMap<Bytes, String> {
    let snapshot = client.snapshot().await.unwrap();
    let cells = snapshot.scan_prefix("order/", &[INVOICED]).try_concat().await.unwrap();
    let builds = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    cells.into_iter().map(|cell| (cell.key.row, builds(&cell.value))).collect()
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

/// Returns the numbers of orders tallied and of sums exported by a worker of Java, which have its
/// name.
pub(crate) async fn java_work(fluo: &Instance, client: &Client) -> [usize; 2] {
    let snapshot = client.snapshot().await.unwrap();
    let tallied = snapshot.scan_prefix("order/", &[shop::tallied()]).try_concat().await.unwrap();
    let exported = exported(fluo).await;
    let tallied = tallied.iter().filter(|cell| *cell.value == *b"java");
    let exported = exported.values().flatten().filter(|(_, sums)| sums.ends_with(" java"));
    [tallied.count(), exported.count()]
}

/// Checks that each of a number of tallied orders counts at the sink exactly once. With a gate it
/// is also invoiced, and each build has processed what the other one has written.
pub(crate) async fn check(fluo: &Instance, client: &Client, orders: usize, access: &Access) {
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
        assert_eq!(sold(access).get(&snapshot, &key).await.unwrap(), Some(sum));
        sold_in_all += sum;
    }
    assert_eq!(sold_in_all, i64::try_from(orders).unwrap());
    if access.gate.is_some() {
        let invoiced = invoiced(client).await;
        assert_eq!(invoiced.len(), orders);
        assert_both_ways("the weak observer", invoiced.values());
        let exported = exported(fluo).await;
        assert_both_ways("the export queue", exported.values().flatten().map(|(_, sums)| sums));
    }
}

/// Checks that each build is followed by the other one in some of these values.
fn assert_both_ways<'a>(what: &str, values: impl Iterator<Item = &'a String>) {
    let all: Vec<_> = values.collect();
    for pair in ["old new", "new old"] {
        assert!(all.iter().any(|value| value.ends_with(pair)), "{what}: never `{pair}`");
    }
}
