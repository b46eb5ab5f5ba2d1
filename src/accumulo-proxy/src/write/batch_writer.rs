//! The batch writer: many mutations from many tasks, through a queue.
//!
//! ```text
//! add ── bound in bytes ──┬── lane 0: one call at a time ── updateAndFlush
//!                         ├── lane 1
//!                         └── lane ..       a row always goes to the lane of its hash
//! ```
//!
//! A lane writes the waiting mutations as soon as its previous call has returned. Calls therefore
//! grow under load, and there is no timer.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::byte_permits::BytePermits;
use super::direct::CALL_BYTES;
use crate::client::ProxyClient;
use crate::data::{Bytes, Mutation};
use crate::error::{Error, ErrorKind, Result};

/// Options of a [`BatchWriter`].
///
/// # Examples
///
/// ```
/// use accumulo_proxy::BatchWriterOptions;
///
/// let options = BatchWriterOptions::default().calls_in_flight(4.try_into().unwrap());
/// assert_eq!(options.calls_in_flight.get(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct BatchWriterOptions {
    /// Maximum number of concurrent calls; 3 unless set. Each uses one of the client's connections.
    /// All mutations of a row use the same lane of calls.
    pub calls_in_flight: NonZeroUsize,
    /// Maximum number of bytes of mutations that were added and are not written yet; 16 MiB unless
    /// set. A longer mutation waits until it is alone.
    pub max_waiting_bytes: NonZeroUsize,
}

impl Default for BatchWriterOptions {
    fn default() -> Self {
        Self {
            calls_in_flight: const { NonZeroUsize::new(3).unwrap() },
            max_waiting_bytes: const { NonZeroUsize::new(16 * 1024 * 1024).unwrap() },
        }
    }
}

setters! { BatchWriterOptions { calls_in_flight: NonZeroUsize, max_waiting_bytes: NonZeroUsize, } }

/// A writer for the mutations of many tasks, with many mutations in one call and several calls at a
/// time.
///
/// - [`add`](Self::add) queues a mutation, and waits while too many bytes are queued.
/// - [`flush`](Self::flush) returns when all mutations that any task added before are written, with
///   the durability of the table.
/// - Mutations of one row are written in the order in which they were added. Mutations of different
///   rows have no order.
/// - After a failed call the writer accepts no more mutations: every later `add`, `flush` and
///   `close` returns the error.
/// - Dropping the writer without [`close`](Self::close) discards the mutations that no call
///   contains yet. Its tasks end by themselves.
#[derive(Debug)]
pub struct BatchWriter {
    shared: Arc<Shared>,
    permits: BytePermits,
    lanes: Vec<mpsc::UnboundedSender<Job>>,
}

#[derive(Debug)]
struct Shared {
    client: ProxyClient,
    table: String,
    /// The error that broke the writer.
    failure: OnceLock<Error>,
    is_dropped: AtomicBool,
}

#[derive(Debug)]
enum Job {
    /// A mutation, its size in bytes, and its part of the waiting bytes.
    Write(Mutation, usize, OwnedSemaphorePermit),
    /// A request for an answer when all earlier jobs are done.
    Flush(oneshot::Sender<()>),
}

impl ProxyClient {
    /// Creates a writer for many mutations. It makes no call before the first mutation.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub fn batch_writer(
        &self,
        table: impl Into<String>,
        options: BatchWriterOptions,
    ) -> BatchWriter {
        let shared = Arc::new(Shared {
            client: self.clone(),
            table: table.into(),
            failure: OnceLock::new(),
            is_dropped: AtomicBool::new(false),
        });
        let lane = |_| {
            // The permits limit the bytes that wait in the lane.
            let (sender, jobs) = mpsc::unbounded_channel();
            tokio::spawn(run_lane(jobs, Arc::clone(&shared)));
            sender
        };
        let lanes = (0..options.calls_in_flight.get()).map(lane).collect();
        BatchWriter { permits: BytePermits::new(options.max_waiting_bytes), lanes, shared }
    }
}

