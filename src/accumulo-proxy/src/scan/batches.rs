//! Batches on their way from the reading task to the consumer.

use std::task::{Context, Poll, ready};

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::reader::Reader;
use crate::data::Entry;
use crate::error::{Error, Result};

/// Number of batches that wait for the consumer.
const AHEAD: usize = 1;

/// An item from the task: a batch, or as the last item the end of the scan or its error.
type Item = Result<Option<Vec<Entry>>>;

/// The consumer's end of the channel. Dropping it ends the task at the other end.
#[derive(Debug)]
pub(super) struct Batches {
    state: State,
}

#[derive(Debug)]
enum State {
    /// Not polled yet.
    Unopened(Handle, Box<Reader>),
    /// Read by a task.
    Open(Incoming),
    /// Ended by the last item.
    Ended,
}

#[derive(Debug)]
struct Incoming {
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

impl Batches {
    /// Creates the channel for `reader`, which will run on the runtime of the caller.
    pub(super) fn new(reader: Reader) -> Self {
        Self {
            state: State::Unopened(Handle::current(), Box::new(reader)),
        }
    }

    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<Entry>>>> {
        self.open();
        let State::Open(incoming) = &mut self.state else {
            return Poll::Ready(None);
        };
        let item = ready!(incoming.poll_next(context)).transpose();
        if !matches!(item, Some(Ok(_))) {
            self.state = State::Ended;
        }
        Poll::Ready(item)
    }

    fn open(&mut self) {
        if !matches!(self.state, State::Unopened(..)) {
            return;
        }
        if let State::Unopened(runtime, reader) = std::mem::replace(&mut self.state, State::Ended) {
            let cut_off = reader.cut_off();
            let (sink, incoming) = channel(cut_off);
            runtime.spawn(reader.run(sink));
            self.state = State::Open(incoming);
        }
    }
}

fn channel(cut_off: Error) -> (Sink, Incoming) {
    let (item_sender, items) = mpsc::channel(AHEAD);
    let (more_sender, more) = oneshot::channel();
    let sink = Sink {
        items: item_sender,
        more: Some(more),
    };
    let incoming = Incoming {
        items,
        has_first: false,
        more: Some(more_sender),
        cut_off,
    };
    (sink, incoming)
}

impl Incoming {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Item> {
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
