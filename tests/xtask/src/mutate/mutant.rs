//! A planted bug: a patch with a header that names the bug and the command that finds it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The folder of the patches.
pub(super) const FOLDER: &str = "tests/mutants";
/// The line at which the diff begins and the header ends.
const DIFF: &str = "diff --git ";

/// A bug as a patch of the tree.
///
/// The file begins with a header of two lines; `git apply` ignores them:
///
/// ```text
/// what: the bug, in one sentence
/// fails: cargo test -p PACKAGE --test TARGET NAME-OF-A-TEST
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The name of the file, without its extension.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// The bug, in one sentence.
    pub(super) what: String,
    /// The arguments of the cargo command that passes without the patch and fails with it.
    pub(super) fails: Vec<String>,
}

impl Mutant {
    /// Reads a patch.
    fn parse(file: &Path, text: &str) -> Result<Mutant> {
        let Some((header, _)) = text.split_once(&format!("\n{DIFF}")) else {
            bail!("there is no line that begins with `{DIFF}`; write the patch with `git diff`");
        };
        let field = |name: &str| {
            let value = header.lines().find_map(|line| line.strip_prefix(name));
            value.map(str::trim).filter(|value| !value.is_empty())
        };
        let what = field("what:").context("the header has no line `what: THE BUG`")?;
        let fails = field("fails:").context("the header has no line `fails: COMMAND`")?;
        let words: Vec<_> = fails.split_whitespace().map(str::to_owned).collect();
        let (program, arguments) = words.split_first().context("the command is empty")?;
        let begins_with = |start: &[&str]| arguments.iter().zip(start).all(|(a, b)| a == b);
        if program != "cargo" || !(begins_with(&["test"]) || begins_with(&["xtask", "simulate"])) {
            bail!("`{fails}` is neither a `cargo test` nor a `cargo xtask simulate`");
        }
        Ok(Mutant {
            name: name(file),
            file: file.to_owned(),
            what: what.to_owned(),
            fails: arguments.to_vec(),
        })
    }
}

/// Reads all patches of the tree, sorted by name.
///
/// # Errors
///
/// A patch cannot be read, its header is incomplete, or there is no patch.
pub(super) fn all(root: &Path) -> Result<Vec<Mutant>> {
    let folder = root.join(FOLDER);
    let mut mutants = Vec::new();
    let entries =
        fs::read_dir(&folder).with_context(|| format!("the folder `{FOLDER}` cannot be read"))?;
    for entry in entries {
        let file = entry?.path();
        if file
            .extension()
            .is_none_or(|extension| extension != "patch")
        {
            continue;
        }
        let read = || Mutant::parse(&file, &fs::read_to_string(&file)?);
        mutants.push(read().with_context(|| format!("{FOLDER}/{}.patch", name(&file)))?);
    }
    if mutants.is_empty() {
        bail!("there is no patch in `{FOLDER}`");
    }
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(mutants)
}

fn name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
what: the digits are swapped
fails: cargo test -p fluo-recipes --lib digits::tests

diff --git a/src/lib.rs b/src/lib.rs
";

    fn parse(text: &str) -> Result<Mutant> {
        Mutant::parse(Path::new("tests/mutants/digits.patch"), text)
    }

    #[test]
    fn reads_the_header() {
        let mutant = parse(PATCH).unwrap();
        assert_eq!(mutant.name, "digits");
        assert_eq!(mutant.what, "the digits are swapped");
        let fails = ["test", "-p", "fluo-recipes", "--lib", "digits::tests"];
        assert_eq!(mutant.fails, fails);
    }

    #[test]
    fn accepts_a_search_of_the_simulation() {
        let search = "cargo xtask simulate --seeds 50";
        let patch = PATCH.replace("cargo test -p fluo-recipes --lib digits::tests", search);
        let fails = ["xtask", "simulate", "--seeds", "50"];
        assert_eq!(parse(&patch).unwrap().fails, fails);
    }

    #[test]
    fn rejects_an_incomplete_header() {
        for (part, message) in [
            (
                "what: the digits are swapped",
                "the header has no line `what: THE BUG`",
            ),
            (
                "fails: cargo test",
                "the header has no line `fails: COMMAND`",
            ),
            (
                "diff --git ",
                "there is no line that begins with `diff --git `; write the patch with `git diff`",
            ),
            (
                "cargo test",
                "`-p fluo-recipes --lib digits::tests` is neither a `cargo test` nor a `cargo xtask \
                 simulate`",
            ),
        ] {
            let error = parse(&PATCH.replacen(part, "", 1)).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
