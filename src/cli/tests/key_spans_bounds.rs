//! Sets of rows between two bounds.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

/// It was refused with the advice to ask for the rows between two times, which was what was asked.
#[test]
fn bounds_alone_are_of_the_first_part_where_rows_are_made_of_parts() {
    let place = Place::new();
    place
        .fluo("key spans --design reverse-time --time first --from 5 --to 10")
        .prints("[9223372036854775798, 9223372036854775803)\n");
    place
        .fluo("key spans --design composite --field unsigned --from 5 --to 10")
        .prints(
            "[\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x05, \\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x0a)\n",
        );
    // Rows that lie in their own order have ranges.
    place
        .fluo("key spans --design unsalted --from a --to b")
        .prints("[a, b)\n");
}

#[test]
fn an_empty_set_is_called_empty() {
    let place = Place::new();
    for design in ["modulo", "unsalted", "reverse-time --time first"] {
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
            "no row is in this set: what --from says is not before what --to says",
        );
    }
}
