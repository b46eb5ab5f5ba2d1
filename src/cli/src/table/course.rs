//! The course of an `apply`: what is said of each step, and how far it has come.

use fluo_recipes::{ApplyEvent, Step};
use indicatif::ProgressBar;

use crate::output::{self, count_of, plural};
use crate::progress;
use crate::standing::Standing;

/// Most characters of a step in a line that is drawn again and again.
const SHOWN_CHARS: usize = 60;

/// How far an `apply` has come.
pub(super) struct Course {
    standing: Standing,
    table: String,
    steps: usize,
    /// Steps that were in force already.
    already_so: usize,
    /// The steps that were done, as they are told.
    done: Vec<String>,
    /// What is waited for.
    bar: Option<ProgressBar>,
}

impl Course {
    pub(super) fn new(standing: &Standing, table: &str, steps: usize) -> Self {
        let course = Self {
            standing: standing.clone(),
            table: table.to_owned(),
            steps,
            already_so: 0,
            done: Vec::new(),
            bar: None,
        };
        course.stands(&format!("nothing was changed on table `{table}`"));
        course
    }

    /// Says what happened, and keeps it.
    pub(super) fn tell(&mut self, event: ApplyEvent<'_>) {
        // A line that is drawn again and again must not lie across one that is said.
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(line) = line_of(event) {
            output::say(&line);
        }
        match event {
            ApplyEvent::Begin(step) => self.begin(step),
            ApplyEvent::Done(step) => {
                self.done.push(step.to_string());
                self.stands(&self.progress());
            }
            ApplyEvent::AlreadySo(_) => self.already_so += 1,
            ApplyEvent::Failed(..) => {}
            ApplyEvent::Undoing => {
                self.bar = Some(progress::waiting("undoing what was done".to_owned()));
                self.stands(&format!(
                    "a step failed, and what was done before it was being undone; `fluo table plan` shows what is left \
                     on table `{}`, applying again goes on from there",
                    self.table
                ));
            }
            ApplyEvent::Undone(_) => {
                self.bar = Some(progress::waiting("undoing what was done".to_owned()));
            }
        }
    }

    /// From now on the servers are waited for.
    pub(super) fn end(&self) {
        self.stands(&format!(
            "every step is done on table `{}`, only the wait for the servers is cut short; `fluo table verify` looks \
             again",
            self.table
        ));
    }

    /// The steps that were done.
    pub(super) fn done(self) -> Vec<String> {
        self.done
    }

    fn begin(&mut self, step: &Step) {
        let (number, steps) = (self.done.len() + self.already_so + 1, self.steps);
        let step = step.to_string();
        self.stands(&format!(
            "step {number} of {steps} was under way and may yet be done ({step}); {}; applying again goes on from there",
            self.progress()
        ));
        let name = shortened(&output::shown(&step));
        self.bar = Some(progress::waiting(format!(
            "step {number} of {steps}: {name}"
        )));
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

fn shortened(step: &str) -> String {
    let mut start: String = step.chars().take(SHOWN_CHARS).collect();
    if start.len() < step.len() {
        start.push_str("..");
    }
    start
}

fn line_of(event: ApplyEvent<'_>) -> Option<String> {
    match event {
        ApplyEvent::Begin(_) => None,
        ApplyEvent::Done(step) => Some(format!("done: {step}")),
        ApplyEvent::AlreadySo(step) => Some(format!("already so: {step}")),
        ApplyEvent::Failed(step, _) => Some(format!("failed: {step}")),
        ApplyEvent::Undoing => Some("undoing what was done".to_owned()),
        ApplyEvent::Undone(step) => Some(format!("undone: {step}")),
    }
}

#[cfg(test)]
mod tests {
    use fluo_core::{Bytes, Error};

    use super::*;

    fn split(row: &'static str) -> Step {
        Step::AddSplits([Bytes::from(row)].into())
    }

    #[test]
    fn how_far_it_has_come_is_kept_at_every_event() {
        let standing = Standing::default();
        let mut course = Course::new(&standing, "t", 3);
        let stands = || standing.get().unwrap();
        assert_eq!(stands(), "nothing was changed on table `t`");

        course.tell(ApplyEvent::AlreadySo(&split("a")));
        assert_eq!(stands(), "nothing was changed on table `t`");
        course.tell(ApplyEvent::Begin(&split("b")));
        assert_eq!(
            stands(),
            "step 2 of 3 was under way and may yet be done (add the split point `b`); nothing else was changed on \
             table `t`; applying again goes on from there"
        );
        course.tell(ApplyEvent::Done(&split("b")));
        assert_eq!(stands(), "1 step is done on table `t`");
        course.tell(ApplyEvent::Begin(&split("c")));
        assert_eq!(
            stands(),
            "step 3 of 3 was under way and may yet be done (add the split point `c`); 1 step is done on table `t`; \
             applying again goes on from there"
        );
        let error = Error::no_such_table("t");
        course.tell(ApplyEvent::Failed(&split("c"), &error));
        course.tell(ApplyEvent::Undoing);
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

    /// A proxy that hangs left nothing on the terminal for ten minutes.
    #[test]
    fn a_step_that_lasts_is_named_while_it_does() {
        let waited_for = |course: &Course| course.bar.as_ref().map(ProgressBar::message);
        let mut course = Course::new(&Standing::default(), "t", 2);
        assert_eq!(waited_for(&course), None);
        course.tell(ApplyEvent::Begin(&split("a")));
        let named = waited_for(&course);
        assert_eq!(
            named.as_deref(),
            Some("step 1 of 2: add the split point `a`")
        );
        course.tell(ApplyEvent::Done(&split("a")));
        assert_eq!(waited_for(&course), None);
        course.tell(ApplyEvent::Undoing);
        assert_eq!(
            waited_for(&course).as_deref(),
            Some("undoing what was done")
        );

        let long = shortened(&"é".repeat(61));
        assert_eq!(long, format!("{}..", "é".repeat(60)));
        assert_eq!(shortened(&"é".repeat(60)), "é".repeat(60));
    }

    #[test]
    fn only_what_changes_the_table_is_undone_in_words() {
        let (step, error) = (split("a"), Error::no_such_table("t"));
        let failed = line_of(ApplyEvent::Failed(&step, &error));
        assert_eq!(failed.as_deref(), Some("failed: add the split point `a`"));
        let undoing = line_of(ApplyEvent::Undoing);
        assert_eq!(undoing.as_deref(), Some("undoing what was done"));
    }
}
