//! Every order of the calls of some transactions.
//!
//! Two adjacent calls of two transactions may have the same results in both orders, for example if
//! one takes a timestamp and the other one reads. Schedules that differ only in the order of such
//! calls have the same results, so one of them is enough. The explorer skips the others with *sleep
//! sets*. After it has tried a transaction's call at some place, with all continuations, that
//! transaction sleeps in the other continuations of the place, until a call does not commute with
//! its own. If every transaction that could continue sleeps, the schedule is equivalent to an
//! earlier one.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use fluo_engine::Client;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::call::Call;
use super::scene::Scene;

/// A transaction. It returns its result as numbers that the scenario interprets.
pub(crate) type Program = fn(Client) -> Pin<Box<dyn Future<Output = Vec<i64>> + Send>>;

/// The orders that are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Orders {
    /// All orders.
    All,
    /// One order of each group with the same results. Every result of any order occurs in one of
    /// these.
    Different,
    /// All orders with at most this number of preemptions.
    Preempted(usize),
}

/// Concurrent transactions, and the cells that they find.
#[derive(Debug)]
pub(crate) struct Scenario<'a> {
    pub(crate) name: &'static str,
    pub(crate) cells: &'static [(&'static str, i64)],
    pub(crate) programs: &'a [Program],
    pub(crate) orders: Orders,
    /// A transaction that runs alone after all others have ended.
    pub(crate) afterwards: Program,
}

/// The result of one schedule.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `true` if the table writes rows together.
    pub(crate) is_together: bool,
    pub(crate) results: Vec<Vec<i64>>,
    pub(crate) afterwards: Vec<i64>,
    /// The transaction of each step.
    pub(crate) schedule: Vec<usize>,
}

/// A place at which the schedule could have continued differently.
#[derive(Clone, Debug)]
struct Choice {
    options: Vec<usize>,
    taken: usize,
}

impl Choice {
    fn next(&self) -> usize {
        self.options[self.taken]
    }

    /// Returns the options that were tried here before.
    fn tried(&self) -> &[usize] {
        &self.options[..self.taken]
    }
}

/// More steps than these small transactions can take.
const MAX_STEPS: usize = 500;

/// Runs a scenario in its orders, on a table that writes rows together and on one that does not.
/// Returns the number of schedules.
pub(crate) fn explore(scenario: &Scenario<'_>, mut look: impl FnMut(&Ended)) -> usize {
    let each = [true, false].into_iter();
    each.map(|is_together| explore_one(scenario, is_together, &mut look)).sum()
}

fn explore_one(scenario: &Scenario<'_>, is_together: bool, mut look: impl FnMut(&Ended)) -> usize {
    let mut prefix: Vec<Choice> = Vec::new();
    let (mut count, mut left_out) = (0, 0);
    loop {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        match runtime.block_on(run(scenario, is_together, &mut prefix)) {
            Some(ended) => {
                count += 1;
                assert!(!ended.schedule.is_empty(), "nothing was held");
                look(&ended);
            }
            None => left_out += 1,
        }
        while prefix.last().is_some_and(|choice| choice.taken + 1 == choice.options.len()) {
            prefix.pop();
        }
        match prefix.last_mut() {
            Some(choice) => choice.taken += 1,
            None => break,
        }
    }
    let orders = match scenario.orders {
        Orders::All => "all orders".to_owned(),
        Orders::Different => format!("all different orders; {left_out} were abandoned"),
        Orders::Preempted(most) => format!("all orders with up to {most} preemptions"),
    };
    println!(
        "{}: {count} schedules of {} transactions{}, {orders}",
        scenario.name,
        scenario.programs.len(),
        match is_together {
            true => ", rows together",
            false => "",
        }
    );
    count
}

/// Runs the schedule that a prefix begins, and records the choices after it. Returns `None` if the
/// schedule is equivalent to an earlier one.
async fn run(
    scenario: &Scenario<'_>,
    is_together: bool,
    prefix: &mut Vec<Choice>,
) -> Option<Ended> {
    let scene = Scene::new(is_together, scenario.programs.len(), scenario.cells).await;
    let tasks: Vec<JoinHandle<Vec<i64>>> = scenario
        .programs
        .iter()
        .zip(&scene.clients)
        .map(|(program, client)| tokio::spawn(program(client.clone())))
        .collect();
    let mut schedule: Vec<usize> = Vec::new();
    let mut asleep = BTreeSet::new();
    let mut preemptions = 0;
    loop {
        // This returns when all tasks wait.
        sleep(Duration::from_millis(1)).await;
        let calls = scene.gate.calls();
        if calls.is_empty() {
            if tasks.iter().all(JoinHandle::is_finished) {
                break;
            }
            // All remaining transactions wait for locks. None of them sleeps: a sleeping one waits
            // at the gate. A call that arrives meanwhile is not held for long enough to be slow.
            sleep(Duration::from_secs(1)).await;
            continue;
        }
        let last = schedule.last().copied();
        let continuing = last.filter(|last| calls.contains_key(last));
        let options = match (continuing, scenario.orders) {
            (Some(last), Orders::Preempted(most)) if preemptions == most => vec![last],
            _ => options(&calls, continuing, &asleep),
        };
        if options.is_empty() {
            return None;
        }
        let at = schedule.len();
        if prefix.len() == at {
            prefix.push(Choice { options: options.clone(), taken: 0 });
        }
        let choice = &prefix[at];
        assert_eq!(choice.options, options, "a schedule does not replay: {schedule:?}");
        let next = choice.next();
        if matches!(scenario.orders, Orders::Different) {
            asleep.extend(choice.tried());
            asleep.retain(|other| calls[other].commutes(&calls[&next]));
        }
        preemptions += usize::from(continuing.is_some_and(|last| last != next));
        schedule.push(next);
        assert!(schedule.len() < MAX_STEPS, "a schedule does not end: {schedule:?}");
        scene.gate.release(next);
    }
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    scene.gate.open();
    let afterwards = (scenario.afterwards)(scene.observer()).await;
    Some(Ended { is_together, results, afterwards, schedule })
}

/// Returns the transactions that may run next. The one that ran last comes first, so that the first
/// schedule has no preemptions.
fn options(
    calls: &BTreeMap<usize, Call>,
    continuing: Option<usize>,
    asleep: &BTreeSet<usize>,
) -> Vec<usize> {
    let others = calls.keys().copied().filter(|other| Some(*other) != continuing);
    let mut options: Vec<_> = continuing.into_iter().chain(others).collect();
    options.retain(|option| !asleep.contains(option));
    options
}
