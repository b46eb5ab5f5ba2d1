//! Rows that are written only if they are absent.

use crate::command::{Place, assert_says};

const LOAD: &str = "table load --at embedded:d pages --design modulo --create-if-absent";

#[test]
fn writes_a_repeated_row_once() {
    let place = Place::with_table();
    // Some repeated rows are near each other and some are far apart, so they are in one write and
    // in two.
    let mut rows: Vec<_> = (0..5_000).map(|n| format!("row {n}")).collect();
    rows[4_321] = "row 17".to_owned();
    rows[4_322] = "row 4323".to_owned();
    let run = place.fed(&format!("{LOAD} -"), rows.join("\n"));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("2 rows there already and not written:\n"), "{}", run.stderr);
    assert_eq!(place.shown()["entries"], 4_998);
    let run = place.fed(&format!("{LOAD} -"), rows.join("\n"));
    assert!(run.stderr.starts_with("5,000 rows there already"), "{}", run.stderr);
    assert_says(&run.stderr, "\n  line 10: `row 9`");
    assert_says(&run.stderr, "\n  and 4,990 more\n0 rows written to table");
    assert_eq!(run.stderr.lines().count(), 13);
}
