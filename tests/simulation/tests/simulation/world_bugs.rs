//! The simulation finds bugs of the table and of the coordination.

use std::collections::BTreeSet;

use fluo_simulation::{Simulation, WorldBug};

use super::checked;

/// Number of seeds in which each bug is found.
const SEEDS: u64 = 120;

/// All bugs.
const BUGS: [WorldBug; 10] = [
    WorldBug::TimestampTwice,
    WorldBug::UnknownAsAccepted,
    WorldBug::UnknownAsRejected,
    WorldBug::WriteLost,
    WorldBug::RowTorn,
    WorldBug::TogetherTorn,
    WorldBug::ConditionIgnored,
    WorldBug::CellNotRead,
    WorldBug::HorizonTooFar,
    WorldBug::GarbageInFlushes,
];

/// Finds each bug. The rules that the violations cite are those of the documentation.
#[test]
fn every_bug_of_the_table_and_the_coordination_is_found() {
    let mut missed = Vec::new();
    let mut broken = BTreeSet::new();
    for bug in BUGS {
        let found = (1..=SEEDS)
            .map(|seed| checked(Simulation::new(seed).with_bug(bug)))
            .find(|report| !report.violations.is_empty());
        let Some(report) = found else {
            missed.push(bug);
            continue;
        };
        println!("{bug:?}: seed {}: {:?}", report.seed, report.violations);
        broken.extend(report.violations.iter().flat_map(|it| rules(it)));
    }
    assert!(missed.is_empty(), "not found within {SEEDS} seeds: {missed:?}");
    let page = include_str!("../../../../docs/protocol.md");
    for rule in &broken {
        assert!(page.contains(rule), "docs/protocol.md has no rule {rule}");
    }
    let usual = ["C1", "S1", "T9"].map(str::to_owned);
    assert!(broken.is_superset(&usual.into()), "{broken:?}");
}

/// Returns the rules that a violation cites in front of its text: `T9, P4: ..`. A violation that is
/// only an error cites none.
fn rules(violation: &str) -> Vec<String> {
    let cited = violation.split_once(": ").map_or("", |(rules, _)| rules).split(", ");
    let is_rule = |name: &&str| {
        let number = name.strip_prefix(|letter: char| letter.is_ascii_uppercase());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    cited.filter(is_rule).map(str::to_owned).collect()
}
