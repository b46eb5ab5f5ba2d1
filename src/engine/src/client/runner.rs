//! Retries of a transaction until it commits.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, Result, Timestamp};
use tokio::time::{Instant, sleep};
use tracing::{Instrument, debug};

use crate::context::{Pauses, Shared, Turn, cut};
use crate::options::{DURATIONS, options};
use crate::transaction::{
    CommitError, CommitInfo, Conflict, ConflictCause, OwnedTransaction, Transaction, Trigger,
};

/// A runner of bodies as transactions. It repeats each body until it commits, within a
/// [`RetryPolicy`].
///
/// # Examples
///
/// ```
/// # use fluo_engine::{Instance, InstanceExt};
/// use fluo_engine::RetryDecision;
/// use fluo_engine::Column;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// # let fluo = Instance::in_memory();
/// # let client = fluo.application("bank").create().await?;
/// let column = Column::new("page", "visits");
/// let visits = client
///     .runner()
///     .on_retry(|attempt| {
///         eprintln!("attempt {}: {}", attempt.number, attempt.error);
///         if attempt.number < 3 { attempt.policy_decision } else { RetryDecision::GiveUp }
///     })
///     .run(async |tx| {
///         let before = tx.get("org.wikipedia", &column).await?;
///         let visits = before.map_or(0, |visits| visits.len()) + 1;
///         tx.set("org.wikipedia", &column, vec![b'|'; visits])?;
///         Ok::<_, fluo_engine::Error>(visits)
///     })
///     .await?;
/// assert_eq!(visits, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runner {
    pub(crate) client: Arc<Shared>,
    policy: RetryPolicy,
    hook: Option<Hook>,
    pub(crate) trigger: Option<Trigger>,
}

type Hook = Arc<dyn Fn(&Attempt<'_>) -> RetryDecision + Send + Sync>;

options! {
    /// The limits and pauses for retries of a transaction that conflicted or became stale. Every
    /// run checks them.
    #[derive(Copy)]
    #[must_use]
    pub struct RetryPolicy set on RetryPolicy [] {
        /// Sets the maximum number of attempts; `None` sets no limit but the time. Default: `None`.
        max_attempts: Option<NonZeroU32> = None, in ..;

        /// Sets the time since the start of the first attempt after which a failed attempt is the
        /// last. The last attempt may begin one pause later than that. Default: 10 minutes.
        ///
        /// A lock whose owner hangs is rolled back after
        /// [`rollback_after`](crate::ClientOptions::rollback_after). A run with a shorter limit
        /// fails because of one such lock. So the default limit of a client's runner is at least
        /// twice as long, unless you [set](Runner::retry) a policy.
        max_elapsed: Duration = Duration::from_secs(600), in ..;

        /// Sets the pause before the second attempt. Each further one is twice as long, and each is
        /// shortened by up to a half. A pause is longer if runs of several clients have
        /// conflicted at the same cell. Default: 1 millisecond.
        first_pause: Duration = Duration::from_millis(1), in DURATIONS;

        /// Sets the longest pause. Default: 1 second.
        max_pause: Duration = Duration::from_secs(1), in DURATIONS;
    }
    growing first_pause to max_pause;
}

impl RetryPolicy {
    /// Returns the default policy.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A failed attempt that may succeed if it is repeated.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The number of the attempt; the first is 1.
    pub number: u32,
    /// The start timestamp of the attempt.
    pub start: Timestamp,
    /// The time since the first attempt began.
    pub elapsed: Duration,
    /// The error of the attempt.
    pub error: &'a CommitError,
    /// The decision of the policy.
    pub policy_decision: RetryDecision,
}

/// A decision about a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// The next attempt begins after a pause.
    RetryAfter(Duration),
    /// The run returns the error.
    GiveUp,
}

impl Runner {
    pub(crate) fn new(client: Arc<Shared>) -> Self {
        let rollback_after = client.options.rollback_after;
        let usual = RetryPolicy::new();
        Self {
            client,
            policy: usual.max_elapsed(usual.max_elapsed.max(rollback_after.saturating_mul(2))),
            hook: None,
            trigger: None,
        }
    }

