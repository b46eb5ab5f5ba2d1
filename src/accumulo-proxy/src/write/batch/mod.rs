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

mod options;
mod sender;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tokio::sync::{OnceCell, mpsc, oneshot};

pub use self::options::BatchWriterOptions;
use self::sender::{Job, Lane, Shared};
use super::validate::Limit;
use crate::client::ProxyClient;
use crate::data::{Bytes, Mutation};
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface as wire;
use crate::write::byte_permits::Waiting;

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
    waiting: Waiting,
    limit: OnceCell<Limit>,
    lanes: Vec<mpsc::UnboundedSender<Job>>,
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
        let shared = Arc::new(Shared::new(self.clone(), table.into()));
        let lanes =
            (0..options.calls_in_flight.get()).map(|_| Lane::spawn(Arc::clone(&shared))).collect();
        BatchWriter {
            shared,
            waiting: Waiting::new(options.max_waiting_bytes.get()),
            limit: OnceCell::new(),
            lanes,
        }
    }
}

impl BatchWriter {
    /// Queues a mutation. After `Ok`, the mutation is written when a later [`flush`](Self::flush)
    /// returns `Ok`. If the future is dropped while it waits, nothing is added.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid), [`TooLarge`](ErrorKind::TooLarge): this mutation cannot be
    /// sent, and the writer still works. The writer also still works after an error of the `login`
    /// before the first mutation. Any other error is the one that broke the writer.
    pub async fn add(&self, mutation: Mutation) -> Result<()> {
        self.shared.check()?;
        let limit = self.limit().await?;
        let bytes = limit
            .check(&mutation)
            .map_err(|refusal| self.shared.client.write_refused(&self.shared.table, refusal))?;
        let place = self.waiting.place(bytes).await;
        self.shared.check()?;
        let lane = self.lane(&mutation.row);
        self.queue(lane, Job::Write(mutation, bytes, place))
    }

    /// Waits until everything that was added before is written.
    ///
    /// # Errors
    ///
    /// The error that broke the writer. Mutations that were added since the last `flush` that
    /// returned `Ok` may be written or not.
    pub async fn flush(&self) -> Result<()> {
        let mut answers = Vec::new();
        for lane in self.lanes.iter() {
            let (done, answer) = oneshot::channel();
            self.queue(Some(lane), Job::Flush(done))?;
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

    async fn limit(&self) -> Result<Limit> {
        let Shared { client, table, .. } = &*self.shared;
        let limit = self.limit.get_or_try_init(|| async {
            let token = client.token().await?;
            Ok(client.write_limit(table, &token))
        });
        limit.await.copied()
    }

    /// Returns the lane of a row. A row always has the same lane, so its mutations keep their
    /// order.
    fn lane(&self, row: &Bytes) -> Option<&mpsc::UnboundedSender<Job>> {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        let lanes = u64::try_from(self.lanes.len()).ok()?;
        let lane = hasher.finish().checked_rem(lanes)?;
        self.lanes.get(usize::try_from(lane).ok()?)
    }

    fn queue(&self, lane: Option<&mpsc::UnboundedSender<Job>>, job: Job) -> Result<()> {
        let sent = lane.is_some_and(|lane| lane.send(job).is_ok());
        sent.then_some(()).ok_or_else(|| self.ended())
    }

    fn ended(&self) -> Error {
        let reason = "the tasks of the writer have ended with their runtime";
        let call = wire::UpdateAndFlushRequest::NAME;
        let table = Some(self.shared.table.as_str());
        self.shared
            .client
            .error(ErrorKind::Unreachable, call, table, reason)
            .with_possible_effect(true)
    }
}

impl Drop for BatchWriter {
    fn drop(&mut self) {
        self.shared.give_up();
    }
}
