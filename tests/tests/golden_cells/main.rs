//! The effect of each step of a transaction on the table, byte by byte, as `docs/protocol.md` shows
//! it.
//!
//! The page is compared with the cells that the engine writes into a table in memory. Timestamps
//! are predictable, because no other client requests any.

#![cfg(test)]

mod invariants;
mod observed;
mod recorded;
mod recovered;
mod shown;
mod stepping;
mod written;

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/protocol.md");

/// Returns the text of the page after the mark of this name.
fn golden(name: &str) -> &'static str {
    let mark = format!("<!-- golden: {name} -->\n```text\n");
    let (_, behind) = PAGE
        .split_once(&mark)
        .unwrap_or_else(|| panic!("docs/protocol.md has no mark `golden: {name}`"));
    let (text, _) = behind.split_once("```").unwrap();
    text
}

/// Panics unless the page shows this text, byte for byte.
fn is_on_the_page(name: &str, text: &str) {
    assert!(golden(name) == text, "docs/protocol.md should have, behind `golden: {name}`:\n{text}");
}

/// Panics unless the page shows a part of this text, byte for byte.
fn part_is_on_the_page(name: &str, text: &str) {
    assert!(
        text.contains(golden(name)),
        "docs/protocol.md should have, behind `golden: {name}`, a part of:\n{text}"
    );
}

#[test]
fn each_mark_of_the_page_has_a_test() {
    let marks: BTreeSet<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- golden: ")?.strip_suffix(" -->"))
        .collect();
    let compared = [written::GOLDEN.as_slice(), &recovered::GOLDEN, &observed::GOLDEN].concat();
    assert_eq!(marks, compared.into_iter().collect());
}
