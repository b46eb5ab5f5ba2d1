//! The writer: one thread that commits for all callers.
//!
//! A durable commit of one mutation costs the same as one of hundreds. So all writes of all callers
//! go through one queue to one thread, which takes all waiting calls, applies them in one
//! transaction, makes it durable once, and answers each caller. The thread checks conditions inside
//! the transaction: no other write can happen between a condition and its update, and a mutation
//! sees the effects of earlier ones in the same commit.
//!
//! A commit takes the calls that are waiting, and does not wait for more. While it runs, the
//! callers of the previous commit send their next calls, which form the next commit.
//!
//! The queue is bounded by the number of mutations and by their bytes. A caller waits until there
//! is room, unless it has a pending commit; a call that is cancelled while it waits has no effect.
//! A request in the queue is executed even if its caller is cancelled.
//!
//! The clock is read in the caller's task, not in the thread, so a panicking clock fails its caller
//! and not the writer thread.

mod batch;
mod job;
mod request;
mod thread;

use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use fluo_table::{Clock, Error, ErrorKind, Outcome, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

pub(crate) use batch::MaxTimes;
pub(crate) use job::Verdict;
use request::{Call, Queued, Request, Room};
pub(crate) use request::{TableRef, Write};
use thread::WriterThread;

use crate::engine::Transaction;
use crate::error::Failure;
use crate::options::EmbeddedOptions;
use crate::store::Store;

/// The sender to the writer thread. Dropping it waits until all queued requests are done.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Queued>>,
    mutations: Limit,
    bytes: Limit,
    clock: Arc<dyn Clock>,
    thread: Option<JoinHandle<()>>,
}

/// A bound of the queue.
#[derive(Debug)]
struct Limit {
    free: Arc<Semaphore>,
    max: u32,
}

impl Limit {
    fn new(max: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(max)), max: u32::try_from(max).unwrap_or(u32::MAX) }
    }

    /// Waits for `room`, or for all of it if `room` is more than that.
    async fn acquire(&self, room: usize) -> Result<OwnedSemaphorePermit> {
        let room = u32::try_from(room).unwrap_or(u32::MAX).clamp(1, self.max);
        let permit = self.free.clone().acquire_many_owned(room).await;
        permit.map_err(|_| has_ended())
    }
}

impl Writer {
    pub(crate) fn start(
        store: Arc<Store>,
        options: EmbeddedOptions,
        times: MaxTimes,
    ) -> Result<Self> {
        let (queue, requests) = mpsc::channel();
        let thread = WriterThread::new(store, times);
        let thread = std::thread::Builder::new()
            .name("fluo-writer".to_owned())
            .spawn(move || thread.run(&requests))
            .map_err(|error| {
                let message = format!("cannot start the writer's thread: {error}");
                Error::with_source(ErrorKind::Unavailable, message, error)
            })?;
        Ok(Self {
            queue: Some(queue),
            mutations: Limit::new(options.max_queued_mutations),
            bytes: Limit::new(options.max_queued_bytes),
            clock: options.clock,
            thread: Some(thread),
        })
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Writes the mutations of a call, and returns the outcome of each.
    pub(crate) async fn write(&self, write: Write) -> Result<Vec<Outcome>> {
        let (answer, answered) = oneshot::channel();
        let outcomes = write.outcomes();
        let (mutations, bytes) = (write.mutations.len(), write.size_bytes());
        // All transactions that begin wait for a pending commit, so it must not wait for room. A
        // transaction has only one.
        let waits_for_room = write.commit.is_none();
        let call = Call { write, now_ms: self.now_ms(), answer };
        match waits_for_room {
            true => self.enqueue(Request::Call(call), mutations, bytes).await?,
            false => self.send(Queued { request: Request::Call(call), room: Room::default() })?,
        }
        answered.await.unwrap_or_else(|_| Ok(vec![Outcome::Unknown(no_answer()); outcomes]))
    }

    /// Runs a job in its own transaction, in queue order.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<Verdict<T>, Failure> + Send + 'static,
    ) -> Result<T> {
        self.run_to_the_end(job, |_| {}).await
    }

