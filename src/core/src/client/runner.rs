//! Running a transaction until it commits.

use std::fmt;
use std::future::Future;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::{Instrument, debug};

use crate::client::Client;
use crate::data::Timestamp;
use crate::error::{Error, Result};
use crate::transaction::{CommitError, Committed, Open, Transaction, Trigger};

/// Runs bodies as transactions, again and again until one commits, as far as a [`RetryPolicy`] goes.
///
/// ```
/// # use fluo_core::Instance;
/// use fluo_core::{Column, Decision};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_core::Result<()> {
/// # let fluo = Instance::in_memory();
/// # let client = fluo.application("bank").create().await?;
/// let column = Column::new("page", "visits");
/// let visits = client
///     .runner()
///     .before_decision(|attempt| {
///         eprintln!("attempt {}: {}", attempt.number, attempt.error);
///         if attempt.number < 3 { attempt.planned } else { Decision::GiveUp }
///     })
///     .run(async |tx| {
///         let before = tx.get("org.wikipedia", &column).await?;
///         let visits = before.map_or(0, |visits| visits.len()) + 1;
///         tx.set("org.wikipedia", &column, vec![b'|'; visits])?;
///         Ok::<_, fluo_core::Error>(visits)
///     })
///     .await?;
/// assert_eq!(visits, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runner {
    client: Client,
    policy: RetryPolicy,
    hook: Option<Hook>,
    pub(crate) trigger: Option<Trigger>,
}

type Hook = Arc<dyn Fn(&Attempt<'_>) -> Decision + Send + Sync>;

/// How often, and after which pauses, a transaction is run again that met another one or had become stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Most attempts; none is as many as the time allows. Default: none.
    pub max_attempts: Option<NonZeroU32>,
    /// The time since the first attempt began, after which one that fails is the last. So the last one may begin a pause
    /// later than that. Default: 10 minutes.
    ///
    /// A lock whose owner hangs is rolled back after [`rollback_after`](crate::ClientSettings::rollback_after). A run that
    /// ends before that fails because of one such lock. So the runner of a client lasts at least twice as long, unless a
    /// policy is [set](Runner::retry).
    pub max_elapsed: Duration,
    /// The pause before the second attempt; each is twice the one before, and cut by up to a half. Default: 1
    /// millisecond.
    pub first_pause: Duration,
    /// The longest pause. Default: 1 second.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: None,
            max_elapsed: Duration::from_secs(600),
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_secs(1),
        }
    }
}

/// An attempt that failed in a way that another one may not.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// Which it was; the first is 1.
    pub number: u32,
    /// Where it read.
    pub start: Timestamp,
    /// Time since the first attempt began.
    pub elapsed: Duration,
    /// What it met.
    pub error: &'a CommitError,
    /// What the policy is going to do.
    pub planned: Decision,
}

/// What happens after an attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The next one begins after a pause.
    RetryAfter(Duration),
    /// The error is returned.
    GiveUp,
}

impl Runner {
    pub(crate) fn new(client: Client) -> Self {
        let rollback_after = client.shared.settings.rollback_after;
        let usual = RetryPolicy::default();
        Self {
            client,
            policy: RetryPolicy {
                max_elapsed: usual.max_elapsed.max(rollback_after.saturating_mul(2)),
                ..usual
            },
            hook: None,
            trigger: None,
        }
    }

