//! Key designs on a real table: rows that must be new, a table with a design, and advice about a
//! table.

use super::{ROWS, fluo, name};

const BEFORE: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 16\ntablets = 16\n";
/// A spec with four times as many salts.
pub(super) const AFTER: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 64\ntablets = 64\n\
                                [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 16\n";

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
    fluo.run(&format!("apply --spec before.toml --no-wait {table}")).succeeds();
    fluo.run(&format!("load --spec before.toml {table} rows.txt")).succeeds();
    fluo.run(&format!("apply --spec after.toml {table}")).succeeds();

    // A row with the same hash modulo both numbers stays in place.
    let verified = fluo.run(&format!("verify --spec after.toml --json {table}"));
    let verified = verified.differs().json();
    let difference = |of: &str| {
        let differences = verified["differences"].as_array().unwrap().iter();
        let mut sentences = differences.filter_map(|difference| difference["sentence"].as_str());
        sentences.find_map(|sentence| sentence.split_once(of)).map(|(before, _)| before.to_owned())
    };
    let to_move = difference(" of 1,200; migrate them").unwrap();
    let to_move = to_move.strip_prefix("key design modulo: rows of an earlier design: ").unwrap();
    assert!(to_move.parse::<usize>().unwrap() > COUNT / 2, "{to_move}");

    let migrated = fluo.run(&format!("migrate --spec after.toml --json {table}")).succeeds().json();
    assert_eq!(migrated["rows_moved"].to_string(), to_move, "{migrated}");
    assert_eq!(
        (&migrated["rows_left"], &migrated["rows_foreign"]),
        (&0.into(), &0.into()),
        "{migrated}"
    );
    let again = fluo.run(&format!("migrate --spec after.toml {table}")).succeeds();
    assert_eq!(
        again.stderr,
        format!("table `{table}`: 0 rows moved; all 1,200 rows are in the newest epoch\n")
    );
    let verified =
        fluo.run(&format!("verify --spec after.toml --wait 2m --json {table}")).succeeds().json();
    assert_eq!(verified["rows"][0]["total"], COUNT, "{verified}");
    fluo.run(&format!("delete --yes {table}")).succeeds();
}
