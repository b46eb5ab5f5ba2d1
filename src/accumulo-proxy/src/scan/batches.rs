//! Batches on their way from the task that reads to the consumer.

use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::reader::Reader;
use crate::data::Entry;
use crate::error::Result;

/// Batches that wait for the consumer.
const AHEAD: usize = 1;

/// The consumer's end. Dropped, it ends the task at the other.
#[derive(Debug)]
pub(super) struct Batches {
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nobody polled yet.
    Unopened(Handle, Box<Reader>),
    /// A task reads.
    Open(mpsc::Receiver<Result<Vec<Entry>>>),
    /// The end was seen.
    Ended,
}

impl Batches {
    /// What `reader` will read, on the runtime of the caller.
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
        let State::Open(receiver) = &mut self.state else {
            return Poll::Ready(None);
        };
        let item = receiver.poll_recv(context);
        if let Poll::Ready(None) = item {
            self.state = State::Ended;
        }
        item
    }

    fn open(&mut self) {
        if !matches!(self.state, State::Unopened(..)) {
            return;
        }
        if let State::Unopened(runtime, reader) = std::mem::replace(&mut self.state, State::Ended) {
            let (sender, receiver) = mpsc::channel(AHEAD);
            runtime.spawn(reader.run(sender));
            self.state = State::Open(receiver);
        }
    }
}
