//! What each step of a transaction leaves in the table, byte by byte, as `docs/protocol.md` shows it.
//!
//! The page is compared with what the engine writes into a table in memory. Timestamps are known, because nobody else
//! asks for any.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

mod ground;
mod invariants;
mod observed;
mod recovered;
mod shown;
mod stepping;
mod written;

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/protocol.md");

/// The text of the page behind the mark of this name.
fn golden(name: &str) -> &'static str {
    let mark = format!("<!-- golden: {name} -->\n```text\n");
    let (_, behind) = PAGE
        .split_once(&mark)
        .unwrap_or_else(|| panic!("docs/protocol.md has no mark `golden: {name}`"));
    let (text, _) = behind.split_once("```").unwrap();
    text
}

/// Fails unless the page shows this, to the byte.
fn is_on_the_page(name: &str, text: &str) {
    assert!(
        golden(name) == text,
        "docs/protocol.md should have, behind `golden: {name}`:\n{text}"
    );
}

#[test]
fn each_mark_of_the_page_is_looked_at() {
    let marks: BTreeSet<&str> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- golden: ")?.strip_suffix(" -->"))
        .collect();
    let looked_at = [
        written::GOLDEN.as_slice(),
        &recovered::GOLDEN,
        &observed::GOLDEN,
    ]
    .concat();
    assert_eq!(marks, looked_at.into_iter().collect());
}
