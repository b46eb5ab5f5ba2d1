//! The conditional writer, which combines the mutations of many tasks into calls.
//!
//! ```text
//! ConditionalWriter   checks, waits for a place, queues              mod.rs
//! Gatherer            a task: combines waiting mutations into calls  batcher.rs
//! Lanes               the calls under way, and what may leave next   lanes.rs
//! Link                the handle on the proxy, and one call          session.rs
//! ```

mod batcher;
mod lanes;
mod session;

use std::fmt;
use std::mem::take;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use self::batcher::{Claim, Gatherer, Item};
use self::session::Link;
use super::byte_permits::BytePermits;
use super::validate::Limit;
use crate::client::ProxyClient;
use crate::data::{ConditionalMutation, ConditionalOutcome, ConditionalWriterOptions};
use crate::error::{Error, ErrorKind, Result};

/// A writer for conditional mutations, which returns the outcome of each mutation. A clone is
/// another handle to the same writer.
///
/// # Gathering
///
/// One call contains rows of many tasks: the mutations that wait while a call is under way become
/// the next call, up to [`rows_per_call`](field@ConditionalWriterOptions::rows_per_call) and 1 MiB.
/// If a call takes longer than 10 ms, or if 48 different rows wait, the next one leaves beside it,
/// up to [`calls_in_flight`](field@ConditionalWriterOptions::calls_in_flight). A row is in one call
/// at a time: mutations of one row are sent in the order of their arrival, each after the previous
/// one has its outcome.
///
/// While a call takes longer than half a second, a tablet may not respond. Then at most one call
/// has rows of several tablets, each other call has rows of one tablet, and a tablet has one such
/// call at a time; two more calls are allowed. So one tablet that does not respond does not stop
/// the rows of the others.
///
/// # Outcomes
///
/// - `Err` means that for certain nothing was written.
/// - If the call broke, had no answer in time, or failed, the outcome of each row of the call is
///   [`Unknown`](ConditionalOutcome::Unknown), because a proxy that fails at one row reports
///   nothing about the others. Mutations at which a proxy would fail are therefore rejected before
///   they are sent, as far as the client can detect them.
/// - A mutation that no call contains within the
///   [`call_timeout`](field@crate::ProxyOptions::call_timeout) is
///   [`TimedOut`](ErrorKind::TimedOut), and certainly not written.
/// - After `Unknown` with an error, the proxy may still be working on the mutation, and may write
///   it after a later mutation of the same row was decided. The proxy gives up after the
///   [`timeout`](field@ConditionalWriterOptions::timeout) of the options, counted from its start of
///   the request; a request that waits in the proxy for a thread starts later.
/// - If a caller is dropped, its mutation may be written or not, and no other mutation is affected.
/// - If the proxy no longer has the writer (it was restarted, or ten idle minutes passed), the call
///   had no effect: the writer is reopened, and the call is repeated.
///
/// The writer is opened on the proxy at the first write, and closed when the last clone is dropped.
#[derive(Clone)]
pub struct ConditionalWriter {
    link: Arc<Link>,
    limit: Limit,
    permits: BytePermits,
    queue: mpsc::UnboundedSender<Vec<Item>>,
}

/// The outcome for which a caller waits, as far as its mutation is queued.
struct Waiting {
    since: Instant,
    claim: Claim,
    answer: oneshot::Receiver<Result<ConditionalOutcome>>,
}

impl ProxyClient {
    /// Creates a writer for conditional mutations. It makes no call before the first mutation.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub fn conditional_writer(
        &self,
        table: impl Into<String>,
        options: ConditionalWriterOptions,
    ) -> ConditionalWriter {
        let permits = BytePermits::new(options.max_waiting_bytes);
        let link = Arc::new(Link::new(self.clone(), table.into(), options));
        let queue = Gatherer::spawn(Arc::clone(&link));
        let limit = Limit::new(self.options().max_request_bytes, 0);
        ConditionalWriter { link, limit, permits, queue }
    }
}