    /// Sets the policy. A run with a `max_elapsed` of at most
    /// [`rollback_after`](crate::ClientOptions::rollback_after) ends before the lock of a hanging
    /// owner is rolled back.
    #[must_use]
    pub fn retry(self, policy: RetryPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Sets a hook that decides about each failed attempt. It receives the decision of the policy,
    /// and its return value replaces that decision.
    #[must_use]
    pub fn on_retry(
        self,
        hook: impl Fn(&Attempt<'_>) -> RetryDecision + Send + Sync + 'static,
    ) -> Self {
        Self { hook: Some(Arc::new(hook)), ..self }
    }

    /// Runs a body as a transaction until it commits, and returns the body's result.
    ///
    /// If the run is dropped, it starts no further attempt, but a commit in progress continues.
    ///
    /// Runs of one client that conflict on the same cell take turns: after its pause, a retry waits
    /// until the run whose turn it is has ended, or its turn has lasted for five seconds. The first
    /// attempt of a run waits too if it is about to write such a cell, unless it is the only
    /// attempt. Then its body runs again, which does not count as an attempt. Other clients do not
    /// wait. Therefore the pauses grow if runs conflict in their turns.
    ///
    /// A run of the same client within the body takes no turn, because it could wait for the outer
    /// one. If the body spawns it as a task and awaits that, it can wait for five seconds.
    ///
    /// The body runs once for each attempt, with a new transaction. It cannot commit the
    /// transaction:
    ///
    /// ```compile_fail,E0599
    /// # use fluo_engine::{Client, Column, Error};
    /// # async fn commits_by_itself(client: &Client) -> Result<(), Error> {
    /// client
    ///     .run(async |tx| {
    ///         tx.set("alice", &Column::new("account", "balance"), "100")?;
    ///         tx.commit().await?;
    ///         Ok::<_, Error>(())
    ///     })
    ///     .await
    /// # }
    /// ```
    ///
    /// The body may borrow its surroundings, but cannot change them, because a retry would repeat
    /// the change:
    ///
    /// ```compile_fail,E0594
    /// # use fluo_engine::{Client, Column, Error};
    /// # async fn counts_twice(client: &Client) -> Result<(), Error> {
    /// let mut visits = 0;
    /// client
    ///     .run(|tx| {
    ///         visits += 1;
    ///         async move { tx.set("org.wikipedia", &Column::new("page", "visits"), "1") }
    ///     })
    ///     .await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// An error of the body ends the run, and nothing is written. All other errors are an
    /// [`Error`], converted into the body's error type. A conflict after the last retry is
    /// [`Unavailable`](crate::ErrorKind::Unavailable), with the [`Conflict`] as its
    /// source. Nothing was written, unless the kind is [`Uncertain`](crate::ErrorKind::Uncertain).
    pub async fn run<T, E, F>(&self, body: impl Fn(Transaction) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        let (result, _) = self.run_committed(body).await?;
        Ok(result)
    }

    /// Runs a body like [`run`](Self::run), and also returns the timestamps of the committed
    /// transaction.
    ///
    /// # Errors
    ///
    /// The same as [`run`](Self::run).
    pub async fn run_committed<T, E, F>(
        &self,
        body: impl Fn(Transaction) -> F,
    ) -> Result<(T, CommitInfo), E>
    where
        F: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        match self.attempt_all(body).await {
            Ok(done) => Ok(done),
            Err(RunError::Body(error)) => Err(error),
            Err(RunError::Commit(error)) => Err(Error::from(error).into()),
        }
    }

    pub(crate) async fn attempt_all<T, E, F>(
        &self,
        body: impl Fn(Transaction) -> F,
    ) -> Result<(T, CommitInfo), RunError<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        self.policy.check().map_err(|error| RunError::Commit(error.into()))?;
        let begun = Instant::now();
        let mut pauses = Pauses::new(self.policy.first_pause, self.policy.max_pause);
        let left = || self.policy.max_elapsed.saturating_sub(begun.elapsed());
        let turns = Some(&self.client.turns).filter(|turns| !turns.are_around());
        let mut turn: Option<Turn> = None;
        let mut may_yield = turns.is_some() && self.policy.max_attempts != Some(NonZeroU32::MIN);
        let mut number: u32 = 0;
        loop {
            let attempt_begun = Instant::now();
            let transaction = OwnedTransaction::begin(&self.client, self.trigger.clone())
                .await
                .map_err(|error| RunError::Commit(error.into()))?;
            let span = transaction.state.start.span.clone();
            let ran = body(transaction.handle()).instrument(span);
            let done = Turn::during(turn.as_ref(), ran).await;
            if done.is_ok()
                && std::mem::take(&mut may_yield)
                && let Some(cell) = transaction.state.taken_cell()
            {
                debug!(%cell, "a first attempt waits for its turn");
                // The result may hold what the run needs whose turn it is.
                drop((done, transaction));
                turn = self.client.turns.wait(&[cell], None, left()).await;
                continue;
            }
            number = number.saturating_add(1);
            let (start, error) = match finish(transaction, done).await {
                Ok(done) => return Ok(done),
                Err((start, RunError::Commit(error))) if error.is_temporary() => (start, error),
                Err((_, other)) => return Err(other),
            };
            let elapsed = begun.elapsed();
            let mut pause = pauses.next_pause();
            let conflict = match &error {
                CommitError::Conflict(conflict) => Some(conflict),
                _ => None,
            };
            if let (Some(turn), Some(conflict)) = (&turn, conflict)
                && turn.is_at(&conflict.cells)
                && !self.is_with_own_lock(conflict)
            {
                let in_turn = turn.next_pause(attempt_begun.elapsed());
                pause = pause.max(in_turn.min(self.policy.max_pause));
            }
            let pause = cut(pause, start.get());
            let is_last = self.policy.max_attempts.is_some_and(|most| number >= most.get())
                || elapsed >= self.policy.max_elapsed;
            let policy_decision =
                if is_last { RetryDecision::GiveUp } else { RetryDecision::RetryAfter(pause) };
            let attempt = Attempt { number, start, elapsed, error: &error, policy_decision };
            let decision = self.hook.as_ref().map_or(policy_decision, |hook| hook(&attempt));
            debug!(%start, number, ?decision, "an attempt failed");
            match decision {
                RetryDecision::GiveUp => return Err(RunError::Commit(error)),
                RetryDecision::RetryAfter(pause) => sleep(pause).await,
            }
            metrics::counter!("fluo_transaction_retries_total").increment(1);
            if let (Some(turns), Some(conflict)) = (turns, conflict) {
                turn = turns.wait(&conflict.cells, turn, left()).await;
            }
        }
    }

    /// Returns `true` if a conflict is with a lock of this client.
    fn is_with_own_lock(&self, conflict: &Conflict) -> bool {
        let Some(ConflictCause::Locking { transactor, .. }) = conflict.other else {
            return false;
        };
        transactor == self.client.transactor()
    }
}

/// Commits the writes of a body, unless it has failed. An error comes with the start.
async fn finish<T, E>(
    transaction: OwnedTransaction,
    done: Result<T, E>,
) -> Result<(T, CommitInfo), (Timestamp, RunError<E>)> {
    let start = transaction.start();
    let error = match done {
        Ok(result) => match transaction.commit().await {
            Ok(committed) => return Ok((result, committed)),
            Err(error) => RunError::Commit(error),
        },
        // A body that fails because its snapshot has become stale is retried.
        Err(error) => match transaction.state.stale() {
            Some(stale) => RunError::Commit(CommitError::SnapshotTooOld(stale)),
            None => RunError::Body(error),
        },
    };
    Err((start, error))
}

#[derive(Debug)]
pub(crate) enum RunError<E> {
    Body(E),
    Commit(CommitError),
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("policy", &self.policy).finish_non_exhaustive()
    }
}
