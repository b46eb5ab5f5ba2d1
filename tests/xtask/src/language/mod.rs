//! The language of comments: measures of doc comments, and a search for idioms.
//!
//! The rules are in CONTRIBUTING.md. This module checks four of them: doc comments do not begin
//! with a question word, doc comments of functions mostly begin with a verb, certain idioms do not
//! occur, and comments have at most 100 columns.

mod comments;
mod idioms;
mod measure;
mod width;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use self::measure::Measure;
use crate::cargo;
use crate::source::rust_files;

/// All folders with Rust code, in the order in which their measures are printed.
const FOLDERS: &[&str] = &[
    "src/table",
    "src/engine",
    "src/embedded",
    "src/accumulo-proxy",
    "src/accumulo",
    "src/advisor",
    "src/cli",
    "recipes",
    "tests",
    "examples",
];
/// Files that are not measured, because they list the words to find.
const NOT_MEASURED: [&str; 2] = ["language/idioms.rs", "language/measure.rs"];

/// Prints the measures of each folder, and fails if one breaks a rule.
pub(crate) fn check(root: &Path) -> Result<()> {
    cargo::say("\n> the language of comments");
    let mut findings = Vec::new();
    for folder in FOLDERS {
        let (measure, found) = measure(root, folder)?;
        cargo::say(&format!("{folder}: {measure}"));
        findings.extend(found);
        findings.extend(measure.findings(folder));
    }
    match findings.as_slice() {
        [] => Ok(()),
        _ => bail!(
            "the language of comments has {} findings:\n{}",
            findings.len(),
            findings.join("\n")
        ),
    }
}

/// Measures the files of a folder, and returns the idioms and the wide comments in it, each with
/// its line.
fn measure(root: &Path, folder: &str) -> Result<(Measure, Vec<String>)> {
    let mut files = rust_files(&root.join(folder))?;
    files.retain(|file| !NOT_MEASURED.iter().any(|it| file.ends_with(it)));
    files.sort();
    let (mut measure, mut findings) = (Measure::default(), Vec::new());
    for file in files {
        let text = fs::read_to_string(&file)
            .with_context(|| format!("`{}` cannot be read", file.display()))?;
        let name = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .display()
            .to_string();
        measure.add(&text);
        findings.extend(idioms::find(&name, &text));
        findings.extend(width::find(&name, &text));
    }
    Ok((measure, findings))
}
