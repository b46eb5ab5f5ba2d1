//! The commands in the docs are run, in order, in one directory, and must print what the docs say.

#![cfg(test)]

#[cfg(unix)]
mod programs;

use std::fs;
use std::path::Path;

use fluo_tests::ConsoleCommand;

const ROWS: &str = include_str!("../../../examples/data/package-homepages.txt");

#[test]
fn table_optimization_prints_what_it_says() {
    prints_what_it_says("docs/table-optimization.md", 12);
}

#[test]
fn key_designs_prints_what_it_says() {
    prints_what_it_says("docs/key-designs.md", 30);
}

#[cfg(unix)]
#[test]
fn transactions_tool_prints_what_it_says() {
    let page = "docs/transactions-tool.md";
    let text = read(page);
    for program in [
        include_str!("programs/load_pages.rs"),
        include_str!("programs/count_words.rs"),
    ] {
        assert!(
            text.contains(&format!("```rust\n{program}```\n")),
            "the page shows another:\n{program}"
        );
    }
    prints_what_it_says(page, 14);
}

fn read(page: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(page)).unwrap()
}

fn prints_what_it_says(page: &str, least: usize) {
    let page = read(page);
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.txt"), ROWS).unwrap();
    let programs = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    programs::install(programs.path());
    let binaries = Path::new(env!("CARGO_BIN_EXE_fluo")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!(
        "{}:{}:{path}",
        binaries.display(),
        programs.path().display()
    );
    let commands = ConsoleCommand::of_page(&page);
    assert!(commands.len() > least, "the page has lost its commands");
    for command in commands {
        let printed = command
            .run(directory.path(), binaries, &[("PATH", &path)])
            .unwrap();
        assert!(
            command.expects(&printed),
            "{command:#?}\nprinted:\n{printed}"
        );
    }
}
