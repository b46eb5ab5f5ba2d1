//! `apply` waits until the tablets have moved, and `verify` until all checks pass.

use std::time::{Duration, Instant};

use crate::command::{Place, assert_says};

const VERIFY: &str = "table verify --at embedded:d --spec s.toml pages";

#[test]
fn apply_does_not_wait_with_no_wait() {
    let place = Place::with_table();
    let run = place
        .fluo("table apply --at embedded:d --spec s.toml --no-wait pages")
        .succeeds();
    assert!(!run.stderr.contains("spread:"), "{}", run.stderr);
    let message = place
        .fluo("table apply --at embedded:d --spec s.toml --no-wait --wait 1s pages")
        .refuses_arguments();
    assert_says(&message, "cannot be used with");
}

#[test]
fn verify_ends_its_wait_at_the_limit() {
    let place = Place::with_table();
    let start = Instant::now();
    let run = place.fluo(&format!("{VERIFY} --wait 700ms")).differs();
    assert!(start.elapsed() > Duration::from_millis(700));
    assert_says(run.text(), "NOT OK: ");
    assert_eq!(
        run.text().matches("NOT OK: ").count(),
        2,
        "only the last verdict is printed, in its first line and its last"
    );
}

#[test]
fn verify_does_not_wait_if_all_checks_pass() {
    let place = Place::with_table();
    place
        .fluo("table apply --at embedded:d --spec s.toml pages")
        .succeeds();
    let start = Instant::now();
    let run = place.fluo(&format!("{VERIFY} --wait 10m")).succeeds();
    assert!(start.elapsed() < Duration::from_secs(600));
    assert_says(
        run.text(),
        "\nOK: table pages is as the spec says; it has no rows, ",
    );
}
