//! The call that applies a plan: [`Plan::apply`].

use std::fmt;

use fluo_core::table::property;
use fluo_core::{Error, ErrorKind, Result, TableAdmin};
use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error as ThisError;

use super::balancer::check_loaded;
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
    /// A step failed.
    Failed(&'a Step, &'a Error),
    /// What was done before the step that failed, and what that one may have done, is being undone. Does not come
    /// where there is nothing to undo.
    Undoing,
    /// A step was undone.
    Undone(&'a Step),
}

/// The result of an [`apply`](Plan::apply) that succeeded.
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
    /// Nothing was done: the plan is not one, the table has changed since, the servers do not load the balancer that it
    /// sets, or that could not be read.
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

/// The remainder that a failed [`apply`](Plan::apply) left on the table, as far as it could be read back.
#[derive(Debug)]
pub struct Leftover {
    table: String,
    fate: Fate,
    kept: Vec<(Step, Option<Error>)>,
    unread: Option<Error>,
    may_come_late: bool,
}

/// What a failure made of the table as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing of this run was in force, so nothing was undone.
    Untouched,
    /// Undoing was tried.
    Undone,
    /// There is no table of this name any more.
    Gone,
}

impl Leftover {
    fn of(table: &str, fate: Fate) -> Self {
        Self {
            table: table.to_owned(),
            fate,
            kept: Vec::new(),
            unread: None,
            may_come_late: false,
        }
    }

    /// Whether nothing is left: it was read back, and no call is unanswered.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
            && self.unread.is_none()
            && !self.may_come_late
            && !self.is_table_gone()
    }

    /// Whether there is no table of this name any more. If it was deleted, so was what this run did; a table that was
    /// renamed keeps it.
    pub fn is_table_gone(&self) -> bool {
        self.fate == Fate::Gone
    }

    /// The steps that are, or may be, still in force, with the error that kept each from being undone.
    pub fn kept(&self) -> &[(Step, Option<Error>)] {
        &self.kept
    }

    /// Whether the call that failed was never answered, so that it may yet take effect.
    pub fn may_come_late(&self) -> bool {
        self.may_come_late
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        match (self.fate, self.kept.as_slice()) {
            (Fate::Gone, _) => {
                return write!(
                    f,
                    "table `{table}` is gone, so nothing is left to undo (if it was renamed, it keeps what was done)"
                );
            }
            (Fate::Untouched, _) => write!(f, "nothing was changed on table `{table}`")?,
            (Fate::Undone, []) => write!(
                f,
                "everything was undone, table `{table}` is as it was before"
            )?,
            (Fate::Undone, kept) => {
                write!(f, "table `{table}` serves as before but may have kept: ")?;
                for (index, (step, error)) in kept.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "; " })?;
                    write!(f, "{step}")?;
                    if let Some(error) = error {
                        write!(f, " (undoing it failed: {error})")?;
                    }
                }
                f.write_str("; apply again to finish, or plan to see what differs")?;
            }
        }
        if let Some(error) = &self.unread {
            write!(f, "; this could not be read back: {error}")?;
        }
        if self.may_come_late {
            f.write_str("; but the call that failed was never answered and may yet take effect, so look again")?;
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
    /// Await the returned value, after [`on_event`](Applying::on_event) if needed. The call can be
    /// interrupted at any time (the process is killed, the future is dropped): the table serves
    /// after each step, and the next `apply`, of this plan or of a new one, continues from there.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Refused`] if nothing was done; [`ApplyError::Failed`] with the state of the
    /// table.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_core::{Instance, TableAdmin, Versions};
    /// use fluo_recipes::{ApplyEvent, RowHasher, TableOptimizations};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fluo = Instance::in_memory();
    /// fluo.create_table("pages", Versions::default()).await?;
    /// let optimizations = TableOptimizations::of_row_hasher(&RowHasher::new("p")?, 4)?;
    /// let plan = optimizations.plan(&fluo, "pages").await?;
    ///
    /// let mut done = Vec::new();
    /// let applying = plan.apply(&fluo).on_event(|event| {
    ///     if let ApplyEvent::Done(step) = event {
    ///         done.push(step.to_string());
    ///     }
    /// });
    /// assert_eq!(applying.await?.done, done.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply<'a>(&'a self, tables: &'a dyn TableAdmin) -> Applying<'a> {
        Applying {
            plan: self,
            tables,
            watch: Box::new(|_| ()),
        }
    }
}

