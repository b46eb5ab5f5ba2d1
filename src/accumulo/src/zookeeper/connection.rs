//! The thread that serves a session, and the orderly end of a session.

use std::thread;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::debug;

use super::client::{Client, Error as Cause, SaslOptions, StateWatcher};
use super::error::connecting;
use super::options::SessionOptions;
use super::security::Sasl;
use super::tunnel::Tunnel;

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
    /// Opens a session, and returns the runtime that serves it and its client.
    pub(super) async fn open(options: &SessionOptions) -> Result<(Self, Client)> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("zookeeper")
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| {
            let message = format!("no thread can be started for ZooKeeper: {error}");
            Error::with_source(ErrorKind::Unavailable, message, error)
        })?;
        let mut connection = Self { runtime: Some(runtime), state: None };
        let opening = connection.handle().spawn(open(options.clone())).await;
        let ended = |_| Err(connecting(options, Cause::ClientClosed, None));
        let client = opening.unwrap_or_else(ended)?;
        connection.state = Some(client.state_watcher());
        Ok((connection, client))
    }

    pub(super) fn handle(&self) -> &Handle {
        self.runtime.as_ref().expect("the runtime is taken only by the drop").handle()
    }
}

/// Opens a session. Runs in the runtime that then serves it.
async fn open(options: SessionOptions) -> Result<Client> {
    let connector = Client::connector().with_session_timeout(options.timeout).with_fail_eagerly();
    let connector = match options.access.digest() {
        Some(digest) => connector.with_auth("digest", &digest),
        None => connector,
    };
    let connector = match options.security.sasl.clone() {
        Some(Sasl { user, password }) => {
            connector.with_sasl(SaslOptions::digest_md5(user, password))
        }
        None => connector,
    };
    if let Some(tunnel) = Tunnel::open(&options.security, &options.servers, options.timeout).await?
    {
        let client = connector.connect(tunnel.address()).await;
        return client.map_err(|cause| connecting(&options, cause, tunnel.failure()));
    }
    let client = connector.connect(&options.servers).await;
    client.map_err(|cause| connecting(&options, cause, None))
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
