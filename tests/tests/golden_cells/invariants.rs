//! The invariants that the page lists are those of the code, under the same names and in the listed
//! files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::PAGE;

/// Folders with the code of transactions.
const FOLDERS: [&str; 5] = ["application", "client", "context", "observer", "transaction"];

/// Returns the path of a file of the repository.
fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

fn source(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("`{file}`: {error}"))
}

/// Returns the bold names of a text. A name is one capital letter and a number, at the start of a
/// bold part.
fn names(text: &str) -> BTreeSet<String> {
    let bold = text.split("**").skip(1).step_by(2);
    let name = |text: &str| {
        let name = text.split(|letter: char| !letter.is_ascii_alphanumeric()).next()?;
        let number = name.strip_prefix(|letter: char| letter.is_ascii_uppercase())?;
        number.parse::<u32>().is_ok().then(|| name.to_owned())
    };
    bold.filter_map(name).collect()
}

/// Returns the rows of the list: the names of invariants, and the files that state them.
fn listed() -> Vec<(BTreeSet<String>, Vec<String>)> {
    let (_, list) = PAGE.split_once("\n## The invariants\n").unwrap();
    let (list, _) = list.split_once("\nA test compares this list").unwrap();
    let rows = list.lines().filter(|line| line.starts_with("| **"));
    let row = |line: &str| {
        let cells: Vec<_> = line.split(" | ").collect();
        let files = cells[2].split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (names(cells[0]), files)
    };
    rows.map(row).collect()
}

#[test]
fn each_listed_invariant_is_in_its_file() {
    let rows = listed();
    assert!(rows.len() > 20, "{}", rows.len());
    for (wanted, files) in rows {
        let text: String = files.iter().map(|file| source(file)).collect();
        let found = names(&text);
        assert!(wanted.is_subset(&found), "{files:?} should have {wanted:?}, and has {found:?}");
    }
}

#[test]
fn each_invariant_of_transactions_is_listed() {
    let mut files = vec![path("src/table/src/table/garbage.rs")];
    for folder in FOLDERS {
        let entries = fs::read_dir(path("src/engine/src").join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs")));
    }
    let stated = files.into_iter().flat_map(|file| {
        let text = fs::read_to_string(file).unwrap();
        let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
        let points = comments.filter(|line| line.contains("- **"));
        names(&points.collect::<Vec<_>>().join("\n"))
    });
    let stated: BTreeSet<String> = stated.collect();
    let listed: BTreeSet<String> = listed().into_iter().flat_map(|(names, _)| names).collect();
    assert!(stated.len() > 20, "{stated:?}");
    assert!(stated.is_subset(&listed), "the page lacks {:?}", &stated - &listed);
}
