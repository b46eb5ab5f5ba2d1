//! Keys of a table whose rows may be written in several designs.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

/// Rows were salted with 2 buckets, then with 4. The key of `a` (Java's hash 97) is 01 in both,
/// that of `b` 00 and then 02.
const SPEC: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n\
                    [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n";

const OLD: &str = "modulo (Java's String.hashCode modulo 2)";
const NEW: &str = "modulo (Java's String.hashCode modulo 4)";

fn words(text: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).collect()
}

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
    let refusal = "`03|b` is not a key of this modulo design: its salt is `03`, but that of its row is `02`; nor is it \
                   one of an earlier design of the spec";
    assert_says(&run.stderr, &format!("line 2: {refusal}"));
    assert_eq!(
        place.fluo("key explain --spec s.toml 00|b 03|b").fails(),
        refusal
    );
}

#[test]
fn explains_the_epoch_of_a_key() {
    let place = Place::new();
    place.file("s.toml", SPEC);
    let epoch_of = |key: &str| {
        let run = place
            .fluo(&format!("key explain --spec s.toml {key}"))
            .succeeds();
        let told = words(run.text());
        let epoch = told.iter().find(|line| line.starts_with("epoch "));
        epoch.unwrap_or_else(|| panic!("{told:?}")).clone()
    };
    assert_eq!(
        epoch_of("00|b"),
        format!(
            "epoch 1 of 2, an earlier one: {OLD}; readers still look here, new writes go to 02|b, and a migration \
             moves the row there"
        )
    );
    assert_eq!(epoch_of("02|b"), format!("epoch 2 of 2, the newest: {NEW}"));
    assert_eq!(
        epoch_of("01|a"),
        format!(
            "epoch 2 of 2, the newest: {NEW}; epoch 1 makes the same key, which counts as the newer's"
        )
    );
    // The tablet is that of the spec, because a table has only one set of split points.
    let run = place.fluo("key explain --spec s.toml 00|b").succeeds();
    assert_says(run.text(), "1 of 4: the rows before, up to 01");

    let json = place
        .fluo("key explain --spec s.toml --json 00|b 01|a")
        .json();
    assert_eq!(json[0]["row"], "b");
    assert_eq!(
        json[0]["epoch"],
        serde_json::json!({"number": 1, "epochs": 2, "design": OLD, "also": [], "newest_key": "02|b"})
    );
    assert_eq!(
        json[1]["epoch"],
        serde_json::json!({"number": 2, "epochs": 2, "design": NEW, "also": [1], "newest_key": "01|a"})
    );
}

#[test]
fn reports_rows_that_stay_in_an_earlier_design() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"modulo\"\nbuckets = 8\nof = \"number\"\ntablets = 4\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n",
    );
    let run = place.fluo("key explain --spec s.toml 02|b").succeeds();
    assert_says(
        run.text(),
        "; readers still look here, and the row stays, as the newest has no key for it",
    );
    let run = place.fluo("key explain --spec s.toml 01|a").succeeds();
    assert_says(run.text(), "2 of 3, an earlier one: modulo");
    assert_says(
        run.text(),
        "; epoch 1 makes the same key, which counts as the newer's",
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
    let json = place.fluo("key explain --spec s.toml --json 02|b").json();
    assert_eq!(json[0]["epoch"], serde_json::Value::Null);
}

/// Checks that the commands refuse designs that no reader of a table accepts together.
#[test]
fn refuses_designs_that_cannot_share_a_table() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n[[key_design.before]]\ndesign = \"reversed\"\n\
         length = \"stored\"\n",
    );
    for command in ["key remove --spec s.toml", "key explain --spec s.toml 00|b"] {
        assert_says(
            &place.fed(command, "00|b\n").fails(),
            "copy the table for another form, at line 1, column 1 of s.toml",
        );
    }
}
