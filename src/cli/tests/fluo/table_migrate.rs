//! `fluo table migrate`: more salts for a table in use, or a hash for plain rows.

#![cfg(unix)]

use std::time::Duration;

use crate::command::{Place, assert_says, ended};

const PLAIN: &str = "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = []\n";
const HASHED: &str = "[[row_hasher]]\nprefix = \"p\"\ntablets = 4\n\
                      [[row_hasher.before]]\ndesign = \"unsalted\"\n";
const BEFORE: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n";
const AFTER: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 16\ntablets = 16\n\
                     [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n";

/// Checks that an interrupted migration reports its progress, and the next run completes it.
#[test]
fn an_interrupted_migration_reports_its_progress() {
    interrupt(BEFORE, AFTER);
}

#[test]
fn an_interrupted_migration_to_a_row_hasher_reports_its_progress() {
    interrupt(PLAIN, HASHED);
}

fn interrupt(before: &str, after: &str) {
    let place = Place::with_table();
    place.file("before.toml", before);
    place.file("after.toml", after);
    let rows: String = (0..60_000).map(|row| format!("row {row}\n")).collect();
    place.file("rows", &rows);
    place.runs("table load --at embedded:d --spec before.toml pages rows");
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
