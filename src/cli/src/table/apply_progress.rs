//! Progress of an `apply`: messages for each step, and the state in case of an interruption.

use std::collections::VecDeque;

use fluo_keys::ApplyEvent;
use indicatif::ProgressBar;

use super::origin::Origin;
use crate::interrupt_message::Standing;
use crate::output;
use crate::progress;
use crate::text::{count_of, plural, shortened};

/// The progress of an `apply`.
pub(super) struct Course {
    standing: Standing,
    origin: Origin,
    table: String,
    steps: usize,
    /// Number of steps that have begun or were already in force.
    passed: usize,
    /// The completed steps, as text.
    done: Vec<String>,
    /// The steps that have begun and are not completed, as text, with their numbers.
    under_way: VecDeque<(usize, String)>,
    /// The progress line of the present steps.
    bar: Option<ProgressBar>,
}

impl Course {
    pub(super) fn new(standing: &Standing, origin: Origin, table: &str, steps: usize) -> Self {
        let course = Self {
            standing: standing.clone(),
            origin,
            table: table.to_owned(),
            steps,
            passed: 0,
            done: Vec::new(),
            under_way: VecDeque::new(),
            bar: None,
        };
        course.stands(&format!("nothing was changed on table `{table}`"));
        course
    }

    /// Prints a message for an event, and records it.
    pub(super) fn tell(&mut self, event: ApplyEvent<'_>) {
        // Clear the progress line, so it does not mix with the message.
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(line) = line_of(event) {
            output::say(&line);
        }
        match event {
            ApplyEvent::Begin(step) => {
                self.passed += 1;
                self.under_way.push_back((self.passed, step.to_string()));
                self.tell_under_way();
            }
            ApplyEvent::Done(step) => {
                self.under_way.pop_front();
                self.done.push(step.to_string());
                match self.under_way.is_empty() {
                    true => self.stands(&self.progress()),
                    false => self.tell_under_way(),
                }
            }
            ApplyEvent::Skipped(_) => self.passed += 1,
            ApplyEvent::Failed(..) => {}
            ApplyEvent::RollingBack => {
                self.bar = Some(progress::waiting("undoing what was done".to_owned()));
                self.stands(&format!(
                    "a step failed, and what was done before it was being undone; `{} plan` shows what is left on \
                     table `{}`, applying again continues from there",
                    self.origin.command(),
                    self.table
                ));
            }
            ApplyEvent::Undone(_) => {
                self.bar = Some(progress::waiting("undoing what was done".to_owned()));
            }
        }
    }

    /// Records that all steps are done and only the wait for the servers remains.
    pub(super) fn end(&self) {
        self.stands(&format!(
            "every step is done on table `{}`, only the wait for the servers is cut short; `{} verify` looks again",
            self.table,
            self.origin.command()
        ));
    }

    /// Returns the completed steps.
    pub(super) fn done(self) -> Vec<String> {
        self.done
    }

    fn tell_under_way(&mut self) {
        let under_way = self.under_way.iter();
        let (numbers, begun): (Vec<_>, Vec<_>) = under_way
            .map(|(number, step)| (number.to_string(), &**step))
            .unzip();
        let (noun, were) = match numbers.len() {
            1 => ("step", "was"),
            _ => ("steps", "were"),
        };
        let numbers = format!("{noun} {} of {}", numbers.join(", "), self.steps);
        let begun = begun.join("; ");
        self.stands(&format!(
            "{numbers} {were} under way and may yet be done ({begun}); {}; applying again continues from there",
            self.progress()
        ));
        let name = shortened(&output::shown(&begun));
        self.bar = Some(progress::waiting(format!("{numbers}: {name}")));
    }

    fn progress(&self) -> String {
        let table = &self.table;
        match self.done.len() {
            0 => format!("nothing else was changed on table `{table}`"),
            1 => format!("1 step is done on table `{table}`"),
            done => format!(
                "{} are done on table `{table}`",
                plural(count_of(done), "step")
            ),
        }
    }

    fn stands(&self, sentence: &str) {
        self.standing.set(sentence.to_owned());
    }
}

