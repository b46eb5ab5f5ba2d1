//! The commands in the docs are run, in order, in one directory, and must print what the docs say.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const ROWS: &str = include_str!("../../../examples/data/package-homepages.txt");

#[test]
fn table_optimization_prints_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/table-optimization.md")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.txt"), ROWS).unwrap();
    let commands = commands(&page);
    assert!(commands.len() > 12, "the page has lost its commands");
    for (command, expected) in commands {
        let printed = run(&command, directory.path());
        assert!(
            matches(&expected, &printed),
            "$ {command}\nexpected:\n{expected}\nprinted:\n{printed}"
        );
    }
}

/// The commands of all `console` blocks, each with what follows it. A line that starts with `> ` goes on with the
/// command before it.
fn commands(page: &str) -> Vec<(String, String)> {
    let blocks = page
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((command, expected))) => match line.strip_prefix("> ") {
                Some(more) if expected.is_empty() => command.push_str(&format!("\n{more}")),
                _ => expected.push_str(&format!("{line}\n")),
            },
            (None, None) => panic!("a console block starts without a command: {line}"),
        }
    }
    commands
}

/// Both outputs, as a terminal shows them.
fn run(command: &str, directory: &Path) -> String {
    let binaries = Path::new(env!("CARGO_BIN_EXE_fluo")).parent().unwrap();
    let path = format!(
        "{}:{}",
        binaries.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(directory)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    printed
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Whether the two are the same, where `[..]` stands for anything within a line.
fn matches(expected: &str, printed: &str) -> bool {
    let same = |(expected, printed): (&str, &str)| match expected.split_once("[..]") {
        None => expected == printed,
        Some((start, end)) => {
            let end = end.rsplit("[..]").next().unwrap_or(end);
            printed.starts_with(start) && printed.ends_with(end)
        }
    };
    expected.lines().count() == printed.lines().count()
        && expected.lines().zip(printed.lines()).all(same)
}
