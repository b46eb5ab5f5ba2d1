//! The language of comments and pages: measures of doc comments, and a search for mistakes.
//!
//! The rules are in CONTRIBUTING.md. This module checks five of them: doc comments do not begin
//! with a question word, doc comments of functions mostly begin with a verb, certain idioms do not
//! occur, lines have at most 100 columns, and the files and names in backticks exist.

mod comments;
mod idioms;
mod lines;
mod measure;
mod names;
mod references;
mod width;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::lines::lines;
use self::measure::Measure;
use self::names::Names;
use crate::cargo;
use crate::source::files;

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

/// The pages at the root, and the folder of the others.
const PAGES: [&str; 3] = ["README.md", "CONTRIBUTING.md", "docs"];
/// The pages of decisions. Their names are not checked, because a decision describes the files and
/// types of its day, and often the removal of some.
const HISTORY: &str = "docs/decisions/";

/// A file and its text.
struct Source {
    /// The path in the workspace.
    path: String,
    text: String,
}

/// Prints the measures of each folder, and fails if a file or a page breaks a rule.
pub(crate) fn check(root: &Path) -> Result<()> {
    cargo::say("\n> the language of comments and pages");
    let mut findings = Vec::new();
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        let code = read(root, folder, "rs")?;
        let mut measure = Measure::default();
        let measured = code.iter().filter(|file| is_measured(file));
        measured.for_each(|file| measure.add(&file.text));
        cargo::say(&format!("{folder}: {measure}"));
        findings.extend(measure.findings(folder));
        sources.extend(code);
        pages.extend(read(root, folder, "md")?);
    }
    for page in PAGES {
        pages.extend(read(root, page, "md")?);
    }
    cargo::say(&format!("{} pages", pages.len()));
    let names = names(root, &sources)?;
    for file in sources
        .iter()
        .filter(|file| is_measured(file))
        .chain(&pages)
    {
        findings.extend(find(root, file, &names));
    }
    match findings.as_slice() {
        [] => Ok(()),
        _ => bail!(
            "the language of comments and pages has {} findings:\n{}",
            findings.len(),
            findings.join("\n")
        ),
    }
}

fn is_measured(file: &Source) -> bool {
    !NOT_MEASURED.iter().any(|it| file.path.ends_with(it))
}

/// Reads the files of a folder with an extension, in the order of their paths.
fn read(root: &Path, folder: &str, extension: &str) -> Result<Vec<Source>> {
    let paths = files(&root.join(folder), extension)?;
    let source = |path: &PathBuf| {
        let text = fs::read_to_string(path)
            .with_context(|| format!("`{}` cannot be read", path.display()))?;
        let path = path.strip_prefix(root).unwrap_or(path);
        Ok(Source {
            path: path.display().to_string(),
            text,
        })
    };
    paths.iter().map(source).collect()
}

/// Returns the names in the sources, and in the programs and interfaces of Java among them.
fn names(root: &Path, sources: &[Source]) -> Result<Names> {
    let mut names = Names::default();
    for file in sources {
        names.add(&file.path, &file.text)?;
    }
    for folder in FOLDERS {
        for extension in ["java", "thrift"] {
            for file in read(root, folder, extension)? {
                names.add(&file.path, &file.text)?;
            }
        }
    }
    Ok(names)
}

/// Returns the mistakes in a file, each with its line.
fn find(root: &Path, file: &Source, names: &Names) -> Vec<String> {
    let (path, text) = (file.path.as_str(), file.text.as_str());
    let lines = lines(path, text);
    let mut findings = idioms::find(path, text);
    findings.extend(width::find(path, &lines));
    if !path.starts_with(HISTORY) {
        findings.extend(references::find(root, path, &lines, names));
    }
    findings
}
