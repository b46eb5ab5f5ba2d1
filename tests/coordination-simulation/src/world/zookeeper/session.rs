//! The state of a session at the servers, with its connection.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use zookeeper_client::SessionState;

use super::message::{Delivery, Watch};

/// A session at the servers.
pub(super) struct ServedSession {
    pub(super) process: u32,
    pub(super) timeout: Duration,
    pub(super) server: usize,
    /// The connection, or the next one while there is none.
    pub(super) connection: watch::Sender<Connection>,
    /// True once the client is dropped.
    pub(super) is_closed: bool,
    /// The number of changes up to its end.
    pub(super) ended: Option<usize>,
    pub(super) state: watch::Sender<SessionState>,
    /// The time of the last message to its server, and of the last one that the leader knows of.
    pub(super) touched: Instant,
    pub(super) reported: Instant,
    pub(super) watches: Vec<Watch>,
    pub(super) deliveries: mpsc::UnboundedSender<Delivery>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    pub(super) number: u64,
    pub(super) is_up: bool,
}

impl ServedSession {
    pub(super) fn is_connected(&self) -> bool {
        self.connection.borrow().is_up
    }

    pub(super) fn show(&self, state: SessionState) {
        if !self.state.borrow().is_terminated() {
            self.state.send_replace(state);
        }
    }
}
