//! Rows that are written only where they are absent.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

const LOAD: &str = "table load --at embedded:d pages --design modulo --create-if-absent";

#[test]
fn a_row_that_is_there_is_named_and_not_written() {
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
fn a_row_that_is_twice_in_the_input_is_written_once() {
    let place = Place::with_table();
    // Far apart and near, so that they are in one write and in two.
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
    // Nor is a row that is written whatever is there.
    place
        .fed("table load --at embedded:d pages --design modulo -", "a\n")
        .succeeds();
}

#[test]
fn what_stops_it_is_told_with_what_is_written() {
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
fn a_design_that_draws_its_salts_is_refused() {
    let place = Place::with_table();
    let message = place
        .fed(
            "table load --at embedded:d pages --design random-salt --buckets 4 --create-if-absent -",
            "a\n",
        )
        .fails();
    assert_eq!(
        message,
        "--create-if-absent looks whether the key of a row is there, and the salts of the design random-salt are drawn, \
         so that a row has many keys: use a design that computes them, such as modulo or digest-salt"
    );
    assert_eq!(place.shown()["entries"], 0);
}
