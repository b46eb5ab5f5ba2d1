//! The language of comments and pages.
//!
//! The rules are in CONTRIBUTING.md. This module checks five of them: doc comments do not begin
//! with a question word, certain idioms do not occur, the spelling is American, lines have at most
//! 100 columns, and the files and names in backticks exist.

mod docs;
mod idioms;
mod lines;
mod names;
mod references;
mod spelling;
mod width;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::lines::lines;
use self::names::Names;
use crate::cargo::say;
use crate::source::files;

/// All folders with Rust code, and with pages beside it.
const FOLDERS: [&str; 4] = ["src", "recipes", "tests", "examples"];
/// The pages at the root, and the folder of the others.
const PAGES: [&str; 3] = ["README.md", "CONTRIBUTING.md", "docs"];
/// The folder of the files that list the words to find.
const WORDS: &str = "tests/xtask/src/language/";
/// The pages of decisions. Their names are not checked, because a decision describes the files and
/// types of its day, and often the removal of some.
const HISTORY: &str = "docs/decisions/";

/// A file and its text.
struct Source {
    /// The path in the workspace.
    path: String,
    text: String,
}

/// Returns each place that breaks a rule.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let pages = read(root, &[&FOLDERS[..], &PAGES].concat(), "md")?;
    let mut sources = read(root, &FOLDERS, "rs")?;
    let (rust, pages_read) = (sources.len(), pages.len());
    say(&format!("\n> the language of {rust} files and {pages_read} pages"));
    let (mut findings, mut names) = (Vec::new(), Names::default());
    for file in &sources {
        findings.extend(docs::find(&file.path, &file.text));
        names.add(&file.path, &file.text)?;
    }
    for extension in ["java", "thrift"] {
        for file in read(root, &FOLDERS, extension)? {
            names.add(&file.path, &file.text)?;
        }
    }
    sources.retain(|file| !file.path.starts_with(WORDS));
    for Source { path, text } in sources.iter().chain(&pages) {
        let lines = lines(path, text);
        findings.extend(idioms::find(path, text));
        findings.extend(width::find(path, &lines));
        findings.extend(spelling::find(path, text));
        if !path.starts_with(HISTORY) {
            findings.extend(references::find(root, path, &lines, &names));
        }
    }
    Ok(findings)
}

/// Reads the files of some folders with an extension, in the order of their paths.
fn read(root: &Path, folders: &[&str], extension: &str) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for folder in folders {
        for path in files(&root.join(folder), extension)? {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("`{}` cannot be read", path.display()))?;
            let path = path.strip_prefix(root).unwrap_or(&path);
            let path = path.display().to_string();
            sources.push(Source { path, text });
        }
    }
    Ok(sources)
}
