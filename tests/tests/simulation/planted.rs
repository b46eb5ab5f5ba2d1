//! The simulation finds every breakage.

use std::time::Instant;

use super::plants::PLANTS;

/// Seeds within which each is found.
const MOST_SEEDS: u64 = 200;

#[test]
#[ignore = "slow"]
fn every_planted_bug_is_found() {
    let only = std::env::var("FLUO_SIMULATE_PLANT").ok();
    let mut missed = Vec::new();
    for plant in PLANTS.iter().filter(|plant| only.as_ref().is_none_or(|only| only == plant.name)) {
        let begun = Instant::now();
        let found = (1..=MOST_SEEDS).find_map(|seed| {
            let report = plant.run(seed);
            (!report.violations.is_empty()).then_some((seed, report))
        });
        match found {
            Some((seed, report)) => {
                println!("| {} | {} | {seed} | {:.1} s: {}", plant.name, plant.breaks, begun.elapsed().as_secs_f64(), report.violations[0]);
                if only.is_some() { println!("{report}"); }
            }
            None => { println!("| {} | MISSED {:.1}", plant.name, begun.elapsed().as_secs_f64()); missed.push(plant.name); }
        }
    }
    assert!(missed.is_empty(), "not found within {MOST_SEEDS} seeds: {missed:?}");
}
