//! A planted bug: a patch with a header that names the bug and the command that finds it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::source::files;

/// The folder of the patches.
pub(super) const FOLDER: &str = "tests/mutants";

/// A bug as a patch of the tree.
///
/// The file begins with a header; `git apply` ignores it:
///
/// ```text
/// what: the bug, in one sentence
/// fails: cargo test --workspace --test TARGET NAME-OF-A-TEST
/// ```
///
/// A bug that several tests must find has several lines `fails:`. One that a simulation finds only
/// with more seeds than usual has a line `seeds: NUMBER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The name of the file, without its extension.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// The bug, in one sentence.
    pub(super) what: String,
    /// The commands that pass without the patch and fail with it.
    pub(super) fails: Vec<String>,
    /// The number of seeds with which the simulation finds it, if it is not the usual one.
    pub(super) seeds: Option<u32>,
    /// The first file that the patch changes.
    pub(super) changes: String,
}

impl Mutant {
    /// Reads a patch.
    fn parse(file: &Path, text: &str) -> Result<Mutant> {
        let (header, diff) = text.split_once("\ndiff --git ").context(
            "there is no line that begins with `diff --git `; write the patch with `git diff`",
        )?;
        let fields = |name: &'static str| {
            let lines = header.lines();
            let values = lines.filter_map(move |line| line.strip_prefix(name));
            values.map(str::trim).filter(|value| !value.is_empty())
        };
        let what = fields("what:").next();
        let what = what.context("the header has no line `what: THE BUG`")?;
        let fails: Vec<_> = fields("fails:").map(str::to_owned).collect();
        ensure!(!fails.is_empty(), "the header has no line `fails: COMMAND`");
        for command in &fails {
            ensure!(command.starts_with("cargo test "), "`{command}` is not a `cargo test`");
        }
        let seeds = header.lines().find_map(|line| line.strip_prefix("seeds:"));
        let seeds = seeds.map(|seeds| seeds.trim().parse()).transpose();
        let seeds = seeds.context("the header has no number after `seeds:`")?;
        let changes = diff.split_whitespace().next().unwrap_or_default();
        let name = file.file_stem().unwrap_or_default();
        Ok(Mutant {
            name: name.to_string_lossy().into_owned(),
            file: file.to_owned(),
            what: what.to_owned(),
            fails,
            seeds,
            changes: changes.to_owned(),
        })
    }
}

/// Reads all patches of the tree, sorted by name.
///
/// # Errors
///
/// A patch cannot be read, its header is incomplete, or there is no patch.
pub(super) fn all(root: &Path) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for file in files(&root.join(FOLDER), "patch")? {
        let text = fs::read_to_string(&file).map_err(Into::into);
        let mutant = text.and_then(|text| Mutant::parse(&file, &text));
        mutants.push(mutant.with_context(|| file.display().to_string())?);
    }
    ensure!(!mutants.is_empty(), "there is no patch in `{FOLDER}`");
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(mutants)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
what: the digits are swapped
fails: cargo test --workspace --lib digits::tests
fails: cargo test digits
seeds: 300

diff --git a/src/lib.rs b/src/lib.rs
";

    fn parse(text: &str) -> Result<Mutant> {
        Mutant::parse(Path::new("tests/mutants/digits.patch"), text)
    }

    #[test]
    fn reads_the_header() {
        let expected = Mutant {
            name: "digits".to_owned(),
            file: "tests/mutants/digits.patch".into(),
            what: "the digits are swapped".to_owned(),
            fails: vec![
                "cargo test --workspace --lib digits::tests".to_owned(),
                "cargo test digits".to_owned(),
            ],
            seeds: Some(300),
            changes: "a/src/lib.rs".to_owned(),
        };
        assert_eq!(parse(PATCH).unwrap(), expected);
    }

    #[test]
    fn rejects_an_incomplete_header() {
        for (part, message) in [
            ("what: the digits are swapped", "the header has no line `what: THE BUG`"),
            ("fails:", "the header has no line `fails: COMMAND`"),
            (
                "diff --git ",
                "there is no line that begins with `diff --git `; write the patch with `git diff`",
            ),
            ("300", "the header has no number after `seeds:`"),
            ("cargo test", "`digits` is not a `cargo test`"),
        ] {
            let error = parse(&PATCH.replace(part, "")).unwrap_err().to_string();
            let message = message.replace("`digits`", "`--workspace --lib digits::tests`");
            assert_eq!(error, message);
        }
    }
}
