//! The thread that serves a session, and the orderly end of a session.

use std::thread;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::debug;

use super::client::StateWatcher;

/// Longest wait for the answers of ZooKeeper when a session is closed.
const LIMIT: Duration = Duration::from_secs(2);

/// A runtime of its own for a session. A process that ends closes its sessions even if its own
/// runtime has ended, so its ephemeral nodes do not exist until the session times out.
#[derive(Debug)]
pub(super) struct Connection {
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
    /// The states to watch when this is dropped. The last client of the session must be dropped
    /// before.
    pub(super) state: Option<StateWatcher>,
}

impl Connection {
    pub(super) fn new() -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("zookeeper")
            .enable_time()
            .build();
        let runtime = runtime.map_err(|error| {
            let message = format!("no thread can be started for ZooKeeper: {error}");
            Error::with_source(ErrorKind::Unavailable, message, error)
        })?;
        Ok(Self { runtime: Some(runtime), state: None })
    }

    pub(super) fn handle(&self) -> &Handle {
        self.runtime.as_ref().expect("the runtime is taken only by the drop").handle()
    }
}

impl Drop for Connection {
    /// Waits until the session is closed. It waits in another thread, because a thread of a runtime
    /// must not wait for another runtime.
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else {
            return;
        };
        let Some(mut state) = self.state.take() else {
            return runtime.shutdown_background();
        };
        let closing = async move {
            while !state.state().is_terminated() {
                state.changed().await;
            }
        };
        let waiting = thread::Builder::new().spawn(move || {
            let closing = async { tokio::time::timeout(LIMIT, closing).await };
            if runtime.block_on(closing).is_err() {
                debug!("a session with ZooKeeper is not closed, and ends by its timeout");
            }
            runtime.shutdown_background();
        });
        // Without a thread, the session ends by its timeout.
        if let Ok(waiting) = waiting {
            let _ = waiting.join();
        }
    }
}
