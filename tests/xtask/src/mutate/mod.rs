//! `cargo xtask mutate`: planted bugs, each of which a test must find.
//!
//! Each patch in `tests/mutants` plants one bug and names the command that finds it. This task
//! copies the tree, checks that the commands pass there, and applies one patch after the other. A
//! bug that no test finds survives, and the task fails.

mod mutant;
mod selection;
mod tree;
mod verdict;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use self::mutant::{FOLDER, Mutant};
use self::selection::Selection;
use self::tree::Tree;
use self::verdict::Verdict;
use crate::cargo::{command, print, say, workspace};

/// Maximum number of lines of a failed build to print.
const LINES_OF_A_FAILURE: usize = 40;

/// The planted bugs to test.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Asked {
    /// Names of planted bugs: the files in tests/mutants without `.patch`
    #[arg(value_name = "NAME", required_unless_present_any = ["check", "rotate", "all"])]
    names: Vec<String>,
    /// Only check that every patch applies
    #[arg(long, conflicts_with_all = ["names", "rotate", "all"])]
    check: bool,
    /// Test N bugs, whose turn changes every day (UTC)
    #[arg(long, value_name = "N", conflicts_with_all = ["names", "all"])]
    rotate: Option<usize>,
    /// Test all bugs
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

/// Checks that every patch applies, and that tests find the selected bugs.
pub(crate) fn mutate(asked: Asked) -> Result<()> {
    let root = workspace();
    let selection = match asked.rotate {
        _ if asked.check => Selection::Named(Vec::new()),
        Some(count) => Selection::Rotation(count),
        None if asked.all => Selection::All,
        None => Selection::Named(asked.names),
    };
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    test_bugs(&root, &root.join(target).join("mutants"), &selection)
}

/// Tests bugs of the tree `root`, with a copy of it in `folder`.
fn test_bugs(root: &Path, folder: &Path, selection: &Selection) -> Result<()> {
    let all = mutant::all(root)?;
    let misfits: Vec<_> = all
        .iter()
        .filter_map(|mutant| tree::check(mutant, root).err())
        .map(|error| error.to_string())
        .collect();
    if !misfits.is_empty() {
        bail!("{}", misfits.join("\n\n"));
    }
    progress(&format!("{} patches apply", all.len()));
    let selected = selection.of(all)?;
    if selected.is_empty() {
        return Ok(());
    }
    let tree = Tree::new(root, folder)?;
    check_clean(&tree, &selected)?;
    let mut rows = Vec::new();
    for (number, mutant) in (1..).zip(&selected) {
        progress(&format!("{number} of {}: {}", selected.len(), mutant.name));
        rows.push(Row::new(&tree, mutant)?);
    }
    print(&table(&rows));
    let not_found: Vec<_> = rows.iter().filter_map(Row::complaint).collect();
    match not_found.as_slice() {
        [] => Ok(()),
        _ => bail!("{}", not_found.join("\n")),
    }
}

/// Checks that the commands of all bugs pass without them, and that each runs a test.
fn check_clean(tree: &Tree, mutants: &[Mutant]) -> Result<()> {
    let commands: BTreeSet<_> = mutants.iter().map(|mutant| &mutant.fails).collect();
    for (number, fails) in (1..).zip(&commands) {
        let line = format!("cargo {}", fails.join(" "));
        progress(&format!(
            "{number} of {} without a bug: {line}",
            commands.len()
        ));
        let (succeeded, output) = run(tree, fails)?;
        if !succeeded {
            bail!("`{line}` fails without a planted bug:\n{}", end_of(&output));
        }
        verdict::check_ran_tests(&output).with_context(|| format!("`{line}`"))?;
    }
    Ok(())
}

/// A tested bug.
struct Row<'a> {
    mutant: &'a Mutant,
    verdict: Verdict,
    seconds: u64,
    output: String,
}

