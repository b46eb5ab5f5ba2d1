//! The number of calls of each operation: the table of call budgets in `docs/protocol.md`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_engine::{Bytes, Observers, Timestamp, Transaction, observer_fn};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{Export, ExportQueue, Exporter, Exports};
use fluo_recipes::sink::TableSink;
use fluo_table::{Authorizations, Column, Mutation, RowColumn, Scan, Span, Versions};
use futures::TryStreamExt;
use futures::future::{join_all, try_join_all};

use crate::budgets_ground::{Ground, TASKS, check_at_most, check_exactly, column, row};
use crate::ground::fresh_name;

/// Number of the keys of a pass.
const KEYS: usize = 64;
/// Pause between the scans of the worker.
const PAUSE: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_operation_keeps_its_call_budget() {
    let Some(ground) = Ground::new(&Observers::new()).await else { return };
    let client = &ground.client;
    let begun = Instant::now();
    let looked_up = ground.relay.count("tableIdMap");

    let get = async || {
        let snapshot = client.snapshot().await.unwrap();
        snapshot.get(row(1), &column()).await.unwrap();
    };
    check_exactly("read one cell", &ground.count(get).await);
    let get_many = async || {
        let snapshot = client.snapshot().await.unwrap();
        let cells = (0..100).map(|number| RowColumn::new(row(number), column()));
        assert_eq!(snapshot.get_many(cells).await.unwrap().len(), 100);
    };
    check_exactly("read 100 cells", &ground.count(get_many).await);
    let scan = async || {
        let snapshot = client.snapshot().await.unwrap();
        let rows = Scan::over_all((0..100).map(|number| Span::row(row(number))));
        assert_eq!(snapshot.scan(rows).try_concat().await.unwrap().len(), 100);
    };
    check_exactly("scan 100 rows", &ground.count(scan).await);
    let one_row = async || ground.set("one".to_owned(), "1").await.unwrap();
    check_exactly("write one row", &ground.count(one_row).await);
    let transfer = async || ground.transfer(row(2), row(3)).await.unwrap();

    check_exactly("transfer between two rows", &ground.count(transfer).await);
    let conflict = async || {
        let tx = client.begin().await.unwrap();
        ground.set(row(4), "1").await.unwrap();
        tx.set(row(4), &column(), "2").unwrap();
        tx.commit().await.unwrap_err();
    };
    let of_both = ground.count(conflict).await;
    check_exactly("write one row, and a conflict with it", &of_both);

    let reads = async || {
        let all = (0..TASKS).map(|number| async move {
            client.run(async |tx| tx.get(row(number), &column()).await).await
        });
        try_join_all(all).await.unwrap();
    };
    check_at_most("128 transactions that read one cell", &ground.count(reads).await);
    let reads = async || {
        let cells = || (0..100).map(|number| RowColumn::new(row(number), column()));
        let all = (0..TASKS).map(|_| client.run(async |tx| tx.get_many(cells()).await));
        try_join_all(all).await.unwrap();
    };
    check_at_most("128 transactions that read 100 cells", &ground.count(reads).await);
    let writes = async || {
        let all = (0..TASKS).map(|number| ground.set(format!("new {number}"), "1"));
        try_join_all(all).await.unwrap();
    };
    check_at_most("128 transactions that write one row", &ground.count(writes).await);
    let transfers = async || {
        let all = (0..TASKS).map(|number| ground.transfer(row(number), row(number + TASKS)));
        try_join_all(all).await.unwrap();
    };
    check_at_most("128 transfers", &ground.count(transfers).await);
    let conflicts = async || {
        let both = async |number| {
            let tx = client.begin().await.unwrap();
            ground.set(row(number), "1").await.unwrap();
            tx.set(row(number), &column(), "2").unwrap();
            tx.commit().await.unwrap_err();
        };
        join_all((0..TASKS).map(both)).await;
    };
    let operation = "128 transactions that write one row, and conflicts with them";
    check_at_most(operation, &ground.count(conflicts).await);

    let lookups = ground.relay.count("tableIdMap") - looked_up;
    let seconds = begun.elapsed().as_secs() + 2;
    assert!(lookups <= seconds, "{lookups} in {seconds} s");
    ground.end().await;
}

