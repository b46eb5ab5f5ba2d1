//! The runtime of a session: the one of the run.

use fluo_table::Result;
use tokio::runtime::Handle;

use super::zookeeper::StateWatcher;

#[derive(Debug)]
pub(crate) struct Connection {
    handle: Handle,
    pub(crate) state: Option<StateWatcher>,
}

impl Connection {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { handle: Handle::current(), state: None })
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}
