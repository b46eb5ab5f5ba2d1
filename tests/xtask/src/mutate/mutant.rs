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
/// The file begins with a header; `git apply` ignores it:
///
/// ```text
/// what: the bug, in one sentence
/// fails: cargo test --workspace --test TARGET NAME-OF-A-TEST
/// ```
///
/// A bug that several tests must find has several lines `fails:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The name of the file, without its extension.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// The bug, in one sentence.
    pub(super) what: String,
    /// The arguments of the cargo commands that pass without the patch and fail with it.
    pub(super) fails: Vec<Vec<String>>,
    /// The first file that the patch changes.
    pub(super) changes: String,
}

impl Mutant {
    /// Reads a patch.
    fn parse(file: &Path, text: &str) -> Result<Mutant> {
        let Some((header, diff)) = text.split_once(&format!("\n{DIFF}")) else {
            bail!("there is no line that begins with `{DIFF}`; write the patch with `git diff`");
        };
        let fields = |name: &'static str| {
            let values = header
                .lines()
                .filter_map(move |line| line.strip_prefix(name));
            values.map(str::trim).filter(|value| !value.is_empty())
        };
        let what = fields("what:").next();
        let what = what.context("the header has no line `what: THE BUG`")?;
        let fails = fields("fails:")
            .map(arguments)
            .collect::<Result<Vec<_>>>()?;
        if fails.is_empty() {
            bail!("the header has no line `fails: COMMAND`");
        }
        let changes = diff.split_whitespace().next().unwrap_or_default();
        Ok(Mutant {
            name: name(file),
            file: file.to_owned(),
            what: what.to_owned(),
            fails,
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

/// Returns the arguments of a command after `cargo`.
fn arguments(command: &str) -> Result<Vec<String>> {
    let words: Vec<_> = command.split_whitespace().map(str::to_owned).collect();
    match words.as_slice() {
        [program, arguments @ ..]
            if program == "cargo" && arguments.first().is_some_and(|first| first == "test") =>
        {
            Ok(arguments.to_vec())
        }
        _ => bail!("`{command}` is not a `cargo test`"),
    }
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
fails: cargo test --workspace --lib digits::tests

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
        let fails = ["test", "--workspace", "--lib", "digits::tests"];
        assert_eq!(mutant.fails, [fails]);
        assert_eq!(mutant.changes, "a/src/lib.rs");
    }

    #[test]
    fn reads_several_commands() {
        let patch = PATCH.replace("\n\n", "\nfails: cargo test digits\n\n");
        let [_, second] = parse(&patch).unwrap().fails.try_into().unwrap();
        assert_eq!(second, ["test", "digits"]);
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
                "`--workspace --lib digits::tests` is not a `cargo test`",
            ),
        ] {
            let error = parse(&PATCH.replacen(part, "", 1)).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
