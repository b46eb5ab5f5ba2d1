//! Key designs on a real table: rows that must be new, a table of a design, and advice on what is there.

use super::{assert_says, fluo, name};

/// Numbers that are counted up, one a line.
fn rows(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| format!("{number:09}\n")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_is_there_is_named_and_not_written() {
    let Some(fluo) = fluo() else { return };
    let table = name("cli_absent");
    fluo.file("some.txt", rows(0..1_000));
    fluo.file("more.txt", rows([1_000, 7].into_iter()));
    fluo.run(&format!("create {table}")).succeeds();
    let load = format!("load {table} --design modulo --create-if-absent --json");
    let run = fluo.run(&format!("{load} some.txt")).succeeds().json();
    assert_eq!(
        (&run["rows"], &run["conflicts"]),
        (&1_000.into(), &0.into())
    );
    let run = fluo
        .run(&format!("{load} more.txt"))
        .ends_with_code(1)
        .json();
    assert_eq!((&run["rows"], &run["conflicts"]), (&1.into(), &1.into()));
    assert_eq!(run["first_conflicts"][0]["line"], 2);
    assert_eq!(run["first_conflicts"][0]["row"], "000000007");
    let shown = fluo.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], 1_001);
    fluo.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_of_a_design_is_made_proven_and_advised_on() {
    let Some(fluo) = fluo() else { return };
    let table = name("cli_design");
    let spec =
        "[[key_design]]\ndesign = \"digest-salt\"\ndigits = 2\nseparator = \"-\"\ntablets = 8\n";
    fluo.file("s.toml", spec);
    fluo.file("rows.txt", rows(0..4_000));
    fluo.run(&format!("create {table}")).succeeds();
    fluo.run(&format!("apply --spec s.toml {table}")).succeeds();
    fluo.run(&format!("load --spec s.toml {table} rows.txt"))
        .succeeds();
    let verified = fluo.run(&format!("verify --spec s.toml --wait 60s {table}"));
    assert_says(&verified.succeeds().stdout, "OK: ");

    let advice = fluo
        .advise(&format!("--servers 2 --json {table}"))
        .succeeds();
    let advice = advice.json();
    assert_eq!(advice["profile"]["keys"], 4_000, "{advice:#}");
    let table_of_nobody = fluo.advise(&format!("{table}_not")).fails();
    assert_says(&table_of_nobody, &format!("{table}_not"));
    fluo.run(&format!("delete --yes {table}")).succeeds();
}
