//! `fluo key explain` describes each part of a key.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

const KEY: &str = "p:1yl0:org.wikipedia/accumulo";

#[test]
fn describes_the_parts_and_the_tablet() {
    let place = Place::new();
    let run = place
        .fluo(&format!("key explain --prefix p --tablets 20 {KEY}"))
        .succeeds();
    let told: Vec<_> = run
        .text()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        told,
        [
            "key p:1yl0:org.wikipedia/accumulo",
            "prefix p",
            "hash 1yl0 (murmur3-base36: number 91,476 of 1,679,616)",
            "row org.wikipedia/accumulo",
            "tablet 2 of 20: after p:1sst, up to p:3llm",
        ]
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn describes_the_bounds_of_the_first_and_the_last_tablet() {
    let place = Place::new();
    let run = place
        .fluo("key explain --prefix p --tablets 2 p:0000:")
        .succeeds();
    assert_says(run.text(), "1 of 2: the rows before, up to p:i000");
    let json = place
        .fluo("key explain --prefix p --tablets 1 --json p:0000:")
        .json();
    assert_eq!(json[0]["row"], "");
    assert_eq!(
        json[0]["tablet"],
        serde_json::json!({ "number": 1, "tablets": 1, "after_row": null, "end_row": "p:~" })
    );
}

#[test]
fn json_has_every_key_in_order() {
    let place = Place::new();
    let json = place
        .fluo(&format!("key explain --prefix p --json {KEY} p:0000:"))
        .json();
    assert_eq!(
        json[0],
        serde_json::json!({
            "key": KEY, "prefix": "p", "hash": "1yl0", "hash_number": 91_476, "hash_space": 1_679_616,
            "scheme": "murmur3-base36", "row": "org.wikipedia/accumulo",
        })
    );
    assert_eq!(json[1]["hash_number"], 0);
}

#[test]
fn notes_the_even_formula_on_standard_error() {
    let place = Place::new();
    let run = place
        .fluo(&format!("key explain --prefix p --tablets 1297 {KEY}"))
        .succeeds();
    assert_says(run.text(), "of 1297: after ");
    assert_eq!(
        run.stderr,
        "note: at 1297 tablets Fluo's split formula would leave the last one too small; the even formula is used\n"
    );
}

#[test]
fn reads_encoded_keys_and_escapes_the_output() {
    let place = Place::new();
    let run = place
        .fluo("key explain --prefix p --encoding hex 703a697a6c783a00ff0a3a")
        .succeeds();
    assert_says(run.text(), r"\x00\xff\x0a:");
    let run = place
        .fluo("key explain --prefix p --encoding base64 cDppemx4OgD/Cjo=")
        .succeeds();
    assert_says(run.text(), r"\x00\xff\x0a:");
}

#[cfg(unix)]
#[test]
fn accepts_keys_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let key = place
        .fed("key add --prefix p", b"\xff\x1b\n")
        .succeeds()
        .stdout;
    let key = OsStr::from_bytes(key.trim_ascii_end());
    let arguments = ["key", "explain", "--prefix", "p"].map(OsStr::new);
    let run = place.with(arguments.into_iter().chain([key])).succeeds();
    assert_says(run.text(), r":\xff\x1b");
}

#[test]
fn refuses_a_wrong_key_by_name() {
    let place = Place::new();
    let message = place.fluo("key explain --prefix p q:1yl0:x").fails();
    assert_eq!(
        message,
        "key `q:1yl0:x` does not begin with `p:`, as the keys of this hasher do"
    );
    let message = place
        .fluo(&format!("key explain --prefix p {KEY} p:0000:x"))
        .fails();
    assert_says(&message, "key `p:0000:x` has hash `0000`");
    let message = place
        .fluo("key explain --prefix p --encoding hex zz")
        .fails();
    assert_eq!(
        message,
        "key `zz`: it is not hex: two of 0-9a-f for each byte (invalid symbol at 0)"
    );
    let message = place
        .fluo("key explain --prefix p --tablets 0 p:0000:")
        .fails();
    assert_eq!(message, "a table has at least 1 tablet, not 0");
    assert_says(
        &place.fluo("key explain --prefix p").refuses_arguments(),
        "<KEY>...",
    );
}
