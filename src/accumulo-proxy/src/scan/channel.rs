//! The channel from the reading task to the consumer.

use tokio::sync::{mpsc, oneshot};

use crate::data::Entry;
use crate::error::Result;

/// Number of batches that wait for the consumer.
const AHEAD: usize = 1;

/// An item from the task: a batch, or as the last item the end of the scan or its error.
pub(super) type Item = Result<Option<Vec<Entry>>>;

/// The task's end of the channel.
#[derive(Debug)]
pub(super) struct Sink {
    items: mpsc::Sender<Item>,
    /// `None` after the notification arrived.
    more: Option<oneshot::Receiver<()>>,
}

/// Creates the channel: the task's end, and for the consumer the items and the notification that
/// more than the first batch is needed.
pub(super) fn channel() -> (Sink, mpsc::Receiver<Item>, oneshot::Sender<()>) {
    let (sender, items) = mpsc::channel(AHEAD);
    let (more_sender, more) = oneshot::channel();
    (Sink { items: sender, more: Some(more) }, items, more_sender)
}

impl Sink {
    /// Waits for a place for the next item. Returns `None` if the consumer is dropped.
    pub(super) async fn place(&self) -> Option<mpsc::Permit<'_, Item>> {
        self.items.reserve().await.ok()
    }

    /// Waits until the consumer has asked for more than the first batch, or is dropped.
    pub(super) async fn until_more_is_needed(&mut self) {
        if let Some(more) = self.more.take() {
            // The sender is dropped with the consumer.
            let _ = more.await;
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.items.is_closed()
    }

    /// Waits until the consumer is dropped.
    pub(super) async fn closed(&self) {
        self.items.closed().await;
    }
}
