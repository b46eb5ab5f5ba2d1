//! Making a plan true.

use std::fmt;

use fluo_core::{Error, Result, TableAdmin};
use thiserror::Error as ThisError;

use super::state::TableState;
use super::{Plan, Step};

/// What happens while a plan is applied, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub enum ApplyEvent<'a> {
    /// A step begins.
    Begin(&'a Step),
    /// A step is done.
    Done(&'a Step),
    /// A step was in force already.
    AlreadySo(&'a Step),
    /// A step failed; what was done before it, and what it may have done, is being undone.
    Failed(&'a Step, &'a Error),
    /// A step was undone.
    Undone(&'a Step),
}

/// What an [`apply`] that succeeded did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Steps taken.
    pub done: usize,
    /// Steps that were in force already.
    pub already_so: usize,
}

/// Why a plan was not applied, and what state the table is in.
#[derive(Debug, ThisError)]
pub enum ApplyError {
    /// Nothing was done: the plan is not one, the table has changed since, or it could not be read.
    #[error("{0}")]
    Refused(Error),
    /// A step failed. What this run had done was undone, except for what is left.
    #[error("step {number} of {steps} failed ({step}): {cause}; {left}")]
    Failed {
        /// Which step, from 1.
        number: usize,
        /// Of how many.
        steps: usize,
        /// The step.
        step: Box<Step>,
        /// Why it failed.
        cause: Error,
        /// What could not be undone.
        left: Leftover,
    },
}

/// What a failed [`apply`] left on the table.
#[derive(Debug)]
pub struct Leftover {
    table: String,
    not_undone: Vec<(Step, Error)>,
}

impl Leftover {
    /// Whether the table is as it was before.
    pub fn is_empty(&self) -> bool {
        self.not_undone.is_empty()
    }

    /// The steps that may still be in force, with the error that kept each from being undone.
    pub fn not_undone(&self) -> &[(Step, Error)] {
        &self.not_undone
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return write!(
                f,
                "everything was undone, table `{}` is as it was before",
                self.table
            );
        }
        let told: Vec<_> = self
            .not_undone
            .iter()
            .map(|(step, error)| format!("{step} (undoing it failed: {error})"))
            .collect();
        write!(
            f,
            "table `{}` serves as before but may have kept: {}; apply again to finish, or plan to see what differs",
            self.table,
            told.join("; ")
        )
    }
}

/// Makes a plan true: takes its steps in their order, skips those in force already, and, if one fails, undoes in
/// reverse what this run did.
///
/// It is safe to stop anywhere (the process killed, the future dropped): the table serves after each step, and
/// the next `apply` of the same plan, or of a new one, goes on from there.
///
/// # Errors
/// [`ApplyError::Refused`] before anything was done; [`ApplyError::Failed`] with the state of the table.
pub async fn apply(
    admin: &dyn TableAdmin,
    plan: &Plan,
    mut watch: impl FnMut(ApplyEvent<'_>) + Send,
) -> Result<Applied, ApplyError> {
    plan.check().map_err(ApplyError::Refused)?;
    let found = TableState::read(admin, plan.table())
        .await
        .map_err(ApplyError::Refused)?;
    plan.check_unchanged(&found).map_err(ApplyError::Refused)?;

    let steps = plan.steps();
    let mut taken: Vec<Step> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let Some(remaining) = step.remaining(&found) else {
            watch(ApplyEvent::AlreadySo(step));
            continue;
        };
        watch(ApplyEvent::Begin(&remaining));
        let outcome = remaining.perform(admin, plan.table()).await;
        taken.push(remaining);
        match outcome {
            Ok(()) => watch(ApplyEvent::Done(step)),
            Err(cause) => {
                watch(ApplyEvent::Failed(step, &cause));
                let left = undo(admin, plan.table(), &found, taken, &mut watch).await;
                let (number, steps, step) = (index + 1, steps.len(), Box::new(step.clone()));
                return Err(ApplyError::Failed {
                    number,
                    steps,
                    step,
                    cause,
                    left,
                });
            }
        }
    }
    Ok(Applied {
        done: taken.len(),
        already_so: steps.len() - taken.len(),
    })
}

/// Undoes the steps from the last to the first; the last one failed, and may have had its effect or part of it.
/// One that cannot be undone does not keep the others from it.
async fn undo(
    admin: &dyn TableAdmin,
    table: &str,
    found: &TableState,
    taken: Vec<Step>,
    watch: &mut (impl FnMut(ApplyEvent<'_>) + Send),
) -> Leftover {
    let mut not_undone = Vec::new();
    for step in taken.into_iter().rev() {
        match step.undo(admin, table, &found.splits).await {
            Ok(()) => watch(ApplyEvent::Undone(&step)),
            Err(error) => not_undone.push((step, error)),
        }
    }
    Leftover {
        table: table.to_owned(),
        not_undone,
    }
}
