//! The writer: one thread that commits for everybody.
//!
//! A durable commit costs the same for one mutation as for hundreds. So all writes of all callers go through one
//! queue to one thread, which takes everything that waits, applies it in one transaction, makes that durable
//! once, and answers each caller. Conditions are checked in that thread, inside the transaction: nothing can
//! come between a condition and its update, and a mutation sees what those before it in the same commit wrote.
//!
//! The queue is bounded by mutations. A caller for whom there is no room waits; one who stops waiting has not
//! asked for anything yet. A request that is in the queue is carried out whether or not its caller still listens.

mod batch;
mod patience;
mod request;
mod thread;

use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;

use fluo_core::{Authorizations, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result};
use redb::WriteTransaction;
use tokio::sync::{Semaphore, mpsc, oneshot};

pub(crate) use request::TableRef;
use request::{Call, Queued, Request, Work};
pub(crate) use thread::Verdict;
use thread::{CommitBounds, WriterThread};

use crate::error::Failure;
use crate::settings::Settings;
use crate::store::Store;

/// The way to the writer's thread. When dropped, it waits until everything queued is done.
pub(crate) struct Writer {
    queue: Option<mpsc::UnboundedSender<Queued>>,
    room: Arc<Semaphore>,
    /// All the room there is.
    most_queued: u32,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(store: Arc<Store>, settings: Settings, last_time_ms: i64) -> Result<Self> {
        let (queue, requests) = mpsc::unbounded_channel();
        let bounds = CommitBounds {
            mutations: settings.max_commit_mutations,
            bytes: settings.max_commit_bytes,
        };
        let thread = WriterThread::new(store, settings.clock, bounds, last_time_ms);
        let thread = std::thread::Builder::new()
            .name("fluo-writer".to_owned())
            .spawn(move || thread.run(requests))
            .map_err(|error| {
                let message = format!("cannot start the writer's thread: {error}");
                Error::with_source(ErrorKind::Unavailable, message, error)
            })?;
        Ok(Self {
            queue: Some(queue),
            room: Arc::new(Semaphore::new(settings.max_queued_mutations)),
            most_queued: u32::try_from(settings.max_queued_mutations).unwrap_or(u32::MAX),
            thread: Some(thread),
        })
    }

    pub(crate) async fn write(&self, table: TableRef, mutations: Vec<Mutation>) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        self.call(table, Work::Plain { mutations, answer }).await?;
        answered.await.unwrap_or_else(|_| Err(no_answer()))
    }

    pub(crate) async fn write_conditional(
        &self,
        table: TableRef,
        mutations: Vec<ConditionalMutation>,
        authorizations: Arc<Authorizations>,
    ) -> Result<Vec<Outcome>> {
        let (answer, answered) = oneshot::channel();
        let count = mutations.len();
        let work = Work::Conditional {
            mutations,
            authorizations,
            answer,
        };
        self.call(table, work).await?;
        answered
            .await
            .unwrap_or_else(|_| Ok(vec![Outcome::Unknown(no_answer()); count]))
    }

    /// Runs a job in a transaction of its own, in its turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&WriteTransaction) -> Result<Verdict<T>, Failure> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let job = |thread: &mut WriterThread| {
            let _ = answer.send(thread.run_job(job));
        };
        self.enqueue(Request::Job(Box::new(job)), 1).await?;
        answered.await.unwrap_or_else(|_| Err(no_answer()))
    }

    async fn call(&self, table: TableRef, work: Work) -> Result<()> {
        let call = Call { table, work };
        let mutations = call.mutation_count();
        self.enqueue(Request::Call(call), mutations).await
    }

    async fn enqueue(&self, request: Request, mutations: usize) -> Result<()> {
        let room = u32::try_from(mutations)
            .unwrap_or(u32::MAX)
            .clamp(1, self.most_queued);
        let room = self.room.clone().acquire_many_owned(room).await;
        let room = room.map_err(|_| has_ended())?;
        let queued = Queued { request, room };
        let queue = self.queue.as_ref().ok_or_else(has_ended)?;
        queue.send(queued).map_err(|_| has_ended())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends once the queue is empty.
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // It contains the engine's panics; should it have ended by another, there is nothing left to do.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

fn has_ended() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the writer has ended; open the directory again",
    )
}

fn no_answer() -> Error {
    Error::new(
        ErrorKind::Uncertain,
        "the writer ended before it answered; the write may or may not be in force: open the directory again \
         and look",
    )
}
