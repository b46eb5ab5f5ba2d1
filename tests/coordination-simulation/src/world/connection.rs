//! The runtime of a session: the one of the run.

use fluo_table::{Error, Result};
use tokio::runtime::Handle;

use super::zookeeper::Client;
use crate::zookeeper::SessionOptions;

#[derive(Debug)]
pub(crate) struct Connection {
    handle: Handle,
}

impl Connection {
    pub(crate) async fn open(options: &SessionOptions) -> Result<(Self, Client)> {
        let client = Client::connect(&options.servers, options.timeout).await.map_err(|cause| {
            Error::unavailable(format!("ZooKeeper at `{}`: {cause}", options.servers))
        })?;
        Ok((Self { handle: Handle::current() }, client))
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}
