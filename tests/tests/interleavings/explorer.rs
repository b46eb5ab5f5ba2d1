//! Every order of the calls of some transactions.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use fluo_core::Client;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::scene::{LOCK_WAIT, Scene};

/// A transaction: what it came to, as numbers that the scenario understands.
pub(crate) type Program = fn(Client) -> Pin<Box<dyn Future<Output = Vec<i64>> + Send>>;

/// Transactions that run at once, and what they find.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) cells: &'static [(&'static str, i64)],
    pub(crate) programs: &'static [Program],
    /// Most preemptions of a schedule.
    pub(crate) preemptions: usize,
    /// Run alone when all have ended.
    pub(crate) afterwards: Program,
}

/// What came of one schedule.
#[derive(Debug)]
pub(crate) struct Ended {
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

/// More steps than these small transactions can make.
const MOST_STEPS: usize = 500;

/// Runs a scenario in all orders; says how many there were.
pub(crate) fn explore(scenario: &Scenario, mut look: impl FnMut(&Ended)) -> usize {
    let mut prefix: Vec<Choice> = Vec::new();
    let mut count = 0;
    loop {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let ended = runtime.block_on(run(scenario, &mut prefix));
        count += 1;
        assert!(!ended.schedule.is_empty(), "nothing was held");
        look(&ended);
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
    println!(
        "{}: {count} schedules of {} transactions",
        scenario.name,
        scenario.programs.len()
    );
    count
}

/// Runs the schedule that a prefix begins, and notes the choices that come after it.
async fn run(scenario: &Scenario, prefix: &mut Vec<Choice>) -> Ended {
    let scene = Scene::new(scenario.programs.len(), scenario.cells).await;
    let tasks: Vec<JoinHandle<Vec<i64>>> = scenario
        .programs
        .iter()
        .zip(&scene.clients)
        .map(|(program, client)| tokio::spawn(program(client.clone())))
        .collect();
    let mut schedule: Vec<usize> = Vec::new();
    let mut preemptions = 0;
    let mut choices = 0;
    loop {
        // This returns when nobody can do anything but wait.
        sleep(Duration::from_millis(1)).await;
        let waiting = scene.gate.waiting();
        if waiting.is_empty() {
            if tasks.iter().all(JoinHandle::is_finished) {
                break;
            }
            // All that are left wait for locks.
            sleep(LOCK_WAIT).await;
            continue;
        }
        let last = schedule.last().copied();
        let goes_on = last.filter(|last| waiting.contains(last));
        let options = match goes_on {
            // The one that goes on comes first, so that the first schedule has no preemptions.
            Some(last) if preemptions < scenario.preemptions => {
                let others = waiting.iter().copied().filter(|other| *other != last);
                std::iter::once(last).chain(others).collect()
            }
            Some(last) => vec![last],
            None => waiting,
        };
        if prefix.len() == choices {
            prefix.push(Choice {
                options: options.clone(),
                taken: 0,
            });
        }
        let choice = &prefix[choices];
        assert_eq!(
            choice.options, options,
            "a schedule does not replay: {schedule:?}"
        );
        let next = options[choice.taken];
        choices += 1;
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
    Ended {
        results,
        afterwards,
        schedule,
    }
}
