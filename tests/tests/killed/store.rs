//! An application with orders that a combine queue counts by product, and that an export queue
//! sends to SQLite by customer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fluo_engine::{Client, InstanceExt, Result, Snapshot, Transaction};
use fluo_recipes::TypedColumn;
use fluo_recipes::codec::{Postcard, Text};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::ExportQueue;
use fluo_recipes::stored_queue::StoredQueue;
use futures::TryStreamExt;

use crate::sqlite_sink::{Order, SqliteSink};
use fluo_tests::shop::{number, order};

/// The number of orders of a customer, with this one.
const POSITION: TypedColumn<u64> = TypedColumn::new("order", "position");
/// The number of orders of a customer.
const ORDERS: TypedColumn<u64> = TypedColumn::new("customer", "orders");
const CUSTOMERS: u64 = 60;
const PRODUCTS: u64 = 7;
/// So few that a pass has some entries, and many passes are needed.
const BYTES_OF_A_PASS: usize = 300;

#[derive(Clone)]
pub(crate) struct Store {
    directory: PathBuf,
    sold: CombineQueue<String, u64>,
    exports: ExportQueue<String, Order>,
    pub(crate) sink: SqliteSink,
}

pub(crate) fn customer(number: u64) -> String {
    format!("customer{}", number % CUSTOMERS)
}

pub(crate) fn value(number: u64) -> Order {
    (number, number * 37 % 1_000 + 1)
}

fn product(number: u64) -> String {
    format!("product{}", number % PRODUCTS)
}

/// Creates the application.
pub(crate) async fn create(directory: &Path) {
    drop(Store::open(directory).client().await);
}

impl Store {
    pub(crate) fn open(directory: &Path) -> Self {
        std::fs::create_dir_all(directory).unwrap();
        let sold = CombineQueue::new("sold", Sum).unwrap().buckets(3).unwrap();
        let exports = ExportQueue::with_codecs("exports", Text, Postcard).unwrap();
        let exports = exports.buckets(16).unwrap().buffer_bytes(BYTES_OF_A_PASS);
        let sink = SqliteSink::open(&directory.join("orders.sqlite")).unwrap();
        let exporter = sink.clone();
        Self {
            directory: directory.to_owned(),
            sold: sold.buffer_bytes(BYTES_OF_A_PASS),
            exports: exports.export_to(move |orders| exporter.clone().export(orders)),
            sink,
        }
    }

    pub(crate) async fn client(&self) -> Client {
        let fluo = fluo_embedded::open(self.directory.join("store")).unwrap();
        let store = fluo.application("store");
        let store = store.recipe(&self.sold).recipe(&self.exports);
        store.open_or_create().await.unwrap()
    }

    /// Places an order. Orders of a customer conflict, so their sequences are in the order of their
    /// positions.
    pub(crate) async fn place(self, tx: Transaction, number: u64) -> Result<()> {
        let customer = customer(number);
        let orders = format!("orders/{customer}");
        let position = ORDERS.increment(&tx, orders, 1).await?;
        tx.set(order(number), &POSITION, position)?;
        self.sold.add(&tx, product(number), value(number).1)?;
        self.exports.add(&tx, customer, value(number))
    }

    /// Returns the number of each committed order, and its position among those of its customer.
    pub(crate) async fn committed(&self, snapshot: &Snapshot) -> BTreeMap<u64, u64> {
        let cells =
            snapshot.scan_prefix("order/", &[POSITION.column()]).try_concat().await.unwrap();
        let row = |row: &[u8]| std::str::from_utf8(&row[6..]).unwrap().parse().unwrap();
        let position = |value| number(Some(value)).unsigned_abs();
        let cells = cells.into_iter();
        cells.map(|cell| (row(&cell.key.row), position(cell.value))).collect()
    }

    /// Checks the sum of each product, with the updates that are not combined yet.
    pub(crate) async fn check_sold(&self, snapshot: &Snapshot, committed: &BTreeMap<u64, u64>) {
        let mut expected = BTreeMap::new();
        for number in committed.keys() {
            *expected.entry(product(*number)).or_default() += value(*number).1;
        }
        let sold: BTreeMap<String, u64> = self.sold.iter(snapshot).try_collect().await.unwrap();
        assert_eq!(sold, expected, "the sums of the products");
    }

    /// Returns the number of updates, and of exports, that wait in the queues.
    pub(crate) async fn waiting(&self, client: &Client, snapshot: &Snapshot) -> (u64, u64) {
        let queues = StoredQueue::all(&client.application().settings).unwrap();
        let mut waiting = BTreeMap::new();
        for queue in &queues {
            waiting.insert(queue.id(), queue.backlog(snapshot).await.unwrap().entries);
        }
        (waiting["sold"], waiting["exports"])
    }
}
