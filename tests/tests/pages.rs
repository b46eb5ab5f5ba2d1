//! The programs of the pages are the examples, and print the output that the pages show.
//!
//! Programs that a page shows without an example are documentation tests of `fluo-rs`.

#![cfg(test)]

use std::env;
use std::path::Path;
use std::process::{Command, Output};

const TOUR: &str = include_str!("../../docs/tour.md");
const TOUR_PROGRAM: &str = include_str!("../../examples/12_tour.rs");
const TOOL: &str = include_str!("../../docs/transactions-tool.md");
const TOOL_PROGRAMS: [&str; 2] = [
    include_str!("../../examples/14_load_pages.rs"),
    include_str!("../../examples/15_count_words.rs"),
];
const NEWCOMER: &str = include_str!("../../examples/newcomer.rs");
const MANIFEST: &str = include_str!("../../Cargo.toml");

#[test]
fn the_code_of_the_tour_is_the_example() {
    let (_, program) = TOUR_PROGRAM.split_once("\n\n").unwrap();
    assert_eq!(blocks(TOUR, "rust,ignore").join("\n"), program);
}

#[test]
fn the_tour_prints_the_output_on_the_page() {
    assert_eq!(blocks(TOUR, "text"), [printed_by("12_tour")]);
}

/// Compares versions with the workspace, and the path with a clone in `../fluo`.
#[test]
fn the_dependencies_of_the_tour_are_those_of_the_workspace() {
    let dependencies = blocks(TOUR, "toml").join("");
    let lines: Vec<_> = dependencies.lines().skip(1).collect();
    assert_eq!(lines.len(), 5);
    for line in lines {
        let (name, rest) = line.split_once(" = ").unwrap();
        let value = rest.split('"').nth(1).unwrap();
        let is_right = match value {
            "../fluo" => MANIFEST.contains(&format!("\nname = \"{name}\"\n")),
            version => ["", "{ version = "].iter().any(|start| {
                let dependency = format!("\n{name} = {start}\"{version}");
                MANIFEST.contains(&dependency)
            }),
        };
        assert!(is_right, "{line}");
    }
}

/// The page once showed programs without a complete source.
#[test]
fn the_page_on_the_tool_shows_its_programs() {
    let shown = blocks(TOOL, "rust");
    assert_eq!(shown.len(), TOOL_PROGRAMS.len());
    for (block, program) in shown.into_iter().zip(TOOL_PROGRAMS) {
        assert!(program.contains(block), "not in the example:\n{block}");
    }
}

/// A queue was once declared in four places, and its program needed four crates.
#[test]
fn a_newcomer_needs_one_crate_and_forty_lines() {
    assert!(NEWCOMER.lines().count() <= 40);
    let imports = NEWCOMER.lines().filter(|line| line.starts_with("use "));
    let crates: Vec<_> = imports.filter(|line| !line.contains("fluo::")).collect();
    assert!(crates.is_empty(), "{crates:?}");
    assert_eq!(printed_by("newcomer"), "org.gnu has 2 links\n");
}

/// Runs an example, from the folder of built programs `FLUO_PROGRAMS` or with cargo, and returns
/// its output.
fn printed_by(example: &str) -> String {
    let mut command = match env::var_os("FLUO_PROGRAMS") {
        Some(folder) => Command::new(Path::new(&folder).join("examples").join(example)),
        None => {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["run", "--quiet", "--package", "fluo-rs", "--example"]);
            cargo.arg(example);
            cargo
        }
    };
    let output: Output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the contents of all blocks of one kind in a page.
fn blocks(page: &'static str, kind: &str) -> Vec<&'static str> {
    let start = format!("```{kind}\n");
    let after_starts = page.split(start.as_str()).skip(1);
    after_starts.map(|after| after.split_once("```").unwrap().0).collect()
}

/// Returns the texts of the cells of a table's row that begins with a name.
fn row<'page>(page: &'page str, name: &str) -> Vec<&'page str> {
    let start = format!("| {name} |");
    let line = page.lines().find(|line| line.starts_with(&start)).expect(name);
    line.split('|').map(str::trim).collect()
}

/// The test of the call budgets counts the numbers of the protocol's page; this one compares the
/// page on many servers with them.
#[test]
fn the_page_on_many_servers_has_the_counted_budgets() {
    let (protocol, scale) =
        (include_str!("../../docs/protocol.md"), include_str!("../../docs/scale.md"));
    for (operation, together) in [
        ("read one cell", "128 transactions that read one cell"),
        ("write one row", "128 transactions that write one row"),
        ("transfer between two rows", "128 transfers"),
        (
            "write one row, and its notification",
            "128 transactions that write one row, and their notifications",
        ),
    ] {
        let shown = row(scale, operation);
        let (one, all) = (row(protocol, operation), row(protocol, together));
        assert_eq!([shown[2], shown[5]], [one[2], one[4]], "{operation}");
        for (shown, counted) in [(shown[4], all[2]), (shown[6], all[4])] {
            let each = counted.parse::<f64>().unwrap() / 128.0;
            let digits = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
            assert_eq!(shown, format!("{each:.digits$}"), "{operation}");
        }
    }
}