impl<'a> Row<'a> {
    /// Plants a bug and runs its command.
    fn new(tree: &Tree, mutant: &'a Mutant) -> Result<Row<'a>> {
        let start = Instant::now();
        tree.apply(mutant)?;
        let ran = run(tree, &mutant.fails);
        tree.revert(mutant)?;
        let (succeeded, output) = ran?;
        Ok(Row {
            mutant,
            verdict: Verdict::new(succeeded, &output),
            seconds: start.elapsed().as_secs(),
            output,
        })
    }

    /// Returns the reason for which the task fails, if the bug was not found.
    fn complaint(&self) -> Option<String> {
        let Mutant {
            name, what, fails, ..
        } = self.mutant;
        let line = format!("cargo {}", fails.join(" "));
        match self.verdict {
            Verdict::Found(_) => None,
            Verdict::Survived => Some(format!(
                "`{name}` survives: {what}, and `{line}` passes; fix or add the test"
            )),
            Verdict::Broken => Some(format!(
                "`{name}` is broken: with {FOLDER}/{name}.patch `{line}` fails before a test \
                 does:\n{}",
                end_of(&self.output)
            )),
        }
    }
}

/// Returns a Markdown table of the tested bugs.
fn table(rows: &[Row<'_>]) -> String {
    let mut table = "| planted bug | found by | seconds |\n|---|---|---|".to_owned();
    for row in rows {
        let found_by = match &row.verdict {
            Verdict::Found(tests) => match tests.as_slice() {
                [first, others @ ..] if !others.is_empty() => {
                    format!("{first} and {} more", others.len())
                }
                tests => tests.concat(),
            },
            Verdict::Survived => "SURVIVED".to_owned(),
            Verdict::Broken => "BROKEN".to_owned(),
        };
        table += &format!("\n| {} | {found_by} | {} |", row.mutant.name, row.seconds);
    }
    table
}

/// Runs cargo in the copy, and returns whether it succeeded, and its output.
fn run(tree: &Tree, arguments: &[String]) -> Result<(bool, String)> {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let variables: [(&str, Option<OsString>); 2] = [
        ("CARGO_TARGET_DIR", Some(tree.build().into())),
        ("CARGO_TERM_COLOR", Some("never".into())),
    ];
    let output = command(&arguments, &variables)
        .current_dir(tree.folder())
        .output()
        .context("cargo cannot be run")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((
        output.status.success(),
        text(&output.stderr) + &text(&output.stdout),
    ))
}

fn end_of(output: &str) -> String {
    let lines: Vec<_> = output.trim_end().lines().collect();
    let first = lines.len().saturating_sub(LINES_OF_A_FAILURE);
    lines.get(first..).unwrap_or_default().join("\n")
}

/// Prints a line for people: only to a terminal.
fn progress(line: &str) {
    if stderr().is_terminal() {
        say(line);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;

    const MANIFEST: &str = "[package]\nname = \"sum\"\nedition = \"2024\"\n[workspace]\n";
    const SOURCE: &str = "\
pub fn sum(a: u8, b: u8) -> u8 {
    a + b
}

#[test]
fn adds() {
    assert_eq!(sum(3, 0), 3);
}
";

    /// A package of one function and one test, under git.
    fn package(patches: &[(&str, &str)]) -> TempDir {
        let package = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = package.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("Cargo.toml", MANIFEST);
        write("src/lib.rs", SOURCE);
        for (name, body) in patches {
            let patch = format!(
                "what: it does not add\nfails: cargo test adds\n\n\
                 diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n\
                 @@ -1,3 +1,3 @@\n pub fn sum(a: u8, b: u8) -> u8 {{\n-    a + b\n+    {body}\n }}\n"
            );
            write(&format!("{FOLDER}/{name}.patch"), &patch);
        }
        let git = Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(package.path())
            .status();
        assert!(git.unwrap().success());
        package
    }

    fn tested(package: &TempDir, names: &[&str]) -> Result<()> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let folder = tempfile::tempdir().unwrap();
        test_bugs(package.path(), folder.path(), &Selection::Named(names))
    }

    #[test]
    fn succeeds_only_if_tests_find_all_bugs() {
        let package = package(&[
            ("found", "a * b"),
            ("survivor", "a | b"),
            ("broken", "a + c"),
        ]);
        tested(&package, &["found"]).unwrap();
        let error = tested(&package, &["found", "survivor", "broken"]).unwrap_err();
        let error = error.to_string();
        let broken = "`broken` is broken: with tests/mutants/broken.patch `cargo test adds` fails before a \
                      test does:\n";
        assert!(error.starts_with(broken), "{error}");
        assert!(error.contains("cannot find value `c`"), "{error}");
        let survives = "\n`survivor` survives: it does not add, and `cargo test adds` passes; fix or add the \
                        test";
        assert!(error.ends_with(survives), "{error}");
        assert!(!error.contains("`found`"), "{error}");
    }

    #[test]
    fn rejects_every_patch_that_does_not_apply() {
        let package = package(&[("a", "a * b"), ("b", "a | b")]);
        let changed = SOURCE.replace("a + b", "b + a");
        fs::write(package.path().join("src/lib.rs"), changed).unwrap();
        let error = tested(&package, &[]).unwrap_err().to_string();
        for name in ["a", "b"] {
            let message = format!(
                "tests/mutants/{name}.patch does not apply:\nerror: patch failed: src/lib.rs:1\n\
                 error: src/lib.rs: patch does not apply\nto refresh it: plant the bug by hand (it does not \
                 add), replace the diff in the patch by the output of `git diff`, undo the change, and run \
                 `cargo xtask mutate {name}`"
            );
            assert!(error.contains(&message), "{error}");
        }
    }

    #[test]
    fn requires_that_the_command_runs_a_test_without_the_bug() {
        let package = package(&[("a", "a * b")]);
        let patch = package.path().join(FOLDER).join("a.patch");
        let text = fs::read_to_string(&patch).unwrap();
        fs::write(&patch, text.replace("test adds", "test subtracts")).unwrap();
        let error = tested(&package, &["a"]).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "`cargo test subtracts`: no test has this name"
        );
    }
}
