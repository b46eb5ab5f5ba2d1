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
    place.fluo(load).succeeds();
    place
}

/// Covers a bug: `load` and `delete` refused the table of an application, but `migrate` silently
/// moved 500 of its rows with their locks, whose primaries then no longer existed.
#[test]
fn refuses_the_table_of_an_application() {
    let place = Place::new();
    place.file("after.toml", AFTER);
    place.fluo("app init --at embedded:d web").succeeds();
    let migrate = "table migrate --at embedded:d --spec after.toml web";
    assert_eq!(
        place.fluo(migrate).fails(),
        "table `web` belongs to the application `web`: a row that is moved takes its locks and notifications to a key \
         that its transactions do not refer to; migrate a table without an application; --despite-application moves the \
         rows all the same"
    );
    place
        .fluo(&format!("{migrate} --despite-application"))
        .succeeds();
}

#[test]
fn moves_rows_and_verify_shows_the_progress() {
    let place = place();
    let verify = "table verify --at embedded:d --spec after.toml pages";
    place
        .fluo("table apply --at embedded:d --spec after.toml --no-wait pages")
        .succeeds();
    let run = place.fluo(verify);
    assert_eq!(run.code, Some(1));
    // Some rows have the same salt in both designs.
    let told = run.text();
    assert!(told.contains(" of 5,000; migrate them\n"), "{told}");
    assert!(!told.contains("are not its keys"), "{told}");

    let run = place
        .fluo("table migrate --at embedded:d --spec after.toml pages")
        .succeeds();
    assert_says(&run.stderr, "; all 5,000 rows are in the newest epoch");
    assert!(run.stderr.starts_with("table `pages`: "), "{}", run.stderr);
    place.fluo(verify).succeeds();

    let run = place
        .fluo("table migrate --at embedded:d --spec after.toml --json pages")
        .succeeds();
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(
        (&json["rows_moved"], &json["rows_left"]),
        (&0.into(), &0.into())
    );
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
    let run = place.fluo(&format!("{migrate} --json")).succeeds();
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(json["rows_left"], 0);
    // Rows that an interrupted step had already moved are not counted by either run.
    let later = json["rows_moved"].as_u64().unwrap();
    assert!(later > 0 && later + moved <= 60_000, "{moved} and {later}");
    let run = place.fluo(migrate).succeeds();
    assert_says(&run.stderr, "; all 60,000 rows are in the newest epoch");
}

#[test]
fn leaves_rows_of_neither_design_and_reports_them() {
    let place = place();
    // Keys among those of a salt, with rows that have another salt.
    place
        .fed("table load --at embedded:d --prefix 00| pages -", "b\n")
        .succeeds();
    let run = place
        .fluo("table migrate --at embedded:d --spec after.toml pages")
        .succeeds();
    assert_says(
        &run.stderr,
        "1 row left alone, as none of the designs makes such keys",
    );
}

#[test]
fn refuses_a_spec_without_an_earlier_design() {
    let place = place();
    let run = place.fluo("table migrate --at embedded:d --spec before.toml pages");
    assert_eq!(run.code, Some(2));
    assert_says(
        &run.stderr,
        "the spec before.toml names no earlier design: write [[key_design.before]] with the settings that the rows were \
         written with",
    );
}

#[test]
fn refuses_designs_that_cannot_share_a_table() {
    let place = place();
    place.file(
        "reversed.toml",
        "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n[[key_design.before]]\ndesign = \"reversed\"\n\
         length = \"stored\"\n",
    );
    let run = place.fluo("table migrate --at embedded:d --spec reversed.toml pages");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_says(&run.stderr, "line 1, column 1 of reversed.toml");

    place.file(
        "wrong.toml",
        "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n[[key_design.before]]\ndesign = \"modulo\"\nbuckets = 0\n",
    );
    let run = place.fluo("table migrate --at embedded:d --spec wrong.toml pages");
    assert_says(
        &run.stderr,
        "the number of buckets cannot be 0: give 1 to 1000000, at line 4, column 1 of wrong.toml",
    );
}
