//! The channel from the reading task to the consumer.

use std::task::{Context, Poll, ready};

use tokio::sync::{mpsc, oneshot};

use crate::data::Entry;
use crate::error::{Error, Result};

/// Number of batches that wait for the consumer.
const AHEAD: usize = 1;

/// An item from the task: a batch, or as the last item the end of the scan or its error.
type Item = Result<Option<Vec<Entry>>>;

/// The consumer's end of the channel.
#[derive(Debug)]
pub(super) struct Incoming {
    items: mpsc::Receiver<Item>,
    has_first: bool,
    /// Notifies the task that more than the first batch is needed.
    more: Option<oneshot::Sender<()>>,
    /// The error if the task ends without a last item: otherwise a part of the table would pass for
    /// the whole.
    cut_off: Error,
}

/// The task's end of the channel.
#[derive(Debug)]
pub(super) struct Sink {
    items: mpsc::Sender<Item>,
    /// `None` after the notification arrived.
    more: Option<oneshot::Receiver<()>>,
}

/// Creates the channel of a task whose end without a last item is the error `cut_off`.
pub(super) fn channel(cut_off: Error) -> (Sink, Incoming) {
    let (item_sender, items) = mpsc::channel(AHEAD);
    let (more_sender, more) = oneshot::channel();
    let sink = Sink { items: item_sender, more: Some(more) };
    let incoming = Incoming { items, has_first: false, more: Some(more_sender), cut_off };
    (sink, incoming)
}

impl Incoming {
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Item> {
        if self.has_first
            && let Some(more) = self.more.take()
        {
            // A task that has ended needs no notification.
            let _ = more.send(());
        }
        let item = ready!(self.items.poll_recv(context));
        self.has_first = true;
        Poll::Ready(item.unwrap_or_else(|| Err(self.cut_off.clone())))
    }
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

    /// Checks whether the consumer is dropped.
    pub(super) fn is_closed(&self) -> bool {
        self.items.is_closed()
    }

    /// Waits until the consumer is dropped.
    pub(super) async fn closed(&self) {
        self.items.closed().await;
    }
}
