//! `fluo table apply`, and the changes of `fluo app apply`.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use fluo_keys::{ApplyEvent, Plan, Step};
use fluo_table::{Grouped, TableAdmin};
use indicatif::ProgressBar;
use serde_json::json;

use super::plan::{Optimized, described, read_plan};
use super::wait_until_balanced;
use crate::command_name::sibling;
use crate::interruption::set_state;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::{Abridged, counted, parse_duration, shortened};
use crate::{confirm, layout, output, progress, spec};

/// Change a table to match the spec, or apply a saved plan.
///
/// At a terminal it shows the plan and asks for approval, unless --yes or a saved plan is given.
/// Without a terminal it asks nothing, but needs --yes to remove split points, also for a saved
/// plan.
///
/// Prints each step when it is done, and of many only the first 40. It is safe to stop at any time:
/// the table serves after each step, and applying again continues from there. If a step fails, the
/// steps of this run are undone; if interrupted, it undoes nothing, and prints how many are done.
///
/// Afterwards it waits until the servers have moved the tablets so that every group is spread. If
/// they are not spread in time, the exit code is 0; `fluo table verify` decides.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table apply --at embedded:./data --spec pages.toml pages
  fluo table apply --at embedded:./data plan.json
  fluo table apply --at prod --spec pages.toml --wait 5m pages

A saved plan is refused if the table has changed since it was made.")]
pub(crate) struct Apply {
    #[command(flatten)]
    target: TargetArguments,
    /// Wanted state of the table, in TOML; - is standard input
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// With --spec, the table; otherwise a plan that `fluo table plan --out` saved
    #[arg(value_name = "NAME|PLAN.json")]
    name_or_plan: PathBuf,
    /// Remove split points that are not in the spec
    #[arg(long, requires = "spec")]
    prune: bool,
    #[command(flatten)]
    options: ApplyOptions,
    #[command(flatten)]
    guard: ApplicationGuard,
}

#[derive(Args, Debug)]
pub(crate) struct ApplyOptions {
    /// Maximum time to wait until every group is spread, such as 60s or 2m. A group balancer
    /// checks a table once a minute
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = parse_duration)]
    wait: Duration,
    /// Do not wait until the tablets have moved
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

/// The approval of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Approval {
    /// The plan was saved earlier.
    Given,
    /// The plan was just made, to remove unrequested split points or not.
    Asked { prune: bool },
}

impl Apply {
    pub(crate) async fn run(self) -> Result<()> {
        let Some(spec) = &self.spec else {
            let plan = read_plan(&self.name_or_plan)?;
            let tables = self.target.open_to_change(&plan.table, &self.guard).await?;
            return self.options.run(&*tables, &plan, Approval::Given).await;
        };
        let (optimizations, expected) = spec::read(spec)?;
        let name = self.name_or_plan.to_str();
        let table = name.context("the name of the table is not text")?.to_owned();
        let tables = self.target.open_to_change(&table, &self.guard).await?;
        let table = Optimized { tables, unwritable: None, table, optimizations, expected };
        let plan = table.plan(self.prune).await?;
        self.options.run(&*table.tables, &plan, Approval::Asked { prune: self.prune }).await
    }
}

impl ApplyOptions {
    pub(crate) async fn run(
        &self,
        tables: &dyn TableAdmin,
        plan: &Plan,
        approval: Approval,
    ) -> Result<()> {
        let table = &plan.table;
        if !self.yes && !plan.is_empty() {
            ask(plan, approval).await?;
        }
        let mut course = Course::new(table, plan.steps().len());
        let applied = plan.apply(tables).on_event(|event| course.tell(event)).await;
        course.tell_rest();
        let (applied, done) = (applied?, course.end());
        match applied.done {
            _ if output::is_json() => {}
            0 => say!("nothing to do: table `{table}` already matches"),
            steps => {
                let (steps, verify) = (counted(steps, "step"), sibling("verify"));
                say!("table `{table}`: {steps} done; `{verify}` proves it");
            }
        }
        let mut json = json!({ "table": table, "done": done, "already_so": applied.already_so });
        if !self.no_wait {
            let settling = wait_until_balanced::until_spread(tables, plan, self.wait).await?;
            // The document shows tablets that are spread.
            if !(output::is_json() && settling.spread) {
                output::say(&settling.sentence());
            }
            output::add(&mut json, "tablets", serde_json::to_value(settling)?);
        }
        if output::is_json() { output::print_json(&json) } else { Ok(()) }
    }
}

/// Shows a plan at a terminal and asks for approval, unless it is given. Without a terminal,
/// refuses a plan that removes split points.
async fn ask(plan: &Plan, approval: Approval) -> Result<()> {
    let table = &plan.table;
    let refusal = format!("table `{table}` was not changed");
    if confirm::is_possible() {
        let Approval::Asked { prune } = approval else { return Ok(()) };
        output::complain_lines(&described(plan, prune, layout::error_width()));
        let steps = counted(plan.steps().len(), "step");
        let question = format!("apply {steps} to table `{table}`? type yes to confirm:");
        return confirm::expect(&question, "yes", &refusal).await;
    }
    let removed = counted(plan.splits_to_remove.len(), "split point");
    ensure!(
        plan.splits_to_remove.is_empty(),
        "{refusal}, because it would remove {removed}; give --yes, as no terminal can confirm it"
    );
    Ok(())
}

const UNDOING: &str = "undoing what was done";

