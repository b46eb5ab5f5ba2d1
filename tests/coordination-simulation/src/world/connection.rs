//! The runtime of a session: the one of the run.

use fluo_table::{Error, Result};
use real_tokio::runtime::{EnterGuard, Handle};

use super::task::{JoinHandle, spawn};
use super::zookeeper::Client;
use crate::zookeeper::SessionOptions;

#[derive(Debug)]
pub(crate) struct Connection(Handle);

impl Connection {
    pub(crate) async fn open(options: &SessionOptions) -> Result<(Self, Client)> {
        let client = Client::connect(&options.servers, options.timeout).await.map_err(|cause| {
            Error::unavailable(format!("ZooKeeper at `{}`: {cause}", options.servers))
        })?;
        Ok((Self(Handle::current()), client))
    }

    pub(crate) fn handle(&self) -> &Self {
        self
    }

    pub(crate) fn enter(&self) -> EnterGuard<'_> {
        self.0.enter()
    }

    /// Spawns a task of the process whose task runs.
    pub(crate) fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        spawn(work)
    }
}
