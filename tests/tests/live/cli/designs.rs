//! Key designs on a real table: rows that must be new, a table with a design, and advice about a
//! table.

use super::{ROWS, assert_says, fluo, name};

const BEFORE: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 16\ntablets = 16\n";
/// A spec with four times as many salts.
pub(super) const AFTER: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 64\ntablets = 64\n\
                                [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 16\n";

/// Returns the numbers, one on each line.
fn rows(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| format!("{number:09}\n")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_existing_row_is_reported_and_not_written() {
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
async fn a_table_of_a_design_is_created_verified_and_advised() {
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
    let verified = fluo.run(&format!("verify --spec s.toml --wait 300s {table}"));
    assert_says(&verified.succeeds().stdout, "OK: ");

    let advice = fluo
        .advise(&format!("--servers 2 --json {table}"))
        .succeeds();
    let advice = advice.json();
    assert_eq!(advice["profile"]["keys"], 4_000, "{advice:#}");
    let missing_table = fluo.advise(&format!("{table}_not")).fails();
    assert_says(&missing_table, &format!("{table}_not"));
    fluo.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrate_moves_16_salts_to_64_and_verify_confirms_the_end() {
    const COUNT: usize = 1_200;
    let Some(fluo) = fluo() else { return };
    let table = name("cli_migrate");
    fluo.file("before.toml", BEFORE);
    fluo.file("after.toml", AFTER);
    let rows: Vec<_> = ROWS.lines().take(COUNT).collect();
    fluo.file("rows.txt", rows.join("\n"));
    fluo.run(&format!("create {table}")).succeeds();
    fluo.run(&format!("apply --spec before.toml --no-wait {table}"))
        .succeeds();
    fluo.run(&format!("load --spec before.toml {table} rows.txt"))
        .succeeds();
    fluo.run(&format!("apply --spec after.toml {table}"))
        .succeeds();

    // A row with the same hash modulo both numbers stays in place.
    let verified = fluo.run(&format!("verify --spec after.toml --json {table}"));
    let verified = verified.differs().json();
    let difference = |of: &str| {
        let differences = verified["differences"].as_array().unwrap().iter();
        let mut sentences = differences.filter_map(|difference| difference["sentence"].as_str());
        sentences
            .find_map(|sentence| sentence.split_once(of))
            .map(|(before, _)| before.to_owned())
    };
    let to_move = difference(" of 1,200; migrate them").unwrap();
    let to_move = to_move
        .strip_prefix("key design modulo: rows of an earlier design: ")
        .unwrap();
    assert!(to_move.parse::<usize>().unwrap() > COUNT / 2, "{to_move}");

    let migrated = fluo
        .run(&format!("migrate --spec after.toml --json {table}"))
        .succeeds()
        .json();
    assert_eq!(migrated["rows_moved"].to_string(), to_move, "{migrated}");
    assert_eq!(
        (&migrated["rows_left"], &migrated["rows_foreign"]),
        (&0.into(), &0.into()),
        "{migrated}"
    );
    let again = fluo
        .run(&format!("migrate --spec after.toml {table}"))
        .succeeds();
    assert_eq!(
        again.stderr,
        format!("table `{table}`: 0 rows moved; all 1,200 rows are in the newest epoch\n")
    );
    let verified = fluo
        .run(&format!(
            "verify --spec after.toml --wait 2m --json {table}"
        ))
        .succeeds()
        .json();
    assert_eq!(verified["rows"][0]["total"], COUNT, "{verified}");
    fluo.run(&format!("delete --yes {table}")).succeeds();
}
