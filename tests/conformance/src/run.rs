//! The run. Each rule has its own task, so that a failed rule does not end the others.

use std::any::Any;
use std::io::{Write, stdout};
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};
use fluo_table::TableAdmin;
use fluo_tests::conformance::Rule;

/// Counts of the rules that hold, and of those that do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) ok: usize,
    pub(crate) failed: usize,
}

/// Runs rules one after the other, and prints a line for each.
pub(crate) async fn rules(rules: &[&'static Rule], tables: &Arc<dyn TableAdmin>) -> Result<Tally> {
    let panics = Panics::collect();
    let mut tally = Tally::default();
    for rule in rules {
        let begin = Instant::now();
        let failure = panics.of(rule, tables).await;
        let seconds = begin.elapsed().as_secs_f64();
        match failure {
            None => {
                tally.ok += 1;
                print(&format!("ok      {}  {seconds:.1} s", rule.name()))?;
            }
            Some(why) => {
                tally.failed += 1;
                print(&format!("FAILED  {}  {seconds:.1} s: {why}", rule.name()))?;
            }
        }
    }
    Ok(tally)
}

/// The panics of this process, by which rules fail. They are stored instead of printed.
struct Panics {
    first: Arc<Mutex<Option<String>>>,
}

impl Panics {
    fn collect() -> Self {
        let first: Arc<Mutex<Option<String>>> = Arc::default();
        let kept = Arc::clone(&first);
        panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(|place| format!(" ({place})"));
            let why = sentence(panic.payload()) + &place.unwrap_or_default();
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get_or_insert(why);
        }));
        Self { first }
    }

    /// Runs a rule; returns why it failed, or `None` if it holds.
    async fn of(&self, rule: &'static Rule, tables: &Arc<dyn TableAdmin>) -> Option<String> {
        self.take();
        let tables = Arc::clone(tables);
        let ended = tokio::spawn(async move { rule.run(tables).await }).await;
        let error = ended.err()?;
        Some(self.take().unwrap_or_else(|| error.to_string()))
    }

    fn take(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns the message of a panic as one line.
fn sentence(payload: &(dyn Any + Send)) -> String {
    let message = match payload.downcast_ref::<String>() {
        Some(message) => message,
        None => payload.downcast_ref::<&str>().copied().unwrap_or("a panic"),
    };
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Prints a line of the result.
pub(crate) fn print(line: &str) -> Result<()> {
    writeln!(stdout(), "{line}").context("standard output is closed")
}

#[cfg(test)]
mod tests {
    use fluo_table::MemoryTables;
    use fluo_tests::{Fault, FaultyTables, conformance};

    use super::*;

    #[tokio::test]
    async fn counts_a_failed_rule_and_runs_the_next_one() {
        let memory = Arc::new(MemoryTables::new());
        let faulty = FaultyTables::new(memory).fail_call(0, Fault::Before);
        let tables: Arc<dyn TableAdmin> = Arc::new(faulty);
        let rule = conformance::rule("a12_filters_work_or_fail_with_the_reason_of_the_check");
        let tally = rules(&[rule, rule], &tables).await.unwrap();
        assert_eq!(tally, Tally { ok: 1, failed: 1 });
    }
}
