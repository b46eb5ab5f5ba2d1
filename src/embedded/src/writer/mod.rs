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
//! is room; a call that is cancelled while it waits has no effect. A request in the queue is
//! executed even if its caller is cancelled.
//!
//! The clock is read in the caller's task, not in the thread, so a panicking clock fails its caller
//! and not the writer thread.

mod batch;
mod request;
mod thread;

use std::fmt;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use fluo_table::{
    Authorizations, Clock, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result,
};
use redb::WriteTransaction;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

pub(crate) use request::TableRef;
use request::{Call, Queued, Request, Room, Work};
pub(crate) use thread::Verdict;
use thread::{CommitBounds, WriterThread};

use crate::error::Failure;
use crate::options::EmbeddedOptions;
use crate::store::Store;

/// The sender to the writer thread. Dropping it waits until all queued requests are done.
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Queued>>,
    /// The room in the queue, in mutations.
    mutations: Limit,
    /// The room in the queue, in bytes.
    bytes: Limit,
    clock: Arc<dyn Clock>,
    thread: Option<JoinHandle<()>>,
}

/// A bound of the queue.
#[derive(Debug)]
struct Limit {
    free: Arc<Semaphore>,
    /// The total room.
    most: u32,
}

impl Limit {
    fn of(most: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(most)),
            most: u32::try_from(most).unwrap_or(u32::MAX),
        }
    }

    /// Waits for `room`, or for all of it if `room` is more than that.
    async fn acquire(&self, room: usize) -> Result<OwnedSemaphorePermit> {
        let room = u32::try_from(room).unwrap_or(u32::MAX).clamp(1, self.most);
        let permit = self.free.clone().acquire_many_owned(room).await;
        permit.map_err(|_| has_ended())
    }
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(
        store: Arc<Store>,
        options: EmbeddedOptions,
        last_time_ms: i64,
    ) -> Result<Self> {
        let (queue, requests) = mpsc::channel();
        let bounds = CommitBounds {
            mutations: options.max_commit_mutations,
            bytes: options.max_commit_bytes,
        };
        let thread = WriterThread::new(store, bounds, last_time_ms);
        let thread = std::thread::Builder::new()
            .name("fluo-writer".to_owned())
            .spawn(move || thread.run(&requests))
            .map_err(|error| {
                let message = format!("cannot start the writer's thread: {error}");
                Error::with_source(ErrorKind::Unavailable, message, error)
            })?;
        Ok(Self {
            queue: Some(queue),
            mutations: Limit::of(options.max_queued_mutations),
            bytes: Limit::of(options.max_queued_bytes),
            clock: options.clock,
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

    pub(crate) async fn write_atomically(
        &self,
        table: TableRef,
        mutations: Vec<ConditionalMutation>,
        authorizations: Arc<Authorizations>,
    ) -> Result<Outcome> {
        let (answer, answered) = oneshot::channel();
        let work = Work::Together {
            mutations,
            authorizations,
            answer,
        };
        self.call(table, work).await?;
        answered
            .await
            .unwrap_or_else(|_| Ok(Outcome::Unknown(no_answer())))
    }

    /// Runs a job in its own transaction, in queue order.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&WriteTransaction) -> Result<Verdict<T>, Failure> + Send + 'static,
    ) -> Result<T> {
        self.run_to_the_end(job, |_| {}).await
    }

    /// Runs a job, and `at_its_end` after it in the writer thread, even if the caller is cancelled.
    pub(crate) async fn run_to_the_end<T: Send + 'static>(
        &self,
        job: impl FnOnce(&WriteTransaction) -> Result<Verdict<T>, Failure> + Send + 'static,
        at_its_end: impl FnOnce(&Result<T>) + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let job = |thread: &mut WriterThread| {
            let result = thread.run_job(job);
            at_its_end(&result);
            let _ = answer.send(result);
        };
        self.enqueue(Request::Job(Box::new(job)), 1, 0).await?;
        answered.await.unwrap_or_else(|_| Err(no_answer()))
    }

    async fn call(&self, table: TableRef, work: Work) -> Result<()> {
        let now_ms = self.clock.now_ms();
        let call = Call {
            table,
            work,
            now_ms,
        };
        let (mutations, bytes) = (call.mutation_count(), call.size_bytes());
        self.enqueue(Request::Call(call), mutations, bytes).await
    }

    async fn enqueue(&self, request: Request, mutations: usize, bytes: usize) -> Result<()> {
        // Always in this order: a caller that holds room of the second kind waits for none of the
        // first.
        let room = Room {
            _mutations: self.mutations.acquire(mutations).await?,
            _bytes: self.bytes.acquire(bytes).await?,
        };
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
            // The thread contains the engine's panics; if another panic ended it, nothing is left
            // to do.
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
        "the writer ended before it answered; the write may or may not be in force: open the \
         directory again and check",
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fluo_table::{Column, Condition};
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;

    fn store_in(directory: &Path) -> Arc<Store> {
        let options = EmbeddedOptions::new().create_if_missing(true);
        let store = Store::open(directory, &options).unwrap();
        store.keep_directory();
        Arc::new(store)
    }

    fn create(
        name: &'static str,
    ) -> impl FnOnce(&WriteTransaction) -> Result<Verdict<()>, Failure> {
        move |transaction| {
            crate::catalog::create(transaction, name, fluo_table::Versions::All)?;
            Ok(Verdict::Commit(()))
        }
    }

    /// Such a panic was once reported as damage, and the directory accepted no more writes.
    #[test]
    fn a_panic_outside_the_engine_is_a_bug_and_the_next_write_works() {
        let directory = tempfile::tempdir().unwrap();
        let store = store_in(directory.path());
        let writer = Writer::start(store.clone(), EmbeddedOptions::new(), 0).unwrap();
        block_on(writer.run(create("first"))).unwrap();
        let line = line!() + 3;
        let panics = |transaction: &WriteTransaction| -> Result<Verdict<()>, Failure> {
            create("half")(transaction)?;
            panic!("three is odd\nsecond line")
        };
        let error = block_on(writer.run(panics)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        let message = format!("a bug in this build, at {}:{line}: three is odd", file!());
        assert_eq!(error.to_string(), message);
        block_on(writer.run(create("second"))).unwrap();
        let names = store.read(crate::catalog::names).unwrap();
        assert_eq!(names, ["first", "second"]);
        drop((writer, store));
        let report = crate::EmbeddedTables::check(directory.path()).unwrap();
        assert_eq!(report.tables, 2);
    }

    #[test]
    fn reports_that_the_writer_has_ended() {
        let (writer, requests) = idle_writer(1, 1);
        drop(requests);
        let table = TableRef {
            id: 1,
            name: "t".into(),
        };
        let column = Column::new("f", "q");
        let mutation = fluo_table::Mutation::new("r").put(column.clone(), "v");
        let conditional = mutation.clone().when(Condition::absent(column));
        for error in [
            block_on(writer.write(table.clone(), vec![mutation])).unwrap_err(),
            block_on(writer.write_conditional(
                table.clone(),
                vec![conditional.clone()],
                Arc::default(),
            ))
            .unwrap_err(),
            block_on(writer.write_atomically(table, vec![conditional], Arc::default()))
                .unwrap_err(),
            block_on(writer.run(create("t"))).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert_eq!(
                error.to_string(),
                "the writer has ended; open the directory again"
            );
        }
    }

    /// Returns a writer whose queue is never emptied, with this much room.
    fn idle_writer(mutations: usize, bytes: usize) -> (Writer, mpsc::Receiver<Queued>) {
        let (queue, requests) = mpsc::channel();
        let writer = Writer {
            queue: Some(queue),
            mutations: Limit::of(mutations),
            bytes: Limit::of(bytes),
            clock: EmbeddedOptions::new().clock,
            thread: None,
        };
        (writer, requests)
    }

    /// The queue was once bounded by the number of mutations only: 16,384 of 16 MiB each.
    #[test]
    fn the_queue_respects_its_limit_of_bytes() {
        let (writer, requests) = idle_writer(100, 1_000);
        let table = TableRef {
            id: 1,
            name: "t".into(),
        };
        let write = |bytes: usize| {
            let mutation =
                fluo_table::Mutation::new("r").put(Column::new("f", "q"), vec![0; bytes]);
            Box::pin(writer.write(table.clone(), vec![mutation]))
        };
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
        assert!(
            requests.try_recv().is_err(),
            "the large one is not alone yet"
        );
        drop(queued);
        assert!((&mut large).now_or_never().is_none());
        assert!(requests.try_recv().is_ok());
    }

    #[test]
    fn a_write_without_an_answer_is_uncertain() {
        let (mut writer, requests) = idle_writer(1, 1);
        writer.thread = Some(std::thread::spawn(move || drop(requests.recv())));
        let error = block_on(writer.run(create("t"))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uncertain);
        assert_eq!(
            error.to_string(),
            "the writer ended before it answered; the write may or may not be in force: open the \
             directory again and check"
        );
    }
}