impl ConditionalWriter {
    /// Writes a mutation if its conditions hold.
    ///
    /// # Errors
    ///
    /// Nothing was written. [`Invalid`](ErrorKind::Invalid): the mutation has no condition, no
    /// update, an invalid visibility, or conflicting iterators. [`TooLarge`](ErrorKind::TooLarge),
    /// [`TableNotFound`](ErrorKind::TableNotFound), [`Security`](ErrorKind::Security),
    /// [`Unreachable`](ErrorKind::Unreachable)..
    pub async fn write(&self, mutation: ConditionalMutation) -> Result<ConditionalOutcome> {
        let mut outcomes = self.write_all(vec![mutation]).await?;
        Ok(outcomes.swap_remove(0))
    }

    /// Writes each of the mutations whose conditions hold, and returns the outcomes in the order of
    /// the mutations. All are checked before the first is sent.
    ///
    /// # Errors
    ///
    /// No mutation was written. The error is that of the first mutation, as in
    /// [`write`](Self::write). If other mutations have an outcome, a mutation that was certainly
    /// not written is [`Unknown`](ConditionalOutcome::Unknown) with an error whose
    /// [`may_have_taken_effect`](Error::may_have_taken_effect) is false.
    pub async fn write_all(
        &self,
        mutations: Vec<ConditionalMutation>,
    ) -> Result<Vec<ConditionalOutcome>> {
        let checked = mutations.into_iter().map(|mutation| {
            let bytes = self.limit.check_conditional(&mutation);
            Ok((bytes.map_err(|(kind, reason)| self.link.error(kind, reason))?, mutation))
        });
        let mut results = Vec::new();
        for waiting in self.queue(checked.collect::<Result<_>>()?).await {
            results.push(self.wait(waiting).await);
        }
        if results.iter().all(Result::is_err) {
            return results.into_iter().collect();
        }
        let unknown = |error| ConditionalOutcome::Unknown(Some(error));
        Ok(results.into_iter().map(|result| result.unwrap_or_else(unknown)).collect())
    }

    /// Queues mutations in one message, or in several if it has to wait for permits.
    async fn queue(&self, mutations: Vec<(usize, ConditionalMutation)>) -> Vec<Waiting> {
        let (mut waiting, mut items) = (Vec::new(), Vec::new());
        for (bytes, mutation) in mutations {
            let permit = match self.permits.try_take(bytes) {
                Some(permit) => permit,
                None => {
                    // Their permits become free only after they have left.
                    self.send(take(&mut items));
                    self.permits.take(bytes).await
                }
            };
            let (since, claim) = (Instant::now(), Claim::default());
            let (sender, answer) = oneshot::channel();
            waiting.push(Waiting { since, claim: claim.clone(), answer });
            items.push(Item { mutation, bytes, since, claim, permit, answer: sender });
        }
        self.send(items);
        waiting
    }

    fn send(&self, items: Vec<Item>) {
        // Without the task the items are dropped, which their callers notice.
        let _ = self.queue.send(items);
    }

    async fn wait(&self, mut waiting: Waiting) -> Result<ConditionalOutcome> {
        let limit = self.link.patience();
        let left = limit.saturating_sub(waiting.since.elapsed());
        let answered = timeout(left, &mut waiting.answer).await;
        let is_sent = !waiting.claim.take();
        let outcome = match answered {
            Ok(answered) => answered.ok(),
            Err(_) if is_sent => waiting.answer.await.ok(),
            Err(_) => None,
        };
        match outcome {
            Some(outcome) => outcome,
            None if is_sent => {
                Ok(ConditionalOutcome::Unknown(Some(self.ended().with_possible_effect(true))))
            }
            None if waiting.since.elapsed() >= limit => {
                let reason = format!("not sent within {limit:?}: it waited for other mutations");
                Err(self.link.error(ErrorKind::TimedOut, reason))
            }
            None => Err(self.ended()),
        }
    }

    fn ended(&self) -> Error {
        let reason = "the task of the writer has ended with its runtime";
        self.link.error(ErrorKind::Unreachable, reason)
    }
}

impl fmt::Debug for ConditionalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionalWriter").field("table", &self.link.table).finish_non_exhaustive()
    }
}
