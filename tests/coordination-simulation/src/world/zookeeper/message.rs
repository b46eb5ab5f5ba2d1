//! Requests of clients, and the answers and events that servers send.

use fluo_zookeeper::tree::Change;
use tokio::sync::oneshot;
use zookeeper_client::{Error, MultiWriteResult, Stat};

#[derive(Clone, Debug)]
pub(super) enum Request {
    Stat { path: String, watches: bool },
    Data { path: String, watches: bool },
    Children { path: String, watches: bool },
    Change(Vec<Change>),
    Sync,
}

pub(super) enum Answer {
    Stat(Option<Stat>),
    Data(Vec<u8>, Stat),
    Children(Vec<String>),
    Change(Result<Vec<MultiWriteResult>, (usize, Error)>),
    Sync,
}

pub(super) type Answers = oneshot::Sender<Result<(Answer, OneshotWatcher), Error>>;

#[derive(Debug)]
pub(crate) struct OneshotWatcher(pub(super) oneshot::Receiver<()>);

impl OneshotWatcher {
    /// Waits for the event, or the end of the session.
    pub(crate) async fn changed(self) {
        let _ = self.0.await;
    }
}

/// A message to a client.
pub(super) enum Delivery {
    /// With the number of its connection.
    Answer(Answers, u64, Result<(Answer, OneshotWatcher), Error>),
    Event(oneshot::Sender<()>),
}

pub(super) struct Watch {
    pub(super) path: String,
    pub(super) is_of_children: bool,
    pub(super) event: oneshot::Sender<()>,
}
