//! Rows into a table.

#![cfg(test)]

mod command;

use std::io::Write;
use std::process::Stdio;

use command::{Place, ROWS, assert_says, ended};

const LOAD: &str = "table load --at embedded:d pages --prefix p";

#[test]
fn a_file_is_loaded_and_counted() {
    let place = Place::with_table();
    place.file("rows.txt", ROWS);
    let run = place.fluo(&format!("{LOAD} rows.txt")).succeeds();
    assert_eq!(run.text(), "");
    assert_says(&run.stderr, "4,208 rows written to table `pages` in ");
    assert_eq!(run.stderr.lines().count(), 1);
    assert_eq!(place.shown()["entries"], 4_208);
}

#[test]
fn json_has_the_figures() {
    let place = Place::with_table();
    let run = place.fed(&format!("{LOAD} --json -"), "a\nb\n");
    assert_eq!(run.stderr, "");
    let json = run.json();
    assert_eq!(
        (&json["table"], &json["rows"]),
        (&"pages".into(), &2.into())
    );
    assert!(
        json["seconds"].is_f64() && json["rows_per_second"].is_f64(),
        "{json}"
    );
}

#[test]
fn rows_are_bytes_however_they_are_written() {
    let place = Place::with_table();
    place
        .fed(&format!("{LOAD} --encoding hex -"), "00ff0a3a\n\n")
        .succeeds();
    place
        .fed(
            &format!("{LOAD} --encoding base64 --column :x -"),
            "AP8KOg==\n\n",
        )
        .succeeds();
    place
        .fed(&format!("{LOAD} --column page: -"), b"a\0\xff:b\r\n\n")
        .succeeds();
    let megabytes = format!("{0}\n{0}y\n", "x".repeat(3 << 20));
    place.fed(&format!("{LOAD} -"), megabytes).succeeds();
    assert_eq!(
        place.shown()["entries"],
        8,
        "each load wrote rows or columns of its own"
    );
    place.file("one.toml", "[[row_hasher]]\nprefix = \"p\"\ntablets = 1\n");
    place
        .fluo("table apply --at embedded:d --spec one.toml pages")
        .succeeds();
    let verdict = place
        .fluo("table verify --at embedded:d --spec one.toml --json pages")
        .json();
    assert_eq!(verdict["rows"][0]["total"], 5, "{verdict}");
}

#[test]
fn nothing_is_nothing() {
    let place = Place::with_table();
    let run = place.fed(&format!("{LOAD} -"), "").succeeds();
    assert_says(&run.stderr, "0 rows written to table `pages`");
    assert_eq!(place.shown()["entries"], 0);
}

#[test]
fn a_line_that_is_no_row_stops_the_load_and_says_what_is_written() {
    let place = Place::with_table();
    let message = place
        .fed(&format!("{LOAD} --encoding hex -"), "00\n01\n0\n02\n")
        .fails();
    assert_eq!(
        message,
        "the load stopped after 2 rows were written: line 3: it is not hex: two of 0-9a-f for each byte (invalid \
         length at 0)"
    );
    assert_eq!(place.shown()["entries"], 2);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let place = Place::with_table();
    let message = place.fluo(&format!("{LOAD} nope.txt")).fails();
    assert_says(&message, "cannot read the rows of nope.txt: ");
    let message = place.fluo(&format!("{LOAD} tmp")).fails();
    assert_eq!(message, "cannot read the rows of tmp: it is a directory");
}

#[test]
fn arguments_are_checked() {
    let place = Place::with_table();
    let message = place
        .fluo(&format!("{LOAD} --column x -"))
        .refuses_arguments();
    assert_says(
        &message,
        "a column is a family, a `:` and a qualifier; either may be empty",
    );
    assert_says(&place.fluo(LOAD).refuses_arguments(), "<FILE>");
    let message = place
        .with(
            "table load --at embedded:d pages - --prefix"
                .split(' ')
                .chain([""]),
        )
        .fails();
    assert_says(&message, "the prefix of a row hasher is empty");
}

/// Told at once, and not when the input ends, which may be never.
#[test]
fn a_row_that_the_table_refuses_stops_a_load_whose_input_goes_on() {
    let place = Place::with_table();
    let arguments = format!("{LOAD} -");
    let mut child = place
        .command(arguments.split(' '))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(format!("small\n{}\n", "x".repeat(17_000_000)).as_bytes())
        .unwrap();
    let message = ended(child).fails();
    drop(stdin);
    assert_says(&message, "the load stopped after 0 rows were written: ");
    assert_says(
        &message,
        "has 17000033 bytes; this table takes 16777216 at most",
    );
}
