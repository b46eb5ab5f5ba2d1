//! A seed determines a run, to the last line of its trace.

use fluo_simulation::Simulation;

#[test]
fn a_seed_replays_exactly() {
    let mut idle = Vec::new();
    for seed in [1, 2, 3, 5, 8, 13] {
        let [first, second] = [(); 2].map(|()| Simulation::new(seed).run().unwrap());
        let differs = first.trace.iter().zip(&second.trace).position(|(one, other)| one != other);
        if let Some(line) = differs {
            panic!(
                "seed {seed} differs at line {line}:\n{}\n{}",
                first.trace[line], second.trace[line]
            );
        }
        assert_eq!(first.trace.len(), second.trace.len());
        assert_eq!(first.lists, second.lists);
        if first.trace.len() <= 100 || first.committed == 0 {
            idle.push(seed);
        }
    }
    // A seed may draw only clients that may not write.
    assert!(idle.len() <= 1, "seeds {idle:?} did nothing");
}

#[test]
fn another_seed_is_another_run() {
    let [first, second] = [21, 22].map(|seed| Simulation::new(seed).run().unwrap());
    assert_ne!(first.trace, second.trace);
}

#[test]
fn a_report_shows_the_seed_and_the_violations() {
    let broken = (1..20).find_map(|seed| {
        let simulation =
            Simulation::new(seed).with_bug(fluo_simulation::WorldBug::ConditionIgnored);
        let report = simulation.run().unwrap();
        (!report.violations.is_empty()).then_some(report)
    });
    let report = broken.unwrap();
    let shown = report.to_string();
    assert!(
        shown.contains(&format!("seed {}: {} violations", report.seed, report.violations.len())),
        "{shown}"
    );
    assert!(shown.contains(&format!("VIOLATION {}", report.violations[0])), "{shown}");
}

#[test]
fn a_run_with_unlimited_delays_of_writes_ends_and_replays() {
    // The guarantees of such a run are not defined. It only must end, and replay.
    let [first, second] =
        [(); 2].map(|()| Simulation::new(4).with_writes_late_for_ever().run().unwrap());
    assert!(first.committed > 0);
    assert_eq!(first.trace, second.trace);
}
