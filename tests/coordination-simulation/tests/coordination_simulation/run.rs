//! Runs of many seeds, on all processors.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fluo_coordination_simulation::world;
use tokio::runtime::Builder;

/// Number of seeds of a usual test run.
const USUAL: u64 = 30;

fn variable(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Runs a scenario with many seeds, and fails with the first violations.
pub(crate) fn run_all<F: Future<Output = Vec<String>>>(scenario: impl Fn(u64) -> F + Sync) {
    run_part(1, scenario);
}

/// The same with one of `parts` seeds, for a scenario that takes longer.
pub(crate) fn run_part<F: Future<Output = Vec<String>>>(
    parts: u64,
    scenario: impl Fn(u64) -> F + Sync,
) {
    let seeds = || USUAL * variable("FLUO_SOAK").unwrap_or(1);
    let first = variable("FLUO_SIMULATE_FROM").unwrap_or(1);
    let seeds = variable("FLUO_SIMULATE_SEEDS").unwrap_or_else(seeds);
    let end = first + seeds.div_ceil(parts);
    let (next, failed) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || !failed.lock().unwrap().is_empty() {
                        return;
                    }
                    let violations = run(seed, &scenario);
                    if !violations.is_empty() {
                        failed.lock().unwrap().push((seed, violations));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Checks that a seed draws the same when it runs again.
pub(crate) fn check_replay<F: Future<Output = Vec<String>>>(
    seed: u64,
    scenario: impl Fn(u64) -> F,
) {
    let play = || (run(seed, &scenario), world::fingerprint());
    assert_eq!(play(), play(), "{seed}");
}

fn run<F: Future<Output = Vec<String>>>(seed: u64, scenario: impl Fn(u64) -> F) -> Vec<String> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let found = catch_unwind(AssertUnwindSafe(|| runtime.block_on(scenario(seed))));
    found.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        vec![format!("panicked: {}", text.unwrap_or_default())]
    })
}
