//! Sets of rows between two bounds.

use crate::command::{Place, assert_says};

#[test]
fn bounds_of_composite_rows_apply_to_the_first_part() {
    Place::new()
        .fluo("key spans --design composite,fields=[{kind='unsigned'}] --from 5 --to 10")
        .prints(
            "[\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05, \\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0a)\n",
        );
}

#[test]
fn reports_an_empty_set() {
    let place = Place::new();
    for design in ["modulo", "unsalted", "reverse-time,time=first"] {
        let (from, to) = if design.contains("time") {
            ("10", "5")
        } else {
            ("b", "a")
        };
        let run = place
            .fluo(&format!(
                "key spans --design {design} --from {from} --to {to}"
            ))
            .succeeds();
        assert_eq!(run.text(), "");
        assert_says(
            &run.stderr,
            "no row is in this set: --from is not before --to",
        );
    }
}

/// Checks the pieces of all designs: a reader that used only the pieces of the newest design would
/// miss rows that have not moved yet.
#[test]
fn prints_the_pieces_of_earlier_designs_too() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"modulo\"\nbuckets = 3\ntablets = 3\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n",
    );
    let run = place
        .fluo("key spans --spec s.toml --prefix-of user-1")
        .succeeds();
    // Pieces that both designs have are printed once, with those of the newest.
    assert_eq!(
        run.text(),
        "[00|user-1, 00|user-2)\n[01|user-1, 01|user-2)\n[02|user-1, 02|user-2)\n"
    );
    assert_eq!(
        run.stderr,
        "rows may be written in 2 designs: these are the pieces of all of them, those of the oldest first, as they \
         must be read\n"
    );
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"digest-salt\"\ndigits = 1\nseparator = \"-\"\ntablets = 4\n\
         [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\nof = \"number\"\n",
    );
    let run = place.fluo("key spans --spec s.toml --row 7").succeeds();
    assert_eq!(
        run.text().lines().collect::<Vec<_>>(),
        ["[01|7, 01|7\\x00)", "[8-7, 8-7\\x00)"]
    );
    // The row is not a number, so it has no key in the earlier design.
    let run = place
        .fluo("key spans --spec s.toml --row abc001")
        .succeeds();
    assert_eq!(run.text(), "[9-abc001, 9-abc001\\x00)\n");
    let run = place
        .fluo("key spans --spec s.toml --json --row 7")
        .succeeds();
    assert_eq!(run.json().as_array().unwrap().len(), 2);
}
