//! The language of comments: measures of doc comments, and a search for idioms.
//!
//! The rules are in CONTRIBUTING.md. This module checks three of them: doc comments do not begin
//! with a question word, doc comments of functions mostly begin with a verb, and certain idioms do
//! not occur. The check fails if a folder in [`CHECKED`] breaks a rule; other folders are only
//! measured.

mod comments;
mod idioms;
mod measure;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::measure::Measure;
use crate::cargo;

/// Folders and files whose language is checked. A folder is added after its comments are rewritten.
const CHECKED: &[&str] = &[
    "src/core/src/data",
    "src/core/src/table",
    "src/core/src/layout",
    "src/core/src/balancer",
    "src/core/src/coordination",
    "src/core/src/transaction",
    "src/core/src/observer",
    "src/core/src/lib.rs",
    "src/core/src/error.rs",
    "src/core/src/clock.rs",
    "src/core/src/telemetry.rs",
    "src/core/src/planted.rs",
    "src/core/src/client/active.rs",
    "src/core/src/client/backoff.rs",
    "src/core/src/client/loaders.rs",
    "src/core/src/client/mod.rs",
    "src/core/src/client/pipeline.rs",
    "src/core/src/client/runner.rs",
    "src/core/src/client/session.rs",
    "src/core/src/client/settings.rs",
    "src/core/src/client/shared.rs",
    "src/core/src/client/sightings.rs",
    "src/core/tests",
    "src/accumulo-proxy",
    "src/cli/src/advise",
    "src/cli/src/app",
    "src/cli/src/design",
    "src/cli/src/key",
    "src/cli/src/notifications",
    "src/cli/src/scan",
    "src/cli/src/spec",
    "src/cli/src/target",
    "src/embedded",
    "src/cli/tests/advise.rs",
    "src/cli/tests/advise_page_in_browser.rs",
    "src/cli/tests/advise_table.rs",
    "src/embedded/src",
    "recipes/src/advisor",
    "recipes/src/epochs",
    "recipes/src/key_design",
    "recipes/src/row_hasher",
    "recipes/src/salted_scan",
    "tests/tests/designs_on_tables",
    "tests/tests/epochs",
    "tests/tests/golden_cells",
    "tests/tests/interleavings",
    "tests/tests/killed",
    "tests/tests/live/cli",
    "tests/tests/naive",
    "tests/tests/simulation",
    "recipes/tests",
    "tests/benches",
    "examples",
    "tests/src",
    "tests/cluster",
    "tests/conformance",
    "tests/xtask",
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
/// Files that are not measured: generated code, and the files that list the words to find.
const NOT_MEASURED: [&str; 3] = [
    "wire/generated.rs",
    "language/idioms.rs",
    "language/measure.rs",
];

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

/// Measures the files of a folder, and returns the idioms in it, each with its line.
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
    let is_excluded = NOT_MEASURED.iter().any(|it| path.ends_with(it));
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(context)? {
            collect(&entry.with_context(context)?.path(), files)?;
        }
    } else if path.extension().is_some_and(|it| it == "rs") && !is_excluded {
        files.push(path.to_owned());
    }
    Ok(())
}
