//! The commands on the cells of a table.

use super::{assert_says, fluo, name};

#[test]
fn the_cells_of_a_table_are_counted_copied_and_compacted() {
    let Some(fluo) = fluo() else { return };
    let (pages, copy) = (name("cli_data"), name("cli_data"));
    fluo.file("rows.txt", "com.example\nnet.0install\norg.wikipedia/accumulo\n");
    fluo.run(&format!("create {pages}")).succeeds();
    fluo.run(&format!("load {pages} --prefix p rows.txt")).succeeds();
    let count = fluo.run(&format!("count {pages}")).succeeds().stdout;
    assert_eq!(count, format!("table {pages}: 3 rows, 3 cells\n"));
    let scanned = fluo.run(&format!("scan {pages} --prefix p")).succeeds().stdout;
    assert_says(&scanned, "p:9oue:net.0install net.0install row loaded ");
    let found = fluo.run(&format!("get {pages} --prefix p com.example")).succeeds().stdout;
    assert_says(&found, "p:mb8a:com.example com.example row loaded ");
    fluo.run(&format!("get {pages} --prefix p nope")).differs();
    let sample = fluo.run(&format!("sample {pages} --prefix p --count 9")).succeeds();
    assert_eq!(sample.stdout.lines().count(), 3, "{}", sample.stdout);
    assert_says(&sample.stderr, "sampled from 3 rows");

    let cells = fluo.run(&format!("scan {pages} --json")).succeeds().stdout;
    fluo.file("cells.jsonl", &cells);
    fluo.run(&format!("create {copy}")).succeeds();
    let run = fluo.run(&format!("import {copy} cells.jsonl")).succeeds();
    assert_says(&run.stderr, &format!("3 cells written to table `{copy}`"));
    let run = fluo.run(&format!("compact {copy}")).succeeds();
    assert_says(&run.stderr, &format!("compacted table `{copy}` in "));
    assert_eq!(fluo.run(&format!("scan {copy} --json")).succeeds().stdout, cells);
    let refused = fluo.run("check").fails();
    assert_says(&refused, "is a live Accumulo, and `fluo table check` is for embedded directories");
    for table in [&pages, &copy] {
        fluo.run(&format!("delete --yes {table}")).succeeds();
    }
}
