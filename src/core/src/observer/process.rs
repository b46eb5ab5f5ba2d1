//! Running the observer of a notification, and what comes of it.

use std::error::Error as StdError;
use std::sync::Arc;

use tracing::{Instrument, debug, debug_span, warn};

use crate::client::{Client, Decision, RunError, is_passing};
use crate::clock::Clock;
use crate::coordination::{FailedNotification, ObserverKind};
use crate::data::{RowColumn, Timestamp};
use crate::error::Error;
use crate::observer::observers::Registered;
use crate::observer::queue::{Found, Queue};
use crate::observer::set_aside::set_aside;
use crate::observer::{Observers, WorkerSettings, caught};
use crate::transaction::{CommitError, Trigger};

/// What runs the notifications of one worker.
#[derive(Debug)]
pub(super) struct Processor {
    pub(super) client: Client,
    pub(super) queue: Arc<Queue>,
    pub(super) observers: Observers,
    pub(super) settings: WorkerSettings,
    pub(super) clock: Arc<dyn Clock>,
}

/// What came of a try.
#[derive(Debug)]
enum Tried {
    /// The notifications of the cell are dealt with up to a timestamp.
    Done(Timestamp, &'static str),
    /// It failed in a way that does not say anything about the notification, and is tried again.
    Passing(String),
    /// It failed in a way that may stay.
    Failed(String),
}

impl Tried {
    fn in_vain(is_passing: bool, error: String) -> Self {
        match is_passing {
            true => Self::Passing(error),
            false => Self::Failed(error),
        }
    }
}

impl Processor {
    /// Runs one notification after the other, until the queue is closed.
    pub(super) async fn run(self: Arc<Self>) {
        while let Some(found) = self.queue.next().await {
            let span = debug_span!("notification", cell = %found.cell, at = %found.at);
            self.process(found).instrument(span).await;
        }
    }

    async fn process(&self, found: Found) {
        let tries = self.queue.tries(&found.cell).saturating_add(1);
        match self.attempt(&found).await {
            Tried::Done(up_to, outcome) => {
                count(outcome);
                metrics::histogram!("fluo_notification_tries").record(tries);
                self.forget_record(&found.cell, up_to).await;
                self.queue.done(&found.cell, up_to);
            }
            Tried::Passing(error) => {
                count("passing");
                debug!(error, "a notification is tried again later");
                self.queue.put_off(&found.cell, tries - 1);
            }
            Tried::Failed(error) => {
                count("failed");
                self.failed(found, tries, error).await;
            }
        }
    }

    async fn attempt(&self, found: &Found) -> Tried {
        let Some(registered) = self.observers.get(&found.cell.column) else {
            let message = format!(
                "no observer of the column `{}` is registered, so that nobody can process the notification",
                found.cell.column
            );
            return Tried::Failed(message);
        };
        // The code of the user is more than its future: what makes that, and what tells an error, may panic as well.
        let what = format!("the observer `{}`", registered.observed.id);
        let tried = caught(&what, self.observe(registered, &what, found)).await;
        tried.unwrap_or_else(|panicked| Tried::Failed(panicked.to_string()))
    }

    async fn observe(&self, registered: &Registered, what: &str, found: &Found) -> Tried {
        let trigger = Trigger {
            cell: found.cell.clone(),
            notified_at: found.at,
            kind: registered.observed.kind,
        };
        let queue = self.queue.clone();
        let mut runner = self.client.runner().before_decision(move |attempt| {
            // Who stops waits for what is run, but not for what would be run again.
            if queue.is_closed() {
                Decision::GiveUp
            } else {
                attempt.planned
            }
        });
        runner.trigger = Some(trigger);
        let ran = runner.attempt_all(|tx| {
            let reading = tx.reading.clone();
            let RowColumn { row, column } = found.cell.clone();
            let observed = async move { registered.observer.process(tx, row, column).await };
            async move {
                let error = match caught(what, observed).await {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(error)) => told(&*error),
                    Err(panicked) => told(&panicked),
                };
                // What observers make of the errors of their reads has many forms, and some of them hide the cause.
                Err(Tried::in_vain(reading.has_passing_failure(), error))
            }
        });
        match ran.await {
            Ok(((), committed)) => Tried::Done(committed.start, "committed"),
            Err(RunError::Commit(CommitError::Acknowledged)) => {
                Tried::Done(found.at, "acknowledged")
            }
            Err(RunError::Commit(error @ (CommitError::Conflict(_) | CommitError::Stale(_)))) => {
                Tried::Passing(told(&Error::from(error)))
            }
            Err(RunError::Commit(CommitError::Failed(error))) => {
                Tried::in_vain(is_passing(error.kind()), told(&error))
            }
            Err(RunError::Body(tried)) => tried,
        }
    }

    /// Tries again later, or sets the notification aside (O1: recorded first, then taken from the table).
    async fn failed(&self, found: Found, tries: u32, error: String) {
        let Found { cell, at } = found;
        debug!(error, tries, "a notification failed");
        if tries < self.settings.max_tries.get() {
            self.queue.put_off(&cell, tries);
            return;
        }
        let observer = self.observers.get(&cell.column);
        let failed = FailedNotification {
            cell: cell.clone(),
            kind: observer.map_or(ObserverKind::Strong, |registered| registered.observed.kind),
            timestamp: at,
            tries,
            error,
            failed_at_ms: self.clock.now_ms(),
        };
        warn!(%cell, tries, error = failed.error, "a notification is set aside");
        let set_aside = set_aside(&self.client.shared, failed).await;
        // Also where it failed: the record may be there by then, and a later success has to forget it.
        self.queue.add_set_aside(&cell);
        match set_aside {
            Ok(()) => {
                metrics::counter!("fluo_notifications_set_aside_total").increment(1);
                self.queue.done(&cell, at);
            }
            Err(error) => {
                warn!(%cell, %error, "a notification could not be set aside, and is tried again");
                self.queue.put_off(&cell, tries);
            }
        }
    }

    /// After a success, the cell is no longer one that failed. What another worker has set aside for a later notification
    /// stays, as this one did not deal with it; it is not known here until the records are listed again.
    async fn forget_record(&self, cell: &RowColumn, up_to: Timestamp) {
        if !self.queue.take_set_aside(cell) {
            return;
        }
        let coordination = &self.client.shared.coordination;
        if let Err(error) = coordination.forget_set_aside(cell, up_to).await {
            debug!(%error, "a notification that was processed stays among those that are set aside");
            self.queue.add_set_aside(cell);
        }
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("fluo_notifications_total", "outcome" => outcome).increment(1);
}

/// An error with what caused it, as far as it does not say so itself.
fn told(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
