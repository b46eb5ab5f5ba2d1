//! `fluo key remove` converts keys to rows, and refuses other lines.

use crate::command::{Place, assert_says};

#[test]
fn converts_keys_to_rows() {
    let place = Place::new();
    let key = "p:1yl0:org.wikipedia/accumulo\n";
    place
        .fed("key remove --prefix p", key)
        .prints("org.wikipedia/accumulo\n");
    place.fed("key remove --prefix p", "").prints("");
    place.fed("key remove --prefix p", "p:0000:\n").prints("\n");
}

#[test]
fn stops_at_a_line_that_is_not_a_key() {
    let place = Place::new();
    let run = place.fed(
        "key remove --prefix p",
        "p:1yl0:org.wikipedia/accumulo\np:1yl0:other\np:1yl0:org.wikipedia/accumulo\n",
    );
    assert_eq!(run.code, Some(2));
    assert_eq!(run.text(), "org.wikipedia/accumulo\n");
    assert_says(
        &run.error(),
        "line 2: key `p:1yl0:other` has hash `1yl0`, but scheme murmur3-base36 gives `",
    );
}

#[test]
fn describes_the_error_of_a_line() {
    let place = Place::new();
    for (line, part) in [
        (
            "",
            "line 1: key `` has 0 bytes, but the keys of this hasher have at least 7",
        ),
        ("p:1yl", "key `p:1yl` has 5 bytes"),
        ("q:1yl0:org.wikipedia/accumulo", "does not begin with `p:`"),
        ("p:1yL0:org.wikipedia/accumulo", "has `L` at offset 4"),
        (
            "p:1yl0.org.wikipedia/accumulo",
            "has `.` at offset 6, but `:` follows",
        ),
        (
            "p:1yl0:org.wikipedia/accumulo\r",
            "has hash `1yl0`, but scheme murmur3-base36 gives",
        ),
        ("p:1yl0:\u{1b}[31m", r"\x1b[31m"),
    ] {
        let message = place
            .fed("key remove --prefix p", format!("{line}\n"))
            .fails();
        assert_says(&message, part);
        assert!(message.starts_with("line 1: "), "{message}");
    }
    let message = place
        .fed("key remove --prefix p --encoding hex", "703a\n")
        .fails();
    assert_says(&message, "line 1: key `p:` has 2 bytes");
}

#[test]
fn each_scheme_refuses_the_keys_of_the_other() {
    let place = Place::new();
    let rows = "org.wikipedia/accumulo\n\na:b\n";
    for (ours, theirs) in [
        ("murmur3-base36", "sha1-base32"),
        ("sha1-base32", "murmur3-base36"),
    ] {
        let add = format!("key add --design row-hasher,prefix=p,scheme={theirs}");
        let keys = place.fed(&add, rows).succeeds();
        let message = place
            .fed(
                &format!("key remove --design row-hasher,prefix=p,scheme={ours}"),
                keys.stdout,
            )
            .fails();
        assert_says(
            &message,
            &format!("that of scheme {theirs}, but this hasher is {ours}"),
        );
        assert!(message.starts_with("line 1: key `p:"), "{message}");
    }
}

#[test]
fn a_row_with_a_newline_needs_an_encoding() {
    let place = Place::new();
    let key = place
        .fed("key add --prefix p --encoding hex", "0a\n")
        .succeeds();
    place
        .fed("key remove --prefix p --encoding hex", &key.stdout)
        .prints("0a\n");
    // As text, the newline ends the line, and the rest is not a key.
    assert_says(
        &place.fed("key remove --prefix p", "p:0002:\n\n").fails(),
        "line 1: key `p:0002:`",
    );
}
