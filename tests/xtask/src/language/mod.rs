//! The language of comments: measures of doc comments, and phrases that are not used.
//!
//! The rules are in CONTRIBUTING.md. A machine can check three of them: a doc comment does not begin with a question word,
//! the doc comment of a function mostly begins with a verb, and certain idioms do not appear. The folders in [`CHECKED`]
//! fail if they break a rule; the others are only measured.

mod comments;
mod idioms;
mod measure;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::measure::Measure;
use crate::cargo;

/// Folders and files whose language is checked. A folder is added when its comments have been rewritten.
const CHECKED: &[&str] = &[
    "src/core/src/data",
    "src/core/src/table",
    "src/core/src/layout",
    "src/core/src/balancer",
    "src/core/src/coordination",
    "src/accumulo",
    "src/accumulo-proxy",
    "src/cli/src/app",
    "src/cli/src/demo",
    "src/cli/src/design",
    "src/cli/src/key",
    "src/cli/src/notifications",
    "src/cli/src/scan",
    "src/cli/src/spec",
    "src/cli/src/table",
    "src/cli/src/target",
    "src/embedded/src",
    "recipes/src/epochs",
    "recipes/src/heavy_hitters.rs",
    "recipes/src/java_quote.rs",
    "recipes/src/key_design",
    "recipes/src/lib.rs",
    "recipes/src/number.rs",
    "recipes/src/optimization",
    "recipes/src/row_hasher",
    "recipes/src/salted_scan",
    "examples",
];
/// All folders with Rust code, in the order in which their measures are printed.
const MEASURED: &[&str] = &[
    "src/core",
    "src/embedded",
    "src/accumulo-proxy",
    "src/accumulo",
    "src/cli",
    "recipes",
    "tests",
    "examples",
];
/// Code that a program generates.
const GENERATED: &str = "wire/generated.rs";

/// Prints the measures of each folder, and fails if a checked one breaks a rule.
pub(crate) fn check(root: &Path) -> Result<()> {
    cargo::say("\n> the language of comments");
    for folder in MEASURED {
        cargo::say(&format!("{folder}: {}", measure(root, folder)?.0));
    }
    let mut findings = Vec::new();
    for folder in CHECKED {
        let (measure, found) = measure(root, folder)?;
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

/// Measures the files of a folder, and returns the phrases in it that are not used, each with its place.
fn measure(root: &Path, folder: &str) -> Result<(Measure, Vec<String>)> {
    let mut files = Vec::new();
    collect(&root.join(folder), &mut files)?;
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
    }
    Ok((measure, findings))
}

/// Collects the Rust files of a folder, or the file itself.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let context = || format!("`{}` cannot be read", path.display());
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(context)? {
            collect(&entry.with_context(context)?.path(), files)?;
        }
    } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with(GENERATED) {
        files.push(path.to_owned());
    }
    Ok(())
}