/// The progress of an `apply`: messages for each step, and the state in case of an interruption.
struct Course<'a> {
    table: &'a str,
    steps: usize,
    done: Vec<String>,
    skipped: usize,
    /// The steps that have begun and are not completed, as text.
    under_way: VecDeque<String>,
    /// The lists of completed steps, by what became of them.
    lists: BTreeMap<&'static str, Abridged>,
    bar: Option<ProgressBar>,
}

impl<'a> Course<'a> {
    fn new(table: &'a str, steps: usize) -> Self {
        let (done, under_way, lists) = (Vec::new(), VecDeque::new(), BTreeMap::new());
        let course = Self { table, steps, done, skipped: 0, under_way, lists, bar: None };
        set_state(course.state());
        course
    }

    fn tell(&mut self, event: ApplyEvent<'_>) {
        // Clear the progress line, so it does not mix with the message.
        self.bar = None;
        match event {
            ApplyEvent::Begin(step) => self.under_way.push_back(step.to_string()),
            ApplyEvent::Done(step) => {
                self.list("done", step);
                self.under_way.pop_front();
                self.done.push(step.to_string());
            }
            ApplyEvent::Skipped(step) => {
                self.skipped += 1;
                return self.list("already so", step);
            }
            ApplyEvent::Failed(step, _) => return say!("failed: {step}"),
            ApplyEvent::RollingBack => {
                say!("{UNDOING}");
                return self.undo();
            }
            ApplyEvent::Undone(step) => {
                self.list("undone", step);
                return self.undo();
            }
        }
        set_state(self.state());
        if !self.under_way.is_empty() {
            let name = shortened(&output::shown(&self.names()));
            let next = self.done.len() + self.skipped + 1;
            let place = format!("{} of {}", Grouped::new(next), Grouped::new(self.steps));
            self.bar = Some(progress::waiting(format!("step {place}: {name}")));
        }
    }

    /// Prints a completed step, unless many are printed already.
    fn list(&mut self, what: &'static str, step: &Step) {
        if self.lists.entry(what).or_default().lists() {
            say!("{what}: {step}");
        }
    }

    /// Prints the numbers of the steps that the lists leave out.
    fn tell_rest(&mut self) {
        self.bar = None;
        for (what, list) in &self.lists {
            if let Some(more) = list.rest("step") {
                say!("{what}: {more}");
            }
        }
    }

    fn undo(&mut self) {
        self.bar = Some(progress::waiting(UNDOING.to_owned()));
        set_state(format!(
            "a step failed, and the steps before it were being undone; `{}` shows the rest",
            sibling("plan")
        ));
    }

    /// Records that only the wait for the servers remains, and returns the steps that are done.
    fn end(self) -> Vec<String> {
        let (table, verify) = (self.table, sibling("verify"));
        set_state(format!(
            "all steps are applied to table `{table}`; the wait for the servers was interrupted. Run `{verify}`"
        ));
        self.done
    }

    fn names(&self) -> String {
        Vec::from_iter(self.under_way.iter().map(String::as_str)).join("; ")
    }

    fn state(&self) -> String {
        let (done, table) = (Grouped::new(self.done.len()), self.table);
        let steps = Grouped::new(self.steps);
        let state = format!("{done} of {steps} steps are done on table `{table}`");
        match self.names().as_str() {
            "" => state,
            names => format!("{state}, and perhaps: {names}; apply again to continue"),
        }
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Bytes, Error};

    use super::*;
    use crate::interruption;

    fn split(row: &'static str) -> Step {
        Step::AddSplits([Bytes::from(row)].into())
    }

    #[test]
    fn records_the_state_after_every_event() {
        let mut course = Course::new("t", 4);
        let stands = || interruption::state().unwrap();
        let shown = |course: &Course<'_>| course.bar.as_ref().map(ProgressBar::message);
        assert_eq!(stands(), "0 of 4 steps are done on table `t`");
        course.tell(ApplyEvent::Skipped(&split("a")));
        assert_eq!(stands(), "0 of 4 steps are done on table `t`");
        course.tell(ApplyEvent::Begin(&split("b")));
        course.tell(ApplyEvent::Begin(&split("c")));
        assert_eq!(
            stands(),
            "0 of 4 steps are done on table `t`, and perhaps: add the split point `b`; add the split point `c`; apply \
             again to continue"
        );
        // Covers a bug: a hanging proxy left the terminal without a message for ten minutes.
        let name = shown(&course).unwrap();
        assert!(name.starts_with("step 2 of 4: add the split point `b`; "), "{name}");
        course.tell(ApplyEvent::Done(&split("b")));
        course.tell(ApplyEvent::Done(&split("c")));
        assert_eq!(stands(), "2 of 4 steps are done on table `t`");
        assert_eq!(shown(&course), None);
        course.tell(ApplyEvent::Begin(&split("d")));
        let error = Error::no_such_table("t");
        course.tell(ApplyEvent::Failed(&split("d"), &error));
        course.tell(ApplyEvent::RollingBack);
        course.tell(ApplyEvent::Undone(&split("b")));
        assert_eq!(
            stands(),
            "a step failed, and the steps before it were being undone; `fluo plan` shows the rest"
        );
        assert_eq!(shown(&course).as_deref(), Some(UNDOING));
        assert_eq!(course.end().len(), 2);
        assert!(stands().starts_with("all steps are applied to table `t`; "));
    }
}
