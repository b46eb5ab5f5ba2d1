//! The commands in the docs are run, in order, in one directory, and must print what the docs say.

#![cfg(test)]

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

fn prints_what_it_says(page: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join(page)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.txt"), ROWS).unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_fluo")).parent().unwrap();
    let commands = ConsoleCommand::of_page(&page);
    assert!(commands.len() > least, "the page has lost its commands");
    for command in commands {
        let printed = command.run(directory.path(), binaries, &[]).unwrap();
        assert!(
            command.expects(&printed),
            "{command:#?}\nprinted:\n{printed}"
        );
    }
}
