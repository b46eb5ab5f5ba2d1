//! The argument that names a queue.

use anyhow::{Result, bail};
use clap::Args;
use fluo_engine::Client;
use fluo_recipes::stored_queue::StoredQueue;

use crate::application::{ApplicationArguments, OpenApplication};

/// The arguments that name a queue of an application.
#[derive(Args, Debug)]
pub(super) struct QueueArguments {
    #[command(flatten)]
    application: ApplicationArguments,
    /// The queue
    #[arg(value_name = "QUEUE")]
    id: String,
}

impl QueueArguments {
    pub(super) async fn open(&self) -> Result<(OpenApplication, Client, StoredQueue)> {
        let open = self.application.open().await?;
        let (name, id) = (self.application.name(), &self.id);
        let mut queues = self.application.queues(&open)?;
        let Some(place) = queues.iter().position(|queue| queue.id() == id) else {
            if queues.is_empty() {
                bail!("application `{name}` has no queues");
            }
            let ids: Vec<_> = queues.iter().map(|queue| format!("`{}`", queue.id())).collect();
            bail!("application `{name}` has no queue `{id}`; its queues: {}", ids.join(", "));
        };
        let client = open.client().await?;
        Ok((open, client, queues.swap_remove(place)))
    }
}