    /// Runs a job that changes properties, tablets or the existence of a table.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<Verdict<T>, Failure> + Send + 'static,
    ) -> Result<T> {
        self.enqueue_job(true, job, |_| {}).await
    }

    /// Runs a job, and `at_its_end` after it in the writer thread, even if the caller is cancelled.
    pub(crate) async fn run_to_the_end<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<Verdict<T>, Failure> + Send + 'static,
        at_its_end: impl FnOnce(&Result<T>) + Send + 'static,
    ) -> Result<T> {
        self.enqueue_job(false, job, at_its_end).await
    }

    async fn enqueue_job<T: Send + 'static>(
        &self,
        changes_tables: bool,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<Verdict<T>, Failure> + Send + 'static,
        at_its_end: impl FnOnce(&Result<T>) + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let job = |store: &Store| {
            let result = job::run(store, job);
            at_its_end(&result);
            let _ = answer.send(result);
        };
        let request = Request::Job { job: Box::new(job), changes_tables };
        self.enqueue(request, 1, 0).await?;
        answered.await.unwrap_or_else(|_| Err(no_answer()))
    }

    async fn enqueue(&self, request: Request, mutations: usize, bytes: usize) -> Result<()> {
        // Always in this order: a caller that holds room of the second kind waits for none of the
        // first.
        let room = Room {
            _mutations: Some(self.mutations.acquire(mutations).await?),
            _bytes: Some(self.bytes.acquire(bytes).await?),
        };
        self.send(Queued { request, room })
    }

    fn send(&self, queued: Queued) -> Result<()> {
        let queue = self.queue.as_ref().ok_or_else(has_ended)?;
        queue.send(queued).map_err(|_| has_ended())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends once the queue is empty.
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // The thread contains the engine's panics; if another panic ended it, nothing is left
            // to do.
            let _ = thread.join();
        }
    }
}

fn has_ended() -> Error {
    Error::new(ErrorKind::Unavailable, "the writer has ended; open the directory again")
}

fn no_answer() -> Error {
    Error::new(
        ErrorKind::Uncertain,
        "outcome unknown: the writer stopped during the write; open the directory again and check",
    )
}

#[cfg(test)]
mod tests {
    use fluo_table::{Column, Mutation};
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;

    fn put(bytes: usize) -> Write {
        let table = TableRef { id: 1, name: "t".into() };
        let mutation = Mutation::new("r").put(Column::new("f", "q"), vec![0; bytes]);
        Write {
            table,
            mutations: vec![mutation.into()],
            authorizations: Arc::default(),
            is_atomic: false,
            commit: None,
        }
    }

    /// Returns a writer whose queue is never emptied, with this much room.
    fn idle_writer(mutations: usize, bytes: usize) -> (Writer, mpsc::Receiver<Queued>) {
        let (queue, requests) = mpsc::channel();
        let writer = Writer {
            queue: Some(queue),
            mutations: Limit::new(mutations),
            bytes: Limit::new(bytes),
            clock: EmbeddedOptions::new().clock,
            thread: None,
        };
        (writer, requests)
    }

    /// The queue was once bounded by the number of mutations only: 16,384 of 16 MiB each.
    #[test]
    fn the_queue_respects_its_limit_of_bytes() {
        let (writer, requests) = idle_writer(100, 1_000);
        let write = |bytes: usize| Box::pin(writer.write(put(bytes)));
        let (mut first, mut second, mut large) = (write(600), write(600), write(5_000));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert!((&mut large).now_or_never().is_none());
        let queued = requests.try_recv().unwrap();
        assert!(requests.try_recv().is_err(), "the second finds no room");
        drop(queued);
        assert!((&mut second).now_or_never().is_none());
        let queued = requests.try_recv().unwrap();
        assert!((&mut large).now_or_never().is_none());
        assert!(requests.try_recv().is_err(), "the large one is not alone yet");
        drop(queued);
        assert!((&mut large).now_or_never().is_none());
        assert!(requests.try_recv().is_ok());
    }

    #[test]
    fn a_write_without_an_answer_is_unknown_and_later_ones_fail() {
        let (writer, requests) = idle_writer(1, 1);
        let thread = std::thread::spawn(move || drop(requests.recv()));
        let outcomes = block_on(writer.write(put(1))).unwrap();
        let [Outcome::Unknown(error)] = outcomes.as_slice() else { panic!("{outcomes:?}") };
        assert_eq!(error.kind(), ErrorKind::Uncertain);
        assert_eq!(
            error.to_string(),
            "outcome unknown: the writer stopped during the write; open the directory again and check"
        );
        thread.join().unwrap();
        let error = block_on(writer.write(put(1))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.to_string(), "the writer has ended; open the directory again");
    }

    #[test]
    fn a_commit_in_doubt_is_an_unknown_outcome_of_each_unit() {
        for (is_atomic, count) in [(false, 2), (true, 1)] {
            let (answer, mut answered) = oneshot::channel();
            let mut write = put(1);
            write.mutations.push(write.mutations[0].clone());
            write.is_atomic = is_atomic;
            let call = Call { write, now_ms: 0, answer };
            call.answer(Err(no_answer()));
            let outcomes = answered.try_recv().unwrap().unwrap();
            assert_eq!(outcomes.len(), count);
            assert!(matches!(outcomes[0], Outcome::Unknown(_)));
        }
    }
}
