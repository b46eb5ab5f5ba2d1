//! The call that applies a plan: [`Plan::apply`].

use std::fmt;

use fluo_table::table::property;
use fluo_table::{Error, ErrorKind, Grouped, Result, TableAdmin};
use thiserror::Error as ThisError;

use super::balancer::is_loaded;
use super::step::TableState;
use super::{Plan, Step};

/// Progress events of [`apply`](Plan::apply).
#[derive(Clone, Copy, Debug)]
pub enum ApplyEvent<'a> {
    /// A step begins. Changes of properties that follow each other begin together. If one of them
    /// fails, the later ones were not made.
    Begin(&'a Step),
    /// A step is done.
    Done(&'a Step),
    /// A step was already in force.
    Skipped(&'a Step),
    /// A step failed.
    Failed(&'a Step, &'a Error),
    /// The changes of the run are being undone, including possible effects of the step that failed.
    /// This event is not sent if there is nothing to undo.
    RollingBack,
    /// A step was undone.
    Undone(&'a Step),
}

/// The result of a successful [`apply`](Plan::apply).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Number of steps taken.
    pub done: usize,
    /// Number of steps that were already in force.
    pub already_so: usize,
}

/// The reason why a plan was not applied, and the state of the table.
#[derive(Debug, ThisError)]
pub enum ApplyError {
    /// Nothing was changed. The plan is invalid, the table has changed since it was made, the
    /// servers do not load the balancer that it sets, or one of these could not be checked.
    #[error("{0}")]
    Refused(Error),
    /// A step failed. The changes of this run were undone, except for `left`.
    #[error(
        "step {} of {} failed ({step}): {cause}; {left}",
        Grouped::new(*.number),
        Grouped::new(*.steps)
    )]
    Failed {
        /// The number of the step, from 1.
        number: usize,
        /// The number of all steps of the plan.
        steps: usize,
        /// The step.
        step: Box<Step>,
        /// The cause of the failure.
        cause: Error,
        /// The changes that could not be undone.
        left: RollbackReport,
    },
}

/// Keeps the kind of the cause.
impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        let (ApplyError::Refused(cause) | ApplyError::Failed { cause, .. }) = &error;
        Self::with_source(cause.kind(), error.to_string(), error)
    }
}

/// The changes that a failed [`apply`](Plan::apply) left on the table, as far as they could be read
/// back.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RollbackReport {
    /// The table.
    pub table: String,
    /// `true` if no change of the run was in force, so there was nothing to undo.
    pub is_untouched: bool,
    /// `true` if there is no table of this name any more. If it was deleted, the changes were
    /// deleted with it; if it was renamed, it keeps them.
    pub is_table_gone: bool,
    /// The steps that are, or may be, still in force, each with the error of undoing it.
    pub kept: Vec<(Step, Option<Error>)>,
    /// The error of reading the table back after the undo.
    pub unread: Option<Error>,
    /// `true` if the call that failed got no answer, so that it may still take effect.
    pub may_come_late: bool,
}

impl RollbackReport {
    /// Returns `true` if nothing is left: the table was read back, and every call got an answer.
    pub fn is_empty(&self) -> bool {
        let is_known = self.unread.is_none() && !self.may_come_late && !self.is_table_gone;
        is_known && self.kept.is_empty()
    }
}

impl fmt::Display for RollbackReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        if self.is_table_gone {
            return write!(
                f,
                "table `{table}` no longer exists, so there is nothing to undo (if it was renamed, it keeps the changes)"
            );
        }
        if self.is_untouched {
            return write!(f, "nothing was changed on table `{table}`");
        }
        if self.kept.is_empty() {
            write!(f, "everything was undone, table `{table}` is as it was before")?;
        } else {
            write!(f, "table `{table}` serves as before but may have kept: ")?;
            for (step, error) in &self.kept {
                write!(f, "{step}")?;
                if let Some(error) = error {
                    write!(f, " (undoing it failed: {error})")?;
                }
                f.write_str("; ")?;
            }
            f.write_str("apply again to finish, or plan to see what differs")?;
        }
        if let Some(error) = &self.unread {
            write!(f, "; the table could not be read back: {error}")?;
        }
        if self.may_come_late {
            f.write_str("; the call that failed got no answer and may still take effect, so check the table again")?;
        }
        Ok(())
    }
}

/// A call of [`Plan::apply`]: its options, and the call itself when it is awaited.
#[must_use = "a plan is applied when this is awaited"]
pub struct Applying<'a> {
    plan: &'a Plan,
    tables: &'a dyn TableAdmin,
    watch: Box<dyn FnMut(ApplyEvent<'_>) + Send + 'a>,
}

impl Plan {
    /// Applies the plan: takes its steps in order and skips those that are already in force. If a
    /// step fails, undoes the steps of this call in reverse order.
    ///
    /// The call can be interrupted at any time (the process is killed, the future is dropped): the
    /// table serves after each step, and the next `apply`, of this plan or of a new one, continues
    /// from there.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Refused`] if nothing was done; [`ApplyError::Failed`] with the state of the
    /// table.
    pub fn apply<'a>(&'a self, tables: &'a dyn TableAdmin) -> Applying<'a> {
        Applying { plan: self, tables, watch: Box::new(|_| ()) }
    }

