//! The simulation finds every planted bug.

use super::asked::asked;
use super::plants::PLANTS;

/// Seeds within which a usual test run finds those that are not rare.
const USUAL_SEEDS: u64 = 40;

/// Finds each planted bug, and prints the table of `docs/testing.md`. A usual test run leaves out those that need many
/// seeds: `cargo xtask simulate --planted` looks for all.
#[test]
fn every_planted_bug_is_found() {
    let asked = asked(USUAL_SEEDS);
    let mut missed = Vec::new();
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
}

/// The page lists all of them, in their order and words. The seeds are those of the last time that somebody made the
/// table anew: any change of the engine or of the simulation may move them.
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

/// The beginning of a violation.
fn shown(violation: &str) -> String {
    let line = violation.lines().next().unwrap_or_default();
    line.chars()
        .take(90)
        .map(|c| if c == '|' { '/' } else { c })
        .collect()
}
