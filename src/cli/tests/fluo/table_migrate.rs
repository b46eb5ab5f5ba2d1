//! `fluo table migrate`: more salts for a table in use.

use std::time::Duration;

use crate::command::{Place, assert_says, ended};

const BEFORE: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n";
const AFTER: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 16\ntablets = 16\n\
                     [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n";

/// Creates a table of five thousand rows in the earlier design.
fn place() -> Place {
    place_of(5_000)
}

fn place_of(rows: usize) -> Place {
    let place = Place::with_table();
    place.file("before.toml", BEFORE);
    place.file("after.toml", AFTER);
    let rows: String = (0..rows).map(|row| format!("row {row}\n")).collect();
    place.file("rows", &rows);
    let load = "table load --at embedded:d --spec before.toml pages rows";
    place.runs(load);
    place
}

#[test]
fn moves_rows_and_verify_shows_the_progress() {
    let place = place();
    let verify = "table verify --at embedded:d --spec after.toml pages";
    place.runs("table apply --at embedded:d --spec after.toml --no-wait pages");
    let run = place.fluo(verify);
    assert_eq!(run.code, Some(1));
    // Some rows have the same salt in both designs.
    let told = run.text();
    assert!(told.contains(" of 5,000; migrate them\n"), "{told}");
    assert!(!told.contains("are not its keys"), "{told}");

    let run = place.runs("table migrate --at embedded:d --spec after.toml pages");
    assert_says(&run.stderr, "; all 5,000 rows are in the newest epoch");
    assert!(run.stderr.starts_with("table `pages`: "), "{}", run.stderr);
    place.runs(verify);

    let run = place.runs("table migrate --at embedded:d --spec after.toml --json pages");
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!((&json["rows_moved"], &json["rows_left"]), (&0.into(), &0.into()));
}

/// Checks that an interrupted migration reports its progress, and the next run completes it.
#[cfg(unix)]
#[test]
fn an_interrupted_migration_reports_its_progress() {
    let place = place_of(60_000);
    let migrate = "table migrate --at embedded:d --spec after.toml pages";
    let mut moved = 0;
    // Before the command listens, a signal ends it at once; after the last row there is nothing to
    // interrupt. So the delay grows.
    for wait in (1..).map(|n| Duration::from_millis(100 * n)) {
        let child = place.command(migrate.split(' ')).spawn().unwrap();
        std::thread::sleep(wait);
        crate::command::signal(child.id(), "TERM");
        let run = ended(child);
        if run.stderr.is_empty() {
            continue;
        }
        assert_eq!(run.code, Some(143), "{}", run.stderr);
        let told = run.stderr.trim_end();
        let rest = told.strip_prefix("interrupted: ").unwrap();
        let (rows, rest) = rest.split_once(' ').unwrap();
        assert!(
            rest.ends_with(
                " of table `pages` were moved; no row is lost, and migrating again continues"
            ),
            "{told}"
        );
        moved = rows.replace(',', "").parse().unwrap();
        if moved > 0 {
            break;
        }
    }
    let run = place.runs(&format!("{migrate} --json"));
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(json["rows_left"], 0);
    // Rows that an interrupted step had already moved are not counted by either run.
    let later = json["rows_moved"].as_u64().unwrap();
    assert!(later > 0 && later + moved <= 60_000, "{moved} and {later}");
    let run = place.runs(migrate);
    assert_says(&run.stderr, "; all 60,000 rows are in the newest epoch");
}