impl<'a> Applying<'a> {
    /// Sets a function that is called with each event, in order. Default: none.
    pub fn on_event(mut self, watch: impl FnMut(ApplyEvent<'_>) + Send + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    async fn run(self) -> Result<Applied, ApplyError> {
        let Self {
            plan,
            tables: admin,
            mut watch,
        } = self;
        plan.check().map_err(ApplyError::Refused)?;
        let found = TableState::read(admin, plan.table())
            .await
            .map_err(ApplyError::Refused)?;
        plan.check_unchanged(&found).map_err(ApplyError::Refused)?;
        let steps = plan.steps();
        for step in &steps {
            if let Some(Step::SetProperty { name, after, .. }) = step.remaining(&found)
                && name == property::BALANCER
            {
                let loaded = check_loaded(admin, plan.table(), &after).await;
                loaded.map_err(ApplyError::Refused)?;
            }
        }

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
                    let left = clean_up(admin, plan.table(), taken, &cause, &mut watch).await;
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
}

impl<'a> IntoFuture for Applying<'a> {
    type Output = Result<Applied, ApplyError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl fmt::Debug for Applying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applying")
            .field("plan", &self.plan)
            .field("tables", &self.tables)
            .finish_non_exhaustive()
    }
}

/// Looks what a failure left, and undoes it where there is something to undo.
async fn clean_up(
    admin: &dyn TableAdmin,
    table: &str,
    taken: Vec<Step>,
    cause: &Error,
    watch: &mut (impl FnMut(ApplyEvent<'_>) + Send),
) -> Leftover {
    // What may come late is undone whatever is seen now.
    let is_certain = cause.kind() != ErrorKind::Uncertain;
    match (TableState::read(admin, table).await, taken.as_slice()) {
        (Err(error), _) if error.kind() == ErrorKind::NotFound => Leftover::of(table, Fate::Gone),
        (Ok(state), [only]) if is_certain && only.is_undone(&state) => {
            Leftover::of(table, Fate::Untouched)
        }
        _ => {
            watch(ApplyEvent::Undoing);
            undo(admin, table, taken, !is_certain, watch).await
        }
    }
}

/// Undoes the steps from the last to the first; the last one failed, and may have had its effect or part of it.
/// One that cannot be undone does not keep the others from it. Then looks what is left: what a call answered is not
/// taken for what is so.
async fn undo(
    admin: &dyn TableAdmin,
    table: &str,
    taken: Vec<Step>,
    may_come_late: bool,
    watch: &mut (impl FnMut(ApplyEvent<'_>) + Send),
) -> Leftover {
    let mut outcomes = Vec::new();
    for step in taken.into_iter().rev() {
        let error = step.undo(admin, table).await.err();
        if error.is_none() {
            watch(ApplyEvent::Undone(&step));
        }
        outcomes.push((step, error));
    }
    let (kept, unread) = match TableState::read(admin, table).await {
        Ok(state) => (
            outcomes
                .into_iter()
                .filter(|(step, _)| !step.is_undone(&state))
                .collect(),
            None,
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Leftover::of(table, Fate::Gone);
        }
        Err(error) => (
            outcomes
                .into_iter()
                .filter(|(_, error)| error.is_some())
                .collect(),
            Some(error),
        ),
    };
    Leftover {
        kept,
        unread,
        may_come_late,
        ..Leftover::of(table, Fate::Undone)
    }
}