fn line_of(event: ApplyEvent<'_>) -> Option<String> {
    match event {
        ApplyEvent::Begin(_) => None,
        ApplyEvent::Done(step) => Some(format!("done: {step}")),
        ApplyEvent::Skipped(step) => Some(format!("already so: {step}")),
        ApplyEvent::Failed(step, _) => Some(format!("failed: {step}")),
        ApplyEvent::RollingBack => Some("undoing what was done".to_owned()),
        ApplyEvent::Undone(step) => Some(format!("undone: {step}")),
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::Step;
    use fluo_table::{Bytes, Error};

    use super::*;

    fn split(row: &'static str) -> Step {
        Step::AddSplits([Bytes::from(row)].into())
    }

    #[test]
    fn records_the_state_after_every_event() {
        let standing = Standing::default();
        let mut course = Course::new(&standing, Origin::Spec, "t", 3);
        let stands = || standing.get().unwrap();
        assert_eq!(stands(), "nothing was changed on table `t`");

        course.tell(ApplyEvent::Skipped(&split("a")));
        assert_eq!(stands(), "nothing was changed on table `t`");
        course.tell(ApplyEvent::Begin(&split("b")));
        assert_eq!(
            stands(),
            "step 2 of 3 was under way and may yet be done (add the split point `b`); nothing else was changed on \
             table `t`; applying again continues from there"
        );
        course.tell(ApplyEvent::Done(&split("b")));
        assert_eq!(stands(), "1 step is done on table `t`");
        course.tell(ApplyEvent::Begin(&split("c")));
        assert_eq!(
            stands(),
            "step 3 of 3 was under way and may yet be done (add the split point `c`); 1 step is done on table `t`; \
             applying again continues from there"
        );
        let error = Error::no_such_table("t");
        course.tell(ApplyEvent::Failed(&split("c"), &error));
        course.tell(ApplyEvent::RollingBack);
        let undoing = stands();
        assert!(
            undoing.starts_with("a step failed, and what was done before it was being undone; ")
        );
        course.tell(ApplyEvent::Undone(&split("b")));
        assert_eq!(stands(), undoing);
        course.end();
        assert!(stands().starts_with("every step is done on table `t`, "));
        assert_eq!(course.done(), ["add the split point `b`"]);
    }

    #[test]
    fn names_all_steps_that_are_under_way() {
        let standing = Standing::default();
        let mut course = Course::new(&standing, Origin::Spec, "t", 4);
        let stands = || standing.get().unwrap();
        for row in ["a", "b"] {
            course.tell(ApplyEvent::Begin(&split(row)));
        }
        course.tell(ApplyEvent::Skipped(&split("c")));
        course.tell(ApplyEvent::Begin(&split("d")));
        assert_eq!(
            stands(),
            "steps 1, 2, 4 of 4 were under way and may yet be done (add the split point `a`; add the split point `b`; \
             add the split point `d`); nothing else was changed on table `t`; applying again continues from there"
        );
        let shown = course.bar.as_ref().map(ProgressBar::message).unwrap();
        assert!(shown.starts_with("steps 1, 2, 4 of 4: add the split point `a`; "));
        course.tell(ApplyEvent::Done(&split("a")));
        course.tell(ApplyEvent::Done(&split("b")));
        let last = "step 4 of 4 was under way and may yet be done (add the split point `d`); 2 steps are done on \
                    table `t`; applying again continues from there";
        assert_eq!(stands(), last);
        let error = Error::no_such_table("t");
        course.tell(ApplyEvent::Failed(&split("d"), &error));
        assert_eq!(stands(), last);
    }

    /// Covers a bug: a hanging proxy left the terminal without a message for ten minutes.
    #[test]
    fn shows_the_step_under_way() {
        let waited_for = |course: &Course| course.bar.as_ref().map(ProgressBar::message);
        let mut course = Course::new(&Standing::default(), Origin::Spec, "t", 2);
        assert_eq!(waited_for(&course), None);
        course.tell(ApplyEvent::Begin(&split("a")));
        let named = waited_for(&course);
        assert_eq!(
            named.as_deref(),
            Some("step 1 of 2: add the split point `a`")
        );
        course.tell(ApplyEvent::Done(&split("a")));
        assert_eq!(waited_for(&course), None);
        course.tell(ApplyEvent::RollingBack);
        assert_eq!(
            waited_for(&course).as_deref(),
            Some("undoing what was done")
        );

        let long = shortened(&"é".repeat(61));
        assert_eq!(long, format!("{}..", "é".repeat(60)));
        assert_eq!(shortened(&"é".repeat(60)), "é".repeat(60));
    }

    #[test]
    fn announces_failures_and_undoing() {
        let (step, error) = (split("a"), Error::no_such_table("t"));
        let failed = line_of(ApplyEvent::Failed(&step, &error));
        assert_eq!(failed.as_deref(), Some("failed: add the split point `a`"));
        let undoing = line_of(ApplyEvent::RollingBack);
        assert_eq!(undoing.as_deref(), Some("undoing what was done"));
    }
}
