//! The run of an observer for a notification, and the handling of its result.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fluo_table::coordination::{FailedNotification, ObserverKind};
use fluo_table::{Error, RowColumn, Timestamp};
use tracing::{Instrument, debug, debug_span, warn};

use crate::catch_panic::caught;
use crate::client::{RetryDecision, RunError};
use crate::observer::dead_letters::add_dead_letter;
use crate::observer::queue::Found;
use crate::observer::worker::WorkerState;
use crate::observer::{Observer, RetryAfter};
use crate::transaction::{CommitError, Trigger};

#[derive(Debug)]
enum Tried {
    /// The notifications of the cell are processed up to a timestamp.
    Done(Timestamp, &'static str),
    /// It failed for a reason other than the notification, and is retried, if the observer has
    /// said so, after a pause.
    Passing(Option<Duration>, String),
    /// It failed for a reason that may be permanent.
    Failed(String),
}

impl Tried {
    fn from_error(is_passing: bool, error: String) -> Self {
        if is_passing { Self::Passing(None, error) } else { Self::Failed(error) }
    }
}

impl WorkerState {
    /// Runs one notification after the other, until the queue is closed.
    pub(super) async fn run_observers(self: Arc<Self>) {
        while let Some(found) = self.queue.next().await {
            let span = debug_span!("notification", cell = %found.cell, at = %found.at);
            self.process(found).instrument(span).await;
        }
    }

    async fn process(&self, found: Found) {
        let tries = self.queue.tries(&found.cell).saturating_add(1);
        match self.attempt(&found, tries).await {
            Tried::Done(up_to, outcome) => {
                count(outcome);
                metrics::histogram!("fluo_notification_tries").record(tries);
                self.forget_record(&found.cell, up_to).await;
                let is_weak =
                    self.client.shared.observed(&found.cell.column) == Some(ObserverKind::Weak);
                let pause = if is_weak { self.limits.weak_pause } else { Duration::ZERO };
                self.queue.done(&found.cell, up_to, pause);
            }
            Tried::Passing(pause, error) => {
                count("passing");
                debug!(error, "a notification is retried later");
                self.queue.postpone(&found.cell, tries - 1, pause);
            }
            Tried::Failed(error) => {
                count("failed");
                self.failed(found, tries, error).await;
            }
        }
    }

    async fn attempt(&self, found: &Found, tries: u32) -> Tried {
        let Some((observed, observer)) = self.client.observers.get(&found.cell.column) else {
            let message = format!(
                "no observer of the column `{}` is declared in this program; declare one, or start a program that does",
                found.cell.column
            );
            return Tried::Failed(message);
        };
        // User code can panic outside of its future too: while it creates the future, and while it
        // formats an error.
        let what = format!("the observer `{}`", observed.id);
        let trigger = Trigger {
            cell: found.cell.clone(),
            notified_at: found.at,
            kind: observed.kind,
            is_last_try: tries >= self.limits.max_attempts.get(),
        };
        let tried = caught(&what, self.observe(&**observer, &what, found, trigger)).await;
        tried.unwrap_or_else(|panicked| Tried::Failed(panicked.to_string()))
    }

    async fn observe(
        &self,
        observer: &dyn Observer,
        what: &str,
        found: &Found,
        trigger: Trigger,
    ) -> Tried {
        let queue = self.queue.clone();
        let mut runner = self.client.runner().on_retry(move |attempt| {
            // A stop waits for the current attempts, but starts no further ones.
            if queue.is_closed() { RetryDecision::GiveUp } else { attempt.policy_decision }
        });
        runner.trigger = Some(trigger);
        let attempts = AtomicUsize::new(0);
        let ran = runner.attempt_all(|tx| {
            // The queue may have been closed while this retry waited for its turn.
            let is_first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
            let is_stopped = !is_first && self.queue.is_closed();
            let state = tx.state.clone();
            let RowColumn { row, column } = found.cell.clone();
            let observed = async move { observer.process(tx, row, column).await };
            async move {
                if is_stopped {
                    return Err(Tried::Passing(None, "the worker stops".to_owned()));
                }
                let error = match caught(what, observed).await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(error)) => match error.downcast_ref::<RetryAfter>() {
                        Some(later) => {
                            return Err(Tried::Passing(Some(later.pause()), later.to_string()));
                        }
                        None => FailedNotification::describe(&*error),
                    },
                    Err(panicked) => FailedNotification::describe(&panicked),
                };
                // An observer may wrap the error of a read in a way that hides its cause, so the
                // reader's record decides.
                Err(Tried::from_error(state.seen.lock().has_passing_failure, error))
            }
        });
        match ran.await {
            Ok(((), committed)) => Tried::Done(committed.start, "committed"),
            Err(RunError::Commit(CommitError::Acknowledged)) => {
                Tried::Done(found.at, "acknowledged")
            }
            Err(RunError::Commit(
                error @ (CommitError::Conflict(_) | CommitError::SnapshotTooOld(_)),
            )) => Tried::Passing(None, FailedNotification::describe(&Error::from(error))),
            Err(RunError::Commit(CommitError::Failed(error))) => {
                Tried::from_error(error.kind().is_passing(), FailedNotification::describe(&error))
            }
            Err(RunError::Body(tried)) => tried,
        }
    }

    /// Retries later, or moves the notification to the dead letters (O1: recorded first, then
    /// deleted from the table).
    async fn failed(&self, found: Found, tries: u32, error: String) {
        let Found { cell, at } = found;
        debug!(error, tries, "a notification failed");
        if tries < self.limits.max_attempts.get() {
            self.queue.postpone(&cell, tries, None);
            return;
        }
        let kind = self.client.shared.observed(&cell.column);
        let failed = FailedNotification {
            cell: cell.clone(),
            kind: kind.unwrap_or(ObserverKind::Strong),
            timestamp: at,
            tries,
            error,
            failed_at_ms: self.clock.now_ms(),
        };
        warn!(%cell, tries, error = failed.error, "a notification is moved to the dead letters");
        let added = add_dead_letter(&self.client.shared, failed).await;
        // This includes a failure: the record may be stored by then, and a later success has to
        // remove it.
        self.queue.dead_letters.lock().add(&cell);
        match added {
            Ok(()) => {
                metrics::counter!("fluo_notifications_set_aside_total").increment(1);
                self.queue.done(&cell, at, Duration::ZERO);
            }
            Err(error) => {
                warn!(%cell, %error, "a notification could not be moved to the dead letters; retrying");
                self.queue.postpone(&cell, tries, None);
            }
        }
    }

    /// Removes the dead letter of a cell after a success. A dead letter that another worker has
    /// recorded for a later notification stays, because this run has not processed it. This worker
    /// caches it only after the next listing.
    async fn forget_record(&self, cell: &RowColumn, up_to: Timestamp) {
        if !self.queue.dead_letters.lock().take(cell) {
            return;
        }
        let coordination = &self.client.shared.coordination;
        if let Err(error) = coordination.remove_dead_letter(cell, up_to).await {
            debug!(%error, "a processed notification stays in the dead letters; retrying after the next success");
            self.queue.dead_letters.lock().add(cell);
        }
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("fluo_notifications_total", "outcome" => outcome).increment(1);
}
