//! Every seed keeps every promise.

use std::time::Instant;

use fluo_tests::simulation::Simulation;

use super::plants::checked;

#[test]
fn every_seed_keeps_every_promise() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let from = number("FLUO_SIMULATE_FROM").unwrap_or(1);
    let count = number("FLUO_SIMULATE_SEEDS").unwrap_or(100);
    let begun = Instant::now();
    let mut failed = 0;
    let (mut b, mut c) = (0,0);
    for seed in from..from + count {
        let report = checked(Simulation::new(seed));
        b += report.begun; c += report.committed;
        if !report.violations.is_empty() {
            println!("{report}");
            failed += 1;
            if failed > 4 { break; }
        }
    }
    println!("{count} seeds, {failed} failed, {b} begun {c} committed, {:?}", begun.elapsed());
    assert_eq!(failed, 0);
}
