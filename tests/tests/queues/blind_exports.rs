//! Transactions that export one key and do not conflict: the entry that commits last is delivered
//! last, and a receiver that compares sequences drops it.

use std::sync::{Arc, Mutex};

use fluo_engine::{Client, Column, OwnedTransaction, Result};
use fluo_recipes::export_queue::{Export, ExportQueue, Exporter, Exports};
use fluo_recipes::sink::TableSink;
use fluo_table::{Mutation, Table, Versions};

use crate::fixture::App;
use crate::sink::table_showing;

type Texts = ExportQueue<String, String>;

/// A queue whose passes have one entry, and whose exporter writes to a table.
struct Blind {
    queue: Texts,
    table: Arc<dyn Table>,
    delivered: Arc<Mutex<Vec<String>>>,
    /// A transaction that commits during the first call of the exporter.
    late: Arc<Mutex<Option<OwnedTransaction>>>,
}

impl Blind {
    async fn new() -> Self {
        let queue = Texts::new("eq").unwrap().buckets(1).unwrap();
        Self {
            queue: queue.buffer_bytes(1),
            table: table_showing(Versions::default()).await.1,
            delivered: Arc::default(),
            late: Arc::default(),
        }
    }

    async fn start(&self, fill: impl AsyncFnOnce(&Client) -> Result<()>) -> App {
        let write = |export: &Export<String, String>| {
            let mutation = Mutation::new(export.key.clone());
            Ok(vec![mutation.put(column(), export.value.clone())])
        };
        let sink = Arc::new(TableSink::new(&self.queue, self.table.clone(), write));
        let (delivered, late) = (self.delivered.clone(), self.late.clone());
        let exporter = move |exports: Exports<String, String>| {
            let values = exports.iter().map(|export| export.value.clone());
            delivered.lock().unwrap().extend(values);
            let (sink, late) = (sink.clone(), late.lock().unwrap().take());
            async move {
                if let Some(late) = late {
                    late.commit().await.unwrap();
                }
                sink.export(exports).await
            }
        };
        App::start_after(&[&self.queue.clone().export_to(exporter)], fill).await
    }

    async fn add(&self, client: &Client, value: &str) -> Result<()> {
        let add = async |tx| self.queue.add(&tx, "key", value.to_owned());
        client.run(add).await
    }

    async fn begin(&self, client: &Client, value: &str) -> Result<OwnedTransaction> {
        let tx = client.begin().await?;
        self.queue.add(&tx, "key", value.to_owned())?;
        Ok(tx)
    }

    /// Checks the deliveries in their order, and the value that the table has in the end.
    async fn check(&self, app: App, delivered: &[&str], value: &str) {
        app.settle().await;
        let mut found = std::mem::take(&mut *self.delivered.lock().unwrap());
        found.dedup();
        assert_eq!(found, delivered);
        let stored = self.table.get("key", &column()).await.unwrap();
        assert_eq!(stored.as_deref(), Some(value.as_bytes()));
        assert_eq!(app.cells("eq").await, [""; 0]);
    }
}

fn column() -> Column {
    Column::new("f", "q")
}

#[tokio::test]
async fn an_entry_that_commits_after_a_later_one_was_exported_is_delivered_and_dropped() {
    let blind = Blind::new().await;
    let app = blind.start(async |_| Ok(())).await;
    let smaller = blind.begin(&app.client, "smaller").await.unwrap();
    blind.add(&app.client, "larger").await.unwrap();
    app.settle().await;
    smaller.commit().await.unwrap();
    blind.check(app, &["larger", "smaller"], "larger").await;
}

#[tokio::test]
async fn an_entry_that_commits_behind_the_position_is_delivered_and_dropped() {
    let blind = Blind::new().await;
    let fill = async |client: &Client| {
        blind.add(client, "1").await?;
        let late = blind.begin(client, "3").await?;
        blind.late.lock().unwrap().replace(late);
        blind.add(client, "5").await
    };
    let app = blind.start(fill).await;
    blind.check(app, &["1", "5", "3"], "5").await;
}
