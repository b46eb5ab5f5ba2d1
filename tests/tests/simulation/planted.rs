//! The simulation finds every planted bug.

use std::collections::BTreeSet;

use super::asked::asked;
use super::plants::PLANTS;

/// Number of seeds in which a usual test run finds each bug that is not rare.
const USUAL_SEEDS: u64 = 120;

/// Finds each planted bug, and prints the table of `docs/testing.md`. A usual test run skips the
/// bugs that need many seeds; `cargo xtask simulate --planted` searches for all. Each violation is
/// printed with the rules that it breaks.
#[test]
fn every_planted_bug_is_found() {
    let asked = asked(USUAL_SEEDS);
    let mut missed = Vec::new();
    let mut broken = BTreeSet::new();
    println!("| planted bug | what it breaks | found by seed | by |\n|---|---|---|---|");
    for plant in PLANTS
        .iter()
        .filter(|plant| asked.is_asked || !plant.is_rare)
    {
        let found = (1..=asked.count)
            .map(|seed| plant.run(seed))
            .find(|report| !report.violations.is_empty());
        match found {
            Some(report) => {
                broken.extend(report.violations.iter().flat_map(|it| rules(it)));
                println!(
                    "| `{}` | {} | {} | {} |",
                    plant.name,
                    plant.breaks,
                    report.seed,
                    shown(&report.violations[0])
                );
            }
            None => missed.push(plant.name),
        }
    }
    assert!(
        missed.is_empty(),
        "not found within {} seeds: {missed:?}",
        asked.count
    );
    let page = include_str!("../../../docs/protocol.md");
    for rule in &broken {
        assert!(page.contains(rule), "docs/protocol.md has no rule {rule}");
    }
    let usual = ["C1", "O1", "P1", "P4", "P6", "R2", "S1", "T9"].map(str::to_owned);
    assert!(broken.is_superset(&usual.into()), "{broken:?}");
}

/// Returns the rules that a violation cites in front of its text: `T9, P4: ..`. A violation that is
/// only an error cites none.
fn rules(violation: &str) -> Vec<String> {
    let cited = violation
        .split_once(": ")
        .map_or("", |(rules, _)| rules)
        .split(", ");
    let is_rule = |name: &&str| {
        let number = name.strip_prefix(|letter: char| letter.is_ascii_uppercase());
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    cited.filter(is_rule).map(str::to_owned).collect()
}

/// Lists all bugs on the page, in their order and words. The seeds on the page are those of its
/// last update: any change of the engine or of the simulation may change them.
#[test]
fn the_page_lists_every_planted_bug() {
    let page = include_str!("../../../docs/testing.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let listed: Vec<_> = rows
        .map(|row| row.rsplit_once(" | ").unwrap_or_default().0.to_owned())
        .collect();
    let expected: Vec<_> = PLANTS
        .iter()
        .map(|plant| format!("| `{}` | {}", plant.name, plant.breaks))
        .collect();
    assert_eq!(listed, expected);
}

/// Returns the beginning of a violation.
fn shown(violation: &str) -> String {
    let line = violation.lines().next().unwrap_or_default();
    line.chars()
        .take(90)
        .map(|c| if c == '|' { '/' } else { c })
        .collect()
}
