//! Every seed keeps every promise.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fluo_simulation::{Report, Simulation};

use super::asked::{Asked, asked};
use super::checked;

/// Number of seeds of a usual test run. `cargo xtask soak` and `cargo xtask simulate` run more.
const USUAL_SEEDS: u64 = 150;

/// Number of reports of failed seeds that are shown.
const MAX_SHOWN: usize = 3;

#[test]
fn every_seed_keeps_every_promise() {
    let asked = asked(USUAL_SEEDS);
    let Asked { from, count, .. } = asked;
    let begun = Instant::now();
    let tally = run_all(&asked);
    println!(
        "{} of {count} seeds from {from} run, {} of them failed; {} transactions begun, {} committed; {:.0} s",
        tally.run,
        tally.failed.len(),
        tally.begun,
        tally.committed,
        begun.elapsed().as_secs_f64()
    );
    for report in tally.failed.iter().take(MAX_SHOWN) {
        if asked.is_whole {
            println!("{}", report.trace.join("\n"));
        }
        println!("{report}\n");
    }
    let seeds: Vec<u64> = tally.failed.iter().map(|report| report.seed).collect();
    assert!(
        seeds.is_empty(),
        "failed: {seeds:?}; `cargo xtask simulate --seed {}` runs one again",
        seeds[0]
    );
}

/// The results of many runs.
#[derive(Debug, Default)]
struct Tally {
    run: u64,
    begun: usize,
    committed: usize,
    failed: Vec<Report>,
}

/// Runs seeds, with one thread for each processor. A run depends only on its own thread.
fn run_all(asked: &Asked) -> Tally {
    let Asked { from, count, .. } = *asked;
    let next = AtomicU64::new(from);
    let tally = Mutex::new(Tally::default());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count {
                        return;
                    }
                    let report = checked(Simulation::new(seed));
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    tally.run += 1;
                    tally.begun += report.begun;
                    tally.committed += report.committed;
                    if report.violations.is_empty() {
                        continue;
                    }
                    if asked.stops {
                        next.store(from + count, Ordering::Relaxed);
                    }
                    if tally.failed.len() < 100 {
                        tally.failed.push(report);
                    }
                }
            });
        }
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.failed.sort_by_key(|report| report.seed);
    tally
}
