//! An application with a worker, and the cells of its table.

use fluo_engine::{
    ApplicationHandle, Client, ClientOptions, Instance, InstanceExt, Recipe, Result, Span, Worker,
};
use fluo_table::{Escaped, Scan};
use futures::TryStreamExt;

/// A running application.
pub(crate) struct App {
    pub(crate) handle: ApplicationHandle,
    pub(crate) client: Client,
    worker: Worker,
}

impl App {
    pub(crate) async fn start(queues: &[&dyn Recipe]) -> Self {
        Self::start_after(queues, async |_| Ok(())).await
    }

    /// Starts the worker after the queues are filled, so the observers find all entries at once.
    pub(crate) async fn start_after(
        queues: &[&dyn Recipe],
        fill: impl AsyncFnOnce(&Client) -> Result<()>,
    ) -> Self {
        Self::start_with(ClientOptions::new(), queues, fill).await
    }

    pub(crate) async fn start_with(
        options: ClientOptions,
        queues: &[&dyn Recipe],
        fill: impl AsyncFnOnce(&Client) -> Result<()>,
    ) -> Self {
        let handle = declared(queues).options(options);
        let client = handle.create().await.unwrap();
        fill(&client).await.unwrap();
        let worker = client.worker().start().await;
        Self { handle, client, worker: worker.unwrap() }
    }

    pub(crate) async fn stop(self) {
        self.worker.stop().await;
    }

    /// Waits until no notification is left.
    pub(crate) async fn settle(&self) {
        self.client.wait_until_idle().await.unwrap();
    }

    /// Returns the cells whose rows have a prefix, as `row column value`.
    pub(crate) async fn cells(&self, prefix: &'static str) -> Vec<String> {
        let snapshot = self.client.snapshot().await.unwrap();
        let cells = snapshot.scan(Scan::over(Span::prefix(prefix)));
        let cells: Vec<_> = cells.try_concat().await.unwrap();
        let text = |cell: &fluo_engine::Cell| {
            let (row, value) = (Escaped(&cell.key.row), Escaped(&cell.value));
            format!("{row} {} {value}", cell.key.column)
        };
        cells.iter().map(text).collect()
    }
}

/// Returns the handle of a new instance's application that declares these queues.
pub(crate) fn declared(queues: &[&dyn Recipe]) -> ApplicationHandle {
    let app = Instance::in_memory().application("app");
    let declare = |app: ApplicationHandle, queue: &&dyn Recipe| app.recipe(*queue);
    queues.iter().fold(app, declare)
}
