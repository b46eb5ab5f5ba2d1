//! The server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::link::Link;
use crate::sessions::Session;
use crate::state::{Shared, State, locked};

/// The time between two checks for silent sessions.
const TICK: Duration = Duration::from_millis(50);

/// A ZooKeeper. It ends when this is dropped, with all its nodes.
#[derive(Debug)]
pub struct ZooKeeper {
    state: Shared,
    expiry: AbortHandle,
}

impl ZooKeeper {
    /// Starts a server without nodes, in the present runtime.
    #[expect(clippy::unused_async, reason = "it needs a runtime")]
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::new()));
        let expiry = tokio::spawn(expire(state.clone())).abort_handle();
        Self { state, expiry }
    }

    /// Opens an address for a process.
    pub async fn link(&self) -> Link {
        Link::new(self.state.clone()).await
    }

    /// Returns the data of a node, or `None` if it does not exist.
    pub fn data(&self, path: &str) -> Option<Vec<u8>> {
        let state = locked(&self.state);
        Some(state.tree.node(path)?.data.clone())
    }

    /// Returns the names of the children of a node; none if it does not exist.
    pub fn children(&self, path: &str) -> Vec<String> {
        let state = locked(&self.state);
        let node = state.tree.node(path);
        node.map_or(Vec::new(), |node| node.children.iter().cloned().collect())
    }
}

impl Drop for ZooKeeper {
    fn drop(&mut self) {
        self.expiry.abort();
    }
}

/// Ends silent sessions.
async fn expire(state: Shared) {
    loop {
        sleep(TICK).await;
        let mut state = locked(&state);
        for session in state.sessions.which(Session::is_over) {
            state.end_session(session);
        }
    }
}