/// A worker receives the notifications of its own client without a scan. Its scans are not counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn observers_keep_their_call_budget() {
    let noticed = Column::new("in", "value");
    let (input, output) = (noticed.clone(), Column::new("out", "value"));
    let copy = observer_fn(move |tx: Transaction, row: Bytes, _| {
        let (input, output) = (input.clone(), output.clone());
        async move {
            let value = tx.get(row.clone(), &input).await?;
            tx.set(row, &output, value.unwrap_or_default())
        }
    });
    let words = CombineQueue::<String, u64>::new("words", Sum).unwrap();
    let words = words.buckets(1).unwrap();
    let observers = Observers::new().strong(noticed.clone(), "copy", copy);
    let observers = observers.unwrap().recipe(&words).unwrap();
    let Some(ground) = Ground::new(&observers).await else { return };
    let (client, waiting) = (&ground.client, &ground.waiting);
    let worker = client.worker().tasks(KEYS).min_scan_pause(PAUSE).max_scan_pause(PAUSE);
    let worker = worker.start().await.unwrap();
    let notify = async |row: String| {
        let set = async |tx: Transaction| tx.set(row.clone(), &noticed, "1");
        client.run::<_, fluo_engine::Error, _>(set).await.unwrap();
    };
    // The worker begins when the group of workers has been the same for a while.
    notify("first".to_owned()).await;
    waiting.wait_until_idle().await.unwrap();
    let held = ground.hold().await;

    let one = async || {
        notify("next".to_owned()).await;
        waiting.wait_until_idle().await.unwrap();
    };
    let operation = "write one row, and its notification";
    check_exactly(operation, &ground.count(one).await);
    let many = async || {
        join_all((0..TASKS).map(|number| notify(row(number)))).await;
        waiting.wait_until_idle().await.unwrap();
    };
    let operation = "128 transactions that write one row, and their notifications";
    check_at_most(operation, &ground.count(many).await);
    let add = async |tx: Transaction| {
        let keys = (0..KEYS).map(|number| (format!("key {number}"), 1));
        words.extend(&tx, keys)
    };
    let combine = async || {
        client.run::<_, fluo_engine::Error, _>(add).await.unwrap();
        waiting.wait_until_idle().await.unwrap();
    };
    let operation = "add 64 keys to a combine queue, and its pass";
    check_at_most(operation, &ground.count(combine).await);
    let pass = async || {
        waiting.run::<_, fluo_engine::Error, _>(add).await.unwrap();
        waiting.wait_until_idle().await.unwrap();
    };
    check_at_most("combine pass of 64 keys", &ground.count(pass).await);
    let get = async || {
        let snapshot = client.snapshot().await.unwrap();
        let keys = (0..KEYS).map(|number| format!("key {number}"));
        assert_eq!(words.get_many(&snapshot, keys).await.unwrap(), [Some(2); KEYS]);
    };
    check_exactly("get 64 keys of a combine queue", &ground.count(get).await);
    drop(held);
    worker.stop().await;
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sink_keeps_its_call_budget() {
    let Some(ground) = Ground::new(&Observers::new()).await else { return };
    let (tables, name) = (ground.instance.table_admin(), fresh_name("sink"));
    tables.create_table(&name, Versions::default()).await.unwrap();
    let table = tables.open_table(&name, Authorizations::none());
    let queue = ExportQueue::<String, u64>::new("exports").unwrap();
    let sink = TableSink::new(&queue, table.await.unwrap(), |export: &Export<String, u64>| {
        let mutation = Mutation::new(export.key.clone());
        Ok(vec![mutation.put(column(), export.value.to_string())])
    });
    let exports = |sequence: u64| -> Exports<_, _> {
        let sequence = Timestamp::new(sequence).unwrap();
        let export = |number| {
            let key = row(number);
            Export::new(key.clone(), Bytes::from(key), 1, sequence)
        };
        Arc::from((0..KEYS).map(export).collect::<Vec<_>>())
    };
    // The first pass opens a writer.
    sink.export(exports(7)).await.unwrap();
    let pass = async || {
        sink.export(exports(8)).await.unwrap();
    };
    check_exactly("sink pass of 64 rows", &ground.count(pass).await);
    tables.delete_table(&name).await.unwrap();
    ground.end().await;
}