impl BatchWriter {
    /// Queues a mutation. After `Ok`, the mutation is written when a later [`flush`](Self::flush)
    /// returns `Ok`. If the future is dropped while it waits, nothing is added.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid), [`TooLarge`](ErrorKind::TooLarge): this mutation cannot be
    /// sent, and the writer still works, as after an error of the login before the first mutation.
    /// Any other error is the one that broke the writer.
    pub async fn add(&self, mutation: Mutation) -> Result<()> {
        let Shared { client, table, .. } = &*self.shared;
        self.shared.check()?;
        let checked = client.write_limit(table).check(&mutation);
        let bytes = checked.map_err(|refusal| client.write_refused(table, refusal))?;
        client.token().await?;
        let permit = self.permits.take(bytes).await;
        self.shared.check()?;
        self.queue(self.lane(&mutation.row), Job::Write(mutation, bytes, permit))
    }

    /// Waits until everything that was added before is written.
    ///
    /// # Errors
    ///
    /// The error that broke the writer. Mutations that were added since the last `flush` that
    /// returned `Ok` may be written or not.
    pub async fn flush(&self) -> Result<()> {
        let mut answers = Vec::new();
        for lane in &self.lanes {
            let (done, answer) = oneshot::channel();
            self.queue(lane, Job::Flush(done))?;
            answers.push(answer);
        }
        for answer in answers {
            answer.await.map_err(|_| self.ended())?;
        }
        self.shared.check()
    }

    /// Flushes and ends the writer.
    ///
    /// # Errors
    ///
    /// The same as [`flush`](Self::flush).
    pub async fn close(self) -> Result<()> {
        self.flush().await
    }

    /// Returns the lane of a row. A row always has the same lane, so its mutations keep their
    /// order.
    fn lane(&self, row: &Bytes) -> &mpsc::UnboundedSender<Job> {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        let hash = usize::try_from(hasher.finish() >> 32).unwrap_or_default();
        self.lanes.get(hash % self.lanes.len()).expect("a writer has at least one lane")
    }

    fn queue(&self, lane: &mpsc::UnboundedSender<Job>, job: Job) -> Result<()> {
        lane.send(job).map_err(|_| self.ended())
    }

    fn ended(&self) -> Error {
        let reason = "the tasks of the writer have ended with their runtime";
        let refusal = (ErrorKind::Unreachable, reason.to_owned());
        let Shared { client, table, .. } = &*self.shared;
        client.write_refused(table, refusal).with_possible_effect(true)
    }
}

impl Drop for BatchWriter {
    fn drop(&mut self) {
        self.shared.is_dropped.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    fn check(&self) -> Result<()> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    async fn write(&self, mutations: Vec<Mutation>) {
        let is_over = self.is_dropped.load(Ordering::Relaxed) || self.failure.get().is_some();
        if mutations.is_empty() || is_over {
            return;
        }
        if let Err(error) = self.client.write(&self.table, mutations).await {
            // Other calls may have written before this one or concurrently.
            let error = error.with_possible_effect(true);
            // The first error counts; later errors are its consequences, or repeat it.
            let _ = self.failure.set(error);
        }
    }
}

/// Writes the jobs of a lane, one call at a time, until the writer is dropped.
async fn run_lane(mut jobs: mpsc::UnboundedReceiver<Job>, shared: Arc<Shared>) {
    while let Some(job) = jobs.recv().await {
        let (mut mutations, mut permits, mut flushes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut next, mut total) = (Some(job), 0_usize);
        while let Some(job) = next {
            match job {
                Job::Write(mutation, bytes, permit) => {
                    mutations.push(mutation);
                    permits.push(permit);
                    total += bytes;
                }
                Job::Flush(done) => flushes.push(done),
            }
            next = if total < CALL_BYTES { jobs.try_recv().ok() } else { None };
        }
        shared.write(mutations).await;
        drop(permits);
        for flush in flushes {
            // The caller of a flush may be cancelled, and then needs no answer.
            let _ = flush.send(());
        }
    }
}