    /// Sets the policy. A run whose `max_elapsed` is not above [`rollback_after`](crate::ClientSettings::rollback_after) ends
    /// before a lock is rolled back whose owner hangs.
    #[must_use]
    pub fn retry(self, policy: RetryPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Sets what is asked before each decision about an attempt that failed. It sees what the policy is going to do,
    /// and its answer is what is done.
    #[must_use]
    pub fn before_decision(
        self,
        hook: impl Fn(&Attempt<'_>) -> Decision + Send + Sync + 'static,
    ) -> Self {
        Self {
            hook: Some(Arc::new(hook)),
            ..self
        }
    }

    /// Runs a body as a transaction until it commits, and gives its result.
    ///
    /// A run that is dropped begins nothing more; a commit that is under way then goes on.
    ///
    /// The body is run once for each attempt, with a transaction of its own. It cannot commit it:
    ///
    /// ```compile_fail,E0599
    /// # use fluo_core::{Client, Column, Error};
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
    /// It may borrow its surroundings, and cannot change them: what an attempt that failed has changed would be changed
    /// twice. (What changes behind a shared reference, such as a counter of attempts, is its own affair.)
    ///
    /// ```compile_fail,E0594
    /// # use fluo_core::{Client, Column, Error};
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
    /// What the body fails with ends the run; nothing was written then. Everything else comes as an
    /// [`Error`], made into the body's error type: a conflict that the policy gave up on is
    /// [`Unavailable`](crate::ErrorKind::Unavailable), with the [`Conflict`](crate::Conflict) as its source. Nothing was
    /// written, unless the kind is [`Uncertain`](crate::ErrorKind::Uncertain).
    pub async fn run<T, E, F>(&self, body: impl Fn(Transaction) -> F) -> Result<T, E>
    where
        F: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        let (result, _) = self.run_committed(body).await?;
        Ok(result)
    }

    /// As [`run`](Self::run), and gives the timestamps of the transaction that committed as well.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_committed<T, E, F>(
        &self,
        body: impl Fn(Transaction) -> F,
    ) -> Result<(T, Committed), E>
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
    ) -> Result<(T, Committed), RunError<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        let begun = Instant::now();
        let mut pause = self.policy.first_pause;
        for number in 1.. {
            let open = Open::begin(&self.client.shared, self.trigger.clone())
                .await
                .map_err(|error| RunError::Commit(error.into()))?;
            let start = open.reading().start();
            let ended = Ended(&open);
            let attempted = attempt(&open, body(open.handle())).await;
            drop(ended);
            let error = match attempted {
                Ok(done) => return Ok(done),
                Err(RunError::Commit(
                    error @ (CommitError::Conflict(_) | CommitError::Stale(_)),
                )) => error,
                Err(other) => return Err(other),
            };
            drop(open);
            let attempt = Attempt {
                number,
                start,
                elapsed: begun.elapsed(),
                error: &error,
                planned: self.planned(number, begun.elapsed(), pause, start),
            };
            let decision = self
                .hook
                .as_ref()
                .map_or(attempt.planned, |hook| hook(&attempt));
            debug!(%start, number, ?decision, "an attempt failed");
            match decision {
                Decision::GiveUp => return Err(RunError::Commit(error)),
                Decision::RetryAfter(pause) => sleep(pause).await,
            }
            metrics::counter!("fluo_transaction_retries_total").increment(1);
            pause = (pause * 2).min(self.policy.longest_pause);
        }
        // Attempts are counted to four billion; nobody waits for that.
        Err(RunError::Commit(CommitError::Failed(Error::new(
            crate::ErrorKind::Unavailable,
            "the transaction was given up after more attempts than can be counted",
        ))))
    }

    fn planned(
        &self,
        number: u32,
        elapsed: Duration,
        pause: Duration,
        start: Timestamp,
    ) -> Decision {
        let has_attempts = self
            .policy
            .max_attempts
            .is_none_or(|most| number < most.get());
        if !has_attempts || elapsed >= self.policy.max_elapsed {
            return Decision::GiveUp;
        }
        Decision::RetryAfter(super::backoff::cut(pause, start.get()))
    }
}

/// Lets the body of an attempt end, and commits what it has written.
async fn attempt<T, E>(
    open: &Open,
    body: impl Future<Output = Result<T, E>>,
) -> Result<(T, Committed), RunError<E>> {
    let span = open.reading().span.clone();
    let ran = body.instrument(span).await;
    match ran {
        Ok(result) => match open.commit().await {
            Ok(committed) => Ok((result, committed)),
            Err(error) => Err(RunError::Commit(error)),
        },
        Err(error) => {
            open.end();
            // A body that fails because its snapshot has become stale has not decided anything.
            match open.reading().stale() {
                Some(stale) => Err(RunError::Commit(CommitError::Stale(stale))),
                None => Err(RunError::Body(error)),
            }
        }
    }
}

/// Ends a transaction however the body ends: a handle may outlive a body that panicked or was dropped.
struct Ended<'a>(&'a Open);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Why a run ended without a commit.
#[derive(Debug)]
pub(crate) enum RunError<E> {
    /// The body failed.
    Body(E),
    /// The rest did.
    Commit(CommitError),
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
