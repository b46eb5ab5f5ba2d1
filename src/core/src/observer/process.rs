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
    Passing(Error),
    /// It failed in a way that may stay.
    Failed(String),
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
                debug!(%error, "a notification is tried again later");
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
            let RowColumn { row, column } = found.cell.clone();
            let observed = async move { registered.observer.process(tx, row, column).await };
            async move { caught(what, observed).await? }
        });
        match ran.await {
            Ok(((), committed)) => Tried::Done(committed.start, "committed"),
            Err(RunError::Commit(CommitError::Acknowledged)) => {
                Tried::Done(found.at, "acknowledged")
            }
            Err(RunError::Commit(error @ (CommitError::Conflict(_) | CommitError::Stale(_)))) => {
                Tried::Passing(error.into())
            }
            Err(RunError::Commit(CommitError::Failed(error))) => tried_in_vain(&error),
            Err(RunError::Body(error)) => tried_in_vain(&*error),
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
        match set_aside(&self.client.shared, failed).await {
            Ok(()) => {
                metrics::counter!("fluo_notifications_set_aside_total").increment(1);
                self.queue.add_set_aside(&cell);
                self.queue.done(&cell, at);
            }
            Err(error) => {
                warn!(%cell, %error, "a notification could not be set aside, and is tried again");
                self.queue.put_off(&cell, tries);
            }
        }
    }

    /// After a success, the cell is no longer one that failed. What was set aside for a later notification stays: this
    /// one did not deal with it.
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

fn tried_in_vain(error: &(dyn StdError + 'static)) -> Tried {
    match of_the_engine(error) {
        Some(passing) if is_passing(passing.kind()) => Tried::Passing(passing.clone()),
        _ => Tried::Failed(told(error)),
    }
}

/// The error of the engine that an error is, or that has caused it.
fn of_the_engine<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(of_the_engine) = error.downcast_ref() {
            return Some(of_the_engine);
        }
        cause = error.source();
    }
    None
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
