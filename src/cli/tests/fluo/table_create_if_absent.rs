//! Rows that are written only if they are absent.

use crate::command::{Place, assert_says};

const LOAD: &str = "table load --at embedded:d pages --design modulo --create-if-absent";

#[test]
fn names_existing_rows_and_does_not_write_them() {
    let place = Place::with_table();
    let run = place.fed(&format!("{LOAD} -"), "a\nb\nc\n").succeeds();
    assert_eq!(run.stderr.lines().count(), 1);
    assert_says(&run.stderr, "3 rows written to table `pages` in ");

    let run = place.fed(&format!("{LOAD} -"), "d\nb\ne\na\n");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.starts_with(
            "2 rows there already and not written:\n  line 2: `b` (key `08|b`)\n  line 4: `a` (key `07|a`)\n2 rows \
             written to table `pages` in "
        ),
        "{}",
        run.stderr
    );
    assert_eq!(place.shown()["entries"], 5);

    let run = place.fed(&format!("{LOAD} --json -"), "f\na\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let json: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!((&json["rows"], &json["conflicts"]), (&1.into(), &1.into()));
    assert_eq!(
        json["first_conflicts"],
        serde_json::json!([{ "line": 2, "row": "a", "key": "07|a" }])
    );
    assert_eq!(
        (&json["unsure"], &json["first_unsure"]),
        (&0.into(), &serde_json::json!([]))
    );
}

#[test]
fn writes_a_repeated_row_once() {
    let place = Place::with_table();
    // Some repeated rows are near each other and some are far apart, so they are in one write and
    // in two.
    let mut rows: Vec<_> = (0..5_000).map(|n| format!("row {n}")).collect();
    rows[4_321] = "row 17".to_owned();
    rows[4_322] = "row 4323".to_owned();
    let run = place.fed(&format!("{LOAD} -"), rows.join("\n"));
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr
            .starts_with("2 rows there already and not written:\n"),
        "{}",
        run.stderr
    );
    assert_eq!(place.shown()["entries"], 4_998);
    let run = place.fed(&format!("{LOAD} -"), rows.join("\n"));
    assert!(
        run.stderr.starts_with("5,000 rows there already"),
        "{}",
        run.stderr
    );
    assert_says(&run.stderr, "\n  line 10: `row 9`");
    assert_says(&run.stderr, "\n  and 4,990 more\n0 rows written to table");
    assert_eq!(run.stderr.lines().count(), 13);
}

#[test]
fn another_column_is_no_conflict() {
    let place = Place::with_table();
    place.fed(&format!("{LOAD} -"), "a\n").succeeds();
    place
        .fed(&format!("{LOAD} --column page:uri -"), "a\n")
        .succeeds();
    // An unconditional load of the row is no conflict either.
    place
        .fed("table load --at embedded:d pages --design modulo -", "a\n")
        .succeeds();
}

#[test]
fn reports_the_error_and_the_number_of_written_rows() {
    let place = Place::with_table();
    let message = place
        .fed(&format!("{LOAD} --encoding hex -"), "61\n62\n0\n")
        .fails();
    assert_says(
        &message,
        "the load stopped after 2 rows were written: line 3: it is not hex",
    );
    let message = place.fed(&format!("{LOAD} -"), b"ok\n\xff\n").fails();
    assert_says(&message, "line 2: `\\xff` is not UTF-8 text");
}

#[test]
fn refuses_designs_with_drawn_salts() {
    let place = Place::with_table();
    let message = place
        .fed(
            "table load --at embedded:d pages --design random-salt,buckets=4 --create-if-absent -",
            "a\n",
        )
        .fails();
    assert_eq!(
        message,
        "--create-if-absent checks whether the key of a row exists, and the salts of the design random-salt are drawn, \
         so a row has many keys: use a design that computes them, such as modulo or digest-salt"
    );
    assert_eq!(place.shown()["entries"], 0);
}

const OLD: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n";
const NEW: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 16\ntablets = 16\n\
                   [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n";

/// Returns the messages of a `table load` that finds existing rows, and the number of entries.
fn there_already(place: &Place, spec: &str, rows: &str) -> (String, u64) {
    let load = format!("table load --at embedded:d pages --spec {spec} --create-if-absent -");
    let run = place.fed(&load, rows);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let entries = place.shown()["entries"].as_u64().unwrap();
    (run.stderr, entries)
}

/// Covers a bug: while rows move to a design with more salts, the spec names the earlier one. The
/// load checked only the newest key, so it wrote a row that had not moved yet a second time, and
/// counted it as new.
#[test]
fn finds_existing_rows_under_earlier_keys() {
    let place = Place::with_table();
    place.file("old.toml", OLD);
    place.file("new.toml", NEW);
    let load = "table load --at embedded:d pages --spec old.toml -";
    place.fed(load, "a\nb\nc\nd\n").succeeds();

    // `a` (97) is 01 of 4 and of 16; `b` (98) is 02 of both; `z` (122) is 02 of 4 and 10 of 16.
    place.fed(load, "z\n").succeeds();
    let (told, entries) = there_already(&place, "new.toml", "e\nz\na\n");
    assert!(
        told.starts_with(
            "2 rows there already and not written:\n  line 2: `z` (key `02|z`)\n  line 3: `a` (key `01|a`)\n1 row written"
        ),
        "{told}"
    );
    assert_eq!(entries, 6);

    // After the migration it exists under its new key.
    place
        .fluo("table migrate --at embedded:d --spec new.toml pages")
        .succeeds();
    let (told, _) = there_already(&place, "new.toml", "z\nf\n");
    assert_says(&told, "  line 1: `z` (key `10|z`)\n1 row written");
}

#[test]
fn finds_many_existing_rows_under_earlier_keys() {
    let place = Place::with_table();
    place.file("old.toml", OLD);
    place.file("new.toml", NEW);
    let rows: Vec<_> = (0..3_000).map(|n| format!("row {n}")).collect();
    place
        .fed(
            "table load --at embedded:d pages --spec old.toml -",
            rows.join("\n"),
        )
        .succeeds();
    let more: Vec<_> = (1_000..4_000).map(|n| format!("row {n}")).collect();
    let (told, entries) = there_already(&place, "new.toml", &more.join("\n"));
    assert!(
        told.starts_with("2,000 rows there already and not written:\n"),
        "{told}"
    );
    assert_says(&told, "\n1,000 rows written to table");
    assert_eq!(entries, 4_000);
}

#[test]
fn refuses_designs_that_cannot_share_a_table() {
    let place = Place::with_table();
    let reversed = "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n\
                    [[key_design.before]]\ndesign = \"reversed\"\nlength = \"stored\"\n";
    place.file("s.toml", reversed);
    let load = "table load --at embedded:d pages --spec s.toml";
    let message = place
        .fed(&format!("{load} --create-if-absent -"), "a\n")
        .fails();
    assert_says(&message, "line 1, column 1 of s.toml");
    assert_says(&message, "write rows differently");
    assert_eq!(place.shown()["entries"], 0);
}
