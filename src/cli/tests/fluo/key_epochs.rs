//! Keys of a table whose rows may be written in several designs.

use crate::command::{Place, assert_says};

/// Rows were salted with 2 buckets, then with 4. The key of `a` (Java's hash 97) is 01 in both,
/// that of `b` 00 and then 02.
const SPEC: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n\
                    [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n";

const OLD: &str = "modulo (Java's String.hashCode modulo 2)";
const NEW: &str = "modulo (Java's String.hashCode modulo 4)";

/// Covers a bug: the command used the newest design only, and refused keys that every reader of the
/// table finds.
#[test]
fn converts_and_counts_keys_of_earlier_designs() {
    let place = Place::new();
    place.file("s.toml", SPEC);
    let run = place
        .fed("key remove --spec s.toml", "00|b\n02|b\n01|a\n")
        .succeeds();
    assert_eq!(run.text(), "b\nb\na\n");
    assert_eq!(
        run.stderr,
        format!(
            "1 of 3 keys is of an earlier design of the spec, where readers still look: 1 of epoch 1 of 2, {OLD}\n"
        )
    );
    let run = place
        .fed("key remove --spec s.toml", "00|b\n00|b\n")
        .succeeds();
    assert_says(&run.stderr, "2 of 2 keys are of an earlier design");
    // A key of both designs counts as one of the newest.
    let run = place
        .fed("key remove --spec s.toml", "02|b\n01|a\n")
        .succeeds();
    assert_eq!((run.text(), run.stderr.as_str()), ("b\na\n", ""));
}

#[test]
fn stops_at_a_key_of_no_design_of_the_spec() {
    let place = Place::new();
    place.file("s.toml", SPEC);
    let run = place.fed("key remove --spec s.toml", "00|b\n03|b\n");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.text(), "b\n");
    assert_says(
        &run.stderr,
        "1 of 1 key is of an earlier design of the spec",
    );
    assert_says(
        &run.stderr,
        "line 2: `03|b` is not a key of this modulo design: its salt is `03`, but that of its row is `02`; nor is it \
         one of an earlier design of the spec",
    );
}

#[test]
fn counts_keys_of_each_earlier_design() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"modulo\"\nbuckets = 8\nof = \"number\"\ntablets = 4\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n",
    );
    let run = place
        .fed("key remove --spec s.toml", "02|b\n00|b\n05|5\n")
        .succeeds();
    assert_eq!(
        run.stderr,
        format!(
            "2 of 3 keys are of an earlier design of the spec, where readers still look: 1 of epoch 1 of 3, {OLD}; 1 of \
             epoch 2 of 3, {NEW}\n"
        )
    );
}

/// Checks that without earlier designs no message mentions epochs.
#[test]
fn a_spec_of_one_design_has_no_epochs() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n",
    );
    let run = place.fed("key remove --spec s.toml", "02|b\n").succeeds();
    assert_eq!((run.text(), run.stderr.as_str()), ("b\n", ""));
}