    /// Checks the plan, and that it fits the table and its servers, which may have changed since
    /// the plan was made. Returns the state of the table.
    async fn checked_state(&self, tables: &dyn TableAdmin) -> Result<TableState> {
        self.check()?;
        let table = &self.table;
        let found = TableState::read(tables, table).await?;
        self.check_unchanged(&found)?;
        for step in self.steps() {
            if let Some(Step::SetProperty { name, after: class, .. }) = step.remaining(&found)
                && name == property::BALANCER
                && !is_loaded(tables, table, &class).await?
            {
                return Err(Error::unavailable(format!(
                    "the servers of table `{table}` cannot load `{class}`; make a new plan"
                )));
            }
        }
        Ok(found)
    }
}

impl<'a> Applying<'a> {
    /// Sets a function that is called with each event, in order. Default: none.
    pub fn on_event(self, watch: impl FnMut(ApplyEvent<'_>) + Send + 'a) -> Self {
        Self { watch: Box::new(watch), ..self }
    }

    async fn run(self) -> Result<Applied, ApplyError> {
        let Self { plan, tables, mut watch } = self;
        let found = plan.checked_state(tables).await.map_err(ApplyError::Refused)?;
        let steps = plan.steps();
        let mut due = Vec::new();
        for (number, step) in (1..).zip(&steps) {
            match step.remaining(&found) {
                Some(rest) => due.push((number, step, rest)),
                None => watch(ApplyEvent::Skipped(step)),
            }
        }
        let mut taken: Vec<Step> = Vec::new();
        // Changes of properties that follow each other are one call.
        for call in due.chunk_by(|(.., a), (.., b)| a.is_property() && b.is_property()) {
            let rest: Vec<_> = call.iter().map(|(.., rest)| rest.clone()).collect();
            rest.iter().for_each(|rest| watch(ApplyEvent::Begin(rest)));
            let performed = Step::perform(&rest, tables, &plan.table).await;
            let done = performed.as_ref().map_or_else(|(failed, _)| *failed, |()| call.len());
            for (_, step, _) in call.iter().take(done) {
                watch(ApplyEvent::Done(step));
            }
            taken.extend(rest.into_iter().take(done + 1));
            if let Err((_, cause)) = performed {
                let failed = call.get(done).or(call.last());
                let (number, step, _) = failed.expect("a call has at least one step");
                watch(ApplyEvent::Failed(step, &cause));
                let left = clean_up(tables, &plan.table, taken, &cause, &mut watch).await;
                return Err(ApplyError::Failed {
                    number: *number,
                    steps: steps.len(),
                    step: Box::new(Step::clone(step)),
                    cause,
                    left,
                });
            }
        }
        Ok(Applied { done: due.len(), already_so: steps.len() - due.len() })
    }
}

call_when_awaited!(Applying => Result<Applied, ApplyError>);

impl fmt::Debug for Applying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applying").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// Reads the state after a failure, and undoes the changes of the run if there are any, from the
/// last to the first. The last step failed, and may have taken effect partly or wholly. If a step
/// cannot be undone, the others still are. Then reads the table to find the changes that are left,
/// whatever the calls returned.
async fn clean_up(
    admin: &dyn TableAdmin,
    table: &str,
    taken: Vec<Step>,
    cause: &Error,
    watch: &mut (impl FnMut(ApplyEvent<'_>) + Send),
) -> RollbackReport {
    let is_gone = |error: &Error| error.kind() == ErrorKind::NotFound;
    let gone = |report| RollbackReport { is_table_gone: true, ..report };
    let mut report = RollbackReport { table: table.to_owned(), ..RollbackReport::default() };
    // A change that may come late is undone even if the table does not show it now.
    let may_come_late = cause.kind() == ErrorKind::Uncertain;
    match (TableState::read(admin, table).await, taken.as_slice()) {
        (Err(error), _) if is_gone(&error) => return gone(report),
        (Ok(state), [only]) if !may_come_late && only.is_undone(&state) => {
            return RollbackReport { is_untouched: true, ..report };
        }
        _ => watch(ApplyEvent::RollingBack),
    }
    let mut kept = Vec::new();
    for step in taken.into_iter().rev() {
        let error = step.undo(admin, table).await.err();
        if error.is_none() {
            watch(ApplyEvent::Undone(&step));
        }
        kept.push((step, error));
    }
    match TableState::read(admin, table).await {
        Ok(state) => kept.retain(|(step, _)| !step.is_undone(&state)),
        Err(error) if is_gone(&error) => return gone(report),
        Err(error) => {
            kept.retain(|(_, error)| error.is_some());
            report.unread = Some(error);
        }
    }
    RollbackReport { kept, may_come_late, ..report }
}
