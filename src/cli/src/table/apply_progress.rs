//! Progress of an `apply`: messages for each step, and the state in case of an interruption.

use std::collections::VecDeque;

use fluo_keys::ApplyEvent;
use indicatif::ProgressBar;

use crate::command_name::sibling;
use crate::interruption::set_state;
use crate::output::shown;
use crate::progress;
use crate::text::shortened;

const UNDOING: &str = "undoing what was done";

pub(super) struct Course<'a> {
    table: &'a str,
    steps: usize,
    done: Vec<String>,
    /// The steps that have begun and are not completed, as text.
    under_way: VecDeque<String>,
    /// The progress line of the present steps.
    bar: Option<ProgressBar>,
}

impl<'a> Course<'a> {
    pub(super) fn new(table: &'a str, steps: usize) -> Self {
        let course = Self { table, steps, done: Vec::new(), under_way: VecDeque::new(), bar: None };
        set_state(course.state());
        course
    }

    pub(super) fn tell(&mut self, event: ApplyEvent<'_>) {
        // Clear the progress line, so it does not mix with the message.
        self.bar = None;
        match event {
            ApplyEvent::Begin(step) => self.under_way.push_back(step.to_string()),
            ApplyEvent::Done(step) => {
                say!("done: {step}");
                self.under_way.pop_front();
                self.done.push(step.to_string());
            }
            ApplyEvent::Skipped(step) => return say!("already so: {step}"),
            ApplyEvent::Failed(step, _) => return say!("failed: {step}"),
            ApplyEvent::RollingBack => {
                say!("{UNDOING}");
                return self.undo();
            }
            ApplyEvent::Undone(step) => {
                say!("undone: {step}");
                return self.undo();
            }
        }
        set_state(self.state());
        if !self.under_way.is_empty() {
            let name = shortened(&shown(&self.names()));
            self.bar = Some(progress::waiting(format!("step {name}")));
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
    pub(super) fn end(self) -> Vec<String> {
        set_state(format!(
            "all steps are applied to table `{}`; the wait for the servers was interrupted. Run `{}`",
            self.table,
            sibling("verify")
        ));
        self.done
    }

    fn names(&self) -> String {
        Vec::from_iter(self.under_way.iter().map(String::as_str)).join("; ")
    }

    fn state(&self) -> String {
        let (done, steps, table) = (self.done.len(), self.steps, self.table);
        let state = format!("{done} of {steps} steps are done on table `{table}`");
        match self.names().as_str() {
            "" => state,
            names => format!("{state}, and perhaps: {names}; apply again to continue"),
        }
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::Step;
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
        assert!(name.starts_with("step add the split point `b`; "), "{name}");
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
