//! Batches on their way from the reading task to the consumer.

use std::task::{Context, Poll, ready};

use tokio::runtime::Handle;

use super::channel::{Incoming, channel};
use super::reader::Reader;
use crate::data::Entry;
use crate::error::Result;

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

impl Batches {
    /// Creates the channel for `reader`, which will run on the runtime of the caller.
    pub(super) fn new(reader: Reader) -> Self {
        Self { state: State::Unopened(Handle::current(), Box::new(reader)) }
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
