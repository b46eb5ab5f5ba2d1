//! The life of a table, from its creation to a verified distribution.

use fluo_table::TableAdmin;

use super::{ROWS, assert_says, fluo, name};

const PREFIXES: [&str; 4] = ["a", "b", "c", "d"];
const SERVERS: usize = 2;
/// Tablets of each prefix.
const TABLETS: u64 = 10;
/// Rows of each prefix.
const ROW_COUNT: u64 = 4_208;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spreads_forty_tablets_of_four_groups_within_a_minute_and_rows_evenly() {
    let Some(fluo) = fluo() else { return };
    let table = name("cli_life");
    fluo.spec(&PREFIXES, 10);
    fluo.file("rows.txt", ROWS);
    let run = fluo.run(&format!("create {table}")).succeeds();
    assert_eq!((run.stdout.as_str(), run.stderr), ("", format!("created table `{table}`\n")));
    let run = fluo.run(&format!("verify --spec s.toml {table}")).differs();
    assert_says(&run.stdout, "40 wanted, 40 missing, 0 extra");

    let run = fluo.run(&format!("plan --spec s.toml --out plan.json {table}")).succeeds();
    assert_says(
        &run.stdout,
        &format!("Plan for table {table}, which has 0 split points on {SERVERS} servers."),
    );
    assert_says(&run.stdout, "40 split points to add");
    let run = fluo.run("apply plan.json").succeeds();
    assert_says(&run.stderr, "done: add 40 split points, `a:3llm` to `d:~`\n");
    assert_says(&run.stderr, "\nspread: every group within one tablet per server");

    let run = fluo.run(&format!("verify --spec s.toml --wait 300s {table}")).succeeds();
    assert_says(
        &run.stdout,
        &format!("\nOK: table {table}; it has no rows, so evenness is not proved.\n"),
    );
    for prefix in PREFIXES {
        let arguments = format!("load {table} --prefix {prefix} rows.txt");
        let run = fluo.run(&arguments).succeeds();
        assert_says(&run.stderr, &format!("4,208 rows written to table `{table}` in "));
    }
    let verdict = fluo.run(&format!("verify --spec s.toml --wait 2m --rows count --json {table}"));
    let verdict = verdict.succeeds().json();
    for (index, prefix) in PREFIXES.iter().enumerate() {
        let group = &verdict["groups"][index];
        assert_eq!(group["group"], format!("{prefix}:"));
        assert_eq!((&group["least"], &group["largest"]), (&5.into(), &5.into()), "{group}");
        let rows = &verdict["rows"][index];
        assert_eq!(
            (&rows["total"], &rows["places"]),
            (&ROW_COUNT.into(), &TABLETS.into()),
            "{rows}"
        );
        let (least, largest) = (rows["least"].as_u64().unwrap(), rows["largest"].as_u64().unwrap());
        // Within 15 % of the mean, in whole numbers.
        assert!(
            100 * TABLETS * least >= 85 * ROW_COUNT && 100 * TABLETS * largest <= 115 * ROW_COUNT,
            "{rows}"
        );
        let p_value = &rows["chi_square"]["p_value"];
        assert!(p_value.as_f64().unwrap() > 1e-6, "{rows}");
    }

    let run = fluo.run(&format!("apply --spec s.toml {table}")).succeeds();
    assert_eq!(
        run.stderr,
        format!(
            "nothing to do: table `{table}` already matches\nspread: every group within one tablet per server\n"
        )
    );
    fluo.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_tables_without_system_tables_and_shows_them() {
    let Some(fluo) = fluo() else { return };
    let table = name("cli_list");
    fluo.run(&format!("create --versions 3 {table}")).succeeds();
    let listed = fluo.run("list").succeeds().stdout;
    assert!(listed.lines().any(|line| line == table), "{listed}");
    assert!(!listed.contains("accumulo."), "{listed}");
    let all = fluo.run("list --all --json").succeeds().json();
    assert!(all["tables"].as_array().unwrap().contains(&"accumulo.metadata".into()), "{all}");

    fluo.file("two.txt", "one\ntwo\n");
    fluo.run(&format!("load {table} --prefix p two.txt")).succeeds();
    let shown = fluo.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], 2, "a flush comes before the count: {shown}");
    assert_eq!(shown["properties"]["table.iterator.scan.vers.opt.maxVersions"], "3");
    assert_says(&fluo.run(&format!("show {table}")).succeeds().stdout, "(end of table)");

    let message = fluo.run(&format!("create {table}")).fails();
    assert_says(&message, &table);
    let tables = crate::cluster::tables().await.unwrap();
    fluo.run(&format!("delete --yes {table}")).succeeds();
    assert!(!tables.tables().await.unwrap().contains(&table));
}
