//! Progress of an `apply`: messages for each step, and the state in case of an interruption.

use fluo_recipes::{ApplyEvent, Step};
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
    /// Number of steps that were already in force.
    already_so: usize,
    /// The completed steps, as text.
    done: Vec<String>,
    /// The steps that have begun, as text.
    under_way: Vec<String>,
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
            already_so: 0,
            done: Vec::new(),
            under_way: Vec::new(),
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
            ApplyEvent::Begin(step) => self.begin(step),
            ApplyEvent::Done(step) => {
                self.under_way.clear();
                self.done.push(step.to_string());
                self.stands(&self.progress());
            }
            ApplyEvent::Skipped(_) => self.already_so += 1,
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

    fn begin(&mut self, step: &Step) {
        self.under_way.push(step.to_string());
        let (first, steps) = (self.done.len() + self.already_so + 1, self.steps);
        let (numbers, were) = match self.under_way.len() {
            1 => (format!("step {first}"), "was"),
            count => (format!("steps {first} to {}", first + count - 1), "were"),
        };
        let begun = self.under_way.join("; ");
        self.stands(&format!(
            "{numbers} of {steps} {were} under way and may yet be done ({begun}); {}; applying again continues from \
             there",
            self.progress()
        ));
        let name = shortened(&output::shown(&begun));
        self.bar = Some(progress::waiting(format!("{numbers} of {steps}: {name}")));
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
    fn counts_the_steps_that_begin_together() {
        let standing = Standing::default();
        let mut course = Course::new(&standing, Origin::Spec, "t", 4);
        course.tell(ApplyEvent::Skipped(&split("a")));
        for row in ["b", "c"] {
            course.tell(ApplyEvent::Begin(&split(row)));
        }
        assert_eq!(
            standing.get().unwrap(),
            "steps 2 to 3 of 4 were under way and may yet be done (add the split point `b`; add the split point `c`); \
             nothing else was changed on table `t`; applying again continues from there"
        );
        let shown = course.bar.as_ref().map(ProgressBar::message).unwrap();
        assert!(shown.starts_with("steps 2 to 3 of 4: add the split point `b`; "));
        for row in ["b", "c"] {
            course.tell(ApplyEvent::Done(&split(row)));
        }
        course.tell(ApplyEvent::Begin(&split("d")));
        let stands = standing.get().unwrap();
        assert!(stands.starts_with("step 4 of 4 was under way"), "{stands}");
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
