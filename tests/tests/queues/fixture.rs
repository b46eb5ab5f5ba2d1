//! An application with a worker, and the cells of its table.

use fluo_engine::{
    ApplicationHandle, Client, ClientOptions, Instance, InstanceExt, Observers, Result, Span,
    Worker, WorkerOptions,
};
use fluo_recipes::{ApplicationRecipes, Recipes};
use fluo_table::{Escaped, Scan};
use futures::TryStreamExt;

/// A running application.
pub(crate) struct App {
    pub(crate) handle: ApplicationHandle,
    pub(crate) client: Client,
    worker: Worker,
}

impl App {
    pub(crate) async fn start(observers: Observers, recipes: &Recipes) -> Self {
        Self::start_after(observers, recipes, async |_| Ok(())).await
    }

    /// Starts the worker after the queues are filled, so the observers find all entries at once.
    pub(crate) async fn start_after(
        observers: Observers,
        recipes: &Recipes,
        fill: impl AsyncFnOnce(&Client) -> Result<()>,
    ) -> Self {
        Self::start_with(ClientOptions::new(), observers, recipes, fill).await
    }

    pub(crate) async fn start_with(
        options: ClientOptions,
        observers: Observers,
        recipes: &Recipes,
        fill: impl AsyncFnOnce(&Client) -> Result<()>,
    ) -> Self {
        let handle = Instance::in_memory()
            .application("app")
            .options(options)
            .observers(&observers)
            .recipes(recipes);
        let client = handle.create().await.unwrap();
        fill(&client).await.unwrap();
        let worker = client
            .clone()
            .with_observers(observers)
            .start_worker(WorkerOptions::new())
            .await;
        Self {
            handle,
            client,
            worker: worker.unwrap(),
        }
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
