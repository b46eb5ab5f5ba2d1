//! The server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;

use crate::link::Link;
use crate::sessions::Session;
use crate::state::{Shared, State, locked};

/// The time between two checks for silent sessions.
const TICK: Duration = Duration::from_millis(50);

/// A ZooKeeper. It ends when this is dropped, with all its nodes.
///
/// It has a thread of its own, so it answers although a thread of the test waits for its answer.
#[derive(Debug)]
pub struct ZooKeeper {
    state: Shared,
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
}

impl ZooKeeper {
    /// Starts a server without nodes.
    ///
    /// # Panics
    ///
    /// No thread can be started.
    #[expect(clippy::new_without_default, reason = "starting a server is no default")]
    pub fn new() -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("zookeeper-in-memory")
            .enable_all()
            .build()
            .unwrap();
        let state = Arc::new(Mutex::new(State::new()));
        runtime.spawn(expire(state.clone()));
        Self { state, runtime: Some(runtime) }
    }

    /// Opens an address for a process.
    ///
    /// # Panics
    ///
    /// No port is free.
    pub fn link(&self) -> Link {
        let runtime = self.runtime.as_ref().unwrap().handle();
        Link::new(self.state.clone(), runtime)
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
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
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
