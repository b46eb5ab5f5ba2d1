//! The simulation finds bugs of the table and of the coordination.

use std::collections::BTreeSet;

use fluo_simulation::{Simulation, WorldBug};

use super::checked;

/// Number of seeds in which each bug is found.
const SEEDS: u64 = 120;

/// All bugs, each with a rule that it breaks.
const BUGS: [(WorldBug, &str); 10] = [
    (WorldBug::TimestampTwice, "C1"),
    (WorldBug::UnknownAsAccepted, "P6"),
    (WorldBug::UnknownAsRejected, "P6"),
    (WorldBug::WriteLost, "O1"),
    (WorldBug::RowTorn, "S1"),
    (WorldBug::TogetherTorn, "S1"),
    (WorldBug::ConditionIgnored, "T9"),
    (WorldBug::CellNotRead, "S1"),
    (WorldBug::HorizonTooFar, "S1"),
    (WorldBug::GarbageInFlushes, "R2"),
];

/// Finds each bug by the rule that it breaks. The rules that the violations cite are those of the
/// documentation.
#[test]
fn every_bug_of_the_table_and_the_coordination_is_found() {
    let mut missed = Vec::new();
    let mut broken = BTreeSet::new();
    for (bug, rule) in BUGS {
        let is_found = (1..=SEEDS).any(|seed| {
            let violations = checked(Simulation::new(seed).with_bug(bug)).violations;
            let cited: BTreeSet<_> = violations.iter().flat_map(|it| rules(it)).collect();
            let is_found = cited.contains(rule);
            if is_found {
                println!("{bug:?}: seed {seed}: {violations:?}");
            }
            broken.extend(cited);
            is_found
        });
        if !is_found {
            missed.push((bug, rule));
        }
    }
    assert!(missed.is_empty(), "not found within {SEEDS} seeds: {missed:?}");
    let page = include_str!("../../../../docs/protocol.md");
    for rule in &broken {
        assert!(page.contains(rule), "docs/protocol.md has no rule {rule}");
    }
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
