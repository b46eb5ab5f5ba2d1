//! Every order of the calls of some transactions.
//!
//! Two neighbouring calls of two transactions may come to the same in both orders: one takes a timestamp and the other one
//! reads, say. Orders that differ in the order of such neighbours only are one order for what can be seen, and one of them is
//! enough. The others are left out by *sleep sets*: when a transaction's call was tried at some place, with all that follows,
//! it need not go first in what is tried after it there, until a call comes that does not commute with its own. Such a
//! transaction sleeps. A schedule in which everybody who could go on sleeps has been seen, in another order.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use fluo_core::Client;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::call::Call;
use super::scene::{LOCK_WAIT, Scene};

/// A transaction: what it came to, as numbers that the scenario understands.
pub(crate) type Program = fn(Client) -> Pin<Box<dyn Future<Output = Vec<i64>> + Send>>;

/// Which orders are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Orders {
    /// Each and every one.
    All,
    /// One of all that come to the same. What is seen in any order is seen in one of these.
    Different,
    /// Those with so many preemptions at most.
    Preempted(usize),
}

/// Transactions that run at once, and what they find.
#[derive(Debug)]
pub(crate) struct Scenario<'a> {
    pub(crate) name: &'static str,
    pub(crate) cells: &'static [(&'static str, i64)],
    pub(crate) programs: &'a [Program],
    pub(crate) orders: Orders,
    /// Run alone when all have ended.
    pub(crate) afterwards: Program,
}

/// What came of one schedule.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Whether the table writes rows together.
    pub(crate) is_together: bool,
    pub(crate) results: Vec<Vec<i64>>,
    pub(crate) afterwards: Vec<i64>,
    /// Which transaction made each step.
    pub(crate) schedule: Vec<usize>,
}

/// A place at which the schedule could have gone another way.
#[derive(Clone, Debug)]
struct Choice {
    options: Vec<usize>,
    taken: usize,
}

impl Choice {
    fn next(&self) -> usize {
        self.options[self.taken]
    }

    /// Those that were tried here before.
    fn tried(&self) -> &[usize] {
        &self.options[..self.taken]
    }
}

/// More steps than these small transactions can make.
const MOST_STEPS: usize = 500;

/// Runs a scenario in the orders that it asks for, on a table that writes rows together and on one that does not; says how
/// many orders there were.
pub(crate) fn explore(scenario: &Scenario<'_>, mut look: impl FnMut(&Ended)) -> usize {
    let each = [true, false].into_iter();
    each.map(|is_together| explore_one(scenario, is_together, &mut look))
        .sum()
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
        while prefix
            .last()
            .is_some_and(|choice| choice.taken + 1 == choice.options.len())
        {
            prefix.pop();
        }
        match prefix.last_mut() {
            Some(choice) => choice.taken += 1,
            None => break,
        }
    }
    let orders = match scenario.orders {
        Orders::All => "all orders".to_owned(),
        Orders::Different => format!("all orders that differ; {left_out} were left on the way"),
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

/// Runs the schedule that a prefix begins, and notes the choices that come after it; none if it comes to the same as one
/// that was run before.
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
        // This returns when nobody can do anything but wait.
        sleep(Duration::from_millis(1)).await;
        let calls = scene.gate.calls();
        if calls.is_empty() {
            if tasks.iter().all(JoinHandle::is_finished) {
                break;
            }
            // All that are left wait for locks. Nobody sleeps: whoever does waits at the gate.
            sleep(LOCK_WAIT).await;
            continue;
        }
        let last = schedule.last().copied();
        let goes_on = last.filter(|last| calls.contains_key(last));
        let options = match (goes_on, scenario.orders) {
            (Some(last), Orders::Preempted(most)) if preemptions == most => vec![last],
            _ => options(&calls, goes_on, &asleep),
        };
        if options.is_empty() {
            return None;
        }
        let at = schedule.len();
        if prefix.len() == at {
            prefix.push(Choice {
                options: options.clone(),
                taken: 0,
            });
        }
        let choice = &prefix[at];
        assert_eq!(
            choice.options, options,
            "a schedule does not replay: {schedule:?}"
        );
        let next = choice.next();
        if matches!(scenario.orders, Orders::Different) {
            asleep.extend(choice.tried());
            asleep.retain(|other| calls[other].commutes(&calls[&next]));
        }
        preemptions += usize::from(goes_on.is_some_and(|last| last != next));
        schedule.push(next);
        assert!(
            schedule.len() < MOST_STEPS,
            "a schedule does not end: {schedule:?}"
        );
        scene.gate.release(next);
    }
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    scene.gate.open();
    let afterwards = (scenario.afterwards)(scene.observer()).await;
    Some(Ended {
        is_together,
        results,
        afterwards,
        schedule,
    })
}

/// Who may go next. The one that goes on comes first, so that the first schedule has no preemptions.
fn options(
    calls: &BTreeMap<usize, Call>,
    goes_on: Option<usize>,
    asleep: &BTreeSet<usize>,
) -> Vec<usize> {
    let others = calls
        .keys()
        .copied()
        .filter(|other| Some(*other) != goes_on);
    let mut options: Vec<_> = goes_on.into_iter().chain(others).collect();
    options.retain(|option| !asleep.contains(option));
    options
}
