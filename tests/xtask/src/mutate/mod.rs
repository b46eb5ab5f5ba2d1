//! `cargo xtask mutate`: planted bugs, each of which a test must find.
//!
//! Each patch in `tests/mutants` plants one bug and names the command that finds it. This task
//! copies the tree, checks that the commands pass there, and applies one patch after the other. A
//! bug that no test finds survives, and the task fails.

mod mutant;
mod run;
mod selection;
mod tree;
mod verdict;

use std::collections::BTreeSet;
use std::env;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::mutant::{FOLDER, Mutant};
use self::run::Run;
use self::selection::Selection;
use self::tree::Tree;
use self::verdict::Verdict;
use crate::cargo::{print, say, workspace};

/// Maximum time of a command, with its build.
const LIMIT: Duration = Duration::from_secs(15 * 60);
/// Maximum number of lines of a failed build to print.
const LINES_OF_A_FAILURE: usize = 40;

/// The head of the table.
const HEAD: &str = "| planted bug | what it breaks | found by |\n|---|---|---|";

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
    test_bugs(&root, &root.join(target), &selection, LIMIT)
}

/// Tests bugs of the tree `root`, with a copy of it below `target`.
fn test_bugs(root: &Path, target: &Path, selection: &Selection, limit: Duration) -> Result<()> {
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
    let mut selected = selection.of(all)?;
    if selected.is_empty() {
        return Ok(());
    }
    let tree = Tree::new(root, target)?;
    check_clean(&tree, &selected, limit)?;
    // Bugs of one package are neighbours, so fewer packages are built again after each.
    selected.sort_by(|a, b| (&a.changes, &a.name).cmp(&(&b.changes, &b.name)));
    let mut rows = Vec::new();
    for (number, mutant) in (1..).zip(&selected) {
        let begun = Instant::now();
        let row = Row::new(&tree, mutant, limit)?;
        let (count, seconds) = (selected.len(), begun.elapsed().as_secs());
        progress(&format!(
            "{number} of {count}, {seconds} s: {}",
            row.cells()
        ));
        rows.push(row);
    }
    rows.sort_by_key(|row| &row.mutant.name);
    print(&table(&rows));
    let not_found: Vec<_> = rows.iter().flat_map(Row::complaints).collect();
    match not_found.as_slice() {
        [] => Ok(()),
        _ => bail!("{}", not_found.join("\n")),
    }
}

/// Checks that the commands of all bugs pass without them, and that each runs a test.
fn check_clean(tree: &Tree, mutants: &[Mutant], limit: Duration) -> Result<()> {
    let commands: BTreeSet<_> = mutants.iter().flat_map(|mutant| &mutant.fails).collect();
    for (number, fails) in (1..).zip(&commands) {
        let line = line(fails);
        progress(&format!(
            "{number} of {} without a bug: {line}",
            commands.len()
        ));
        let run = Run::new(tree, fails, limit)?;
        if run.succeeded != Some(true) {
            bail!(
                "`{line}` fails without a planted bug:\n{}",
                end_of(&run.output)
            );
        }
        verdict::check_ran_tests(&run.output).with_context(|| format!("`{line}`"))?;
    }
    Ok(())
}

/// A tested bug.
struct Row<'a> {
    mutant: &'a Mutant,
    /// A verdict for each command.
    results: Vec<(&'a [String], Verdict, Run)>,
}

impl<'a> Row<'a> {
    /// Plants a bug and runs its commands.
    fn new(tree: &Tree, mutant: &'a Mutant, limit: Duration) -> Result<Row<'a>> {
        tree.apply(mutant)?;
        let result = |fails: &'a Vec<String>| {
            let run = Run::new(tree, fails, limit)?;
            Ok((fails.as_slice(), Verdict::new(&run), run))
        };
        let results: Result<_> = mutant.fails.iter().map(result).collect();
        tree.revert(mutant)?;
        Ok(Row {
            mutant,
            results: results?,
        })
    }

    /// Returns the reasons for which the task fails, one for each command that did not find the
    /// bug.
    fn complaints(&self) -> impl Iterator<Item = String> {
        let Mutant { name, what, .. } = self.mutant;
        self.results.iter().filter_map(move |(fails, verdict, run)| {
            let line = line(fails);
            match verdict {
                Verdict::Found(_) => None,
                Verdict::Survived => Some(format!(
                    "`{name}` survives: {what}, and `{line}` passes; fix or add the test"
                )),
                Verdict::Broken => Some(format!(
                    "`{name}` is broken: with {FOLDER}/{name}.patch `{line}` fails before a test \
                     does:\n{}",
                    end_of(&run.output)
                )),
                Verdict::Endless => Some(format!(
                    "`{name}` has no end: with {FOLDER}/{name}.patch `{line}` exceeds the time \
                     limit; name a test that fails"
                )),
            }
        })
    }

    /// Returns the row of the table.
    fn cells(&self) -> String {
        let found_by = self.results.iter().map(|(_, verdict, _)| match verdict {
            Verdict::Found(finding) => finding.cell(),
            Verdict::Survived => "SURVIVED".to_owned(),
            Verdict::Broken => "BROKEN".to_owned(),
            Verdict::Endless => "NO END".to_owned(),
        });
        let found_by: Vec<_> = found_by.collect();
        row_start(self.mutant) + &format!("{} |", found_by.join("; "))
    }
}

/// Returns the Markdown table of the tested bugs, which is the table of `docs/testing.md`.
fn table(rows: &[Row<'_>]) -> String {
    let rows = rows.iter().map(|row| format!("\n{}", row.cells()));
    format!("{HEAD}{}", rows.collect::<String>())
}

/// Returns the start of the row of a bug: all cells but the last.
fn row_start(mutant: &Mutant) -> String {
    format!("| `{}` | {} | ", mutant.name, mutant.what)
}

/// Returns a command as the user writes it.
fn line(arguments: &[String]) -> String {
    format!("cargo {}", arguments.join(" "))
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
    use crate::cargo::command;

    const MANIFEST: &str = "\
[package]
name = \"sum\"
edition = \"2024\"
version.workspace = true

[workspace.package]
version = \"0.1.0\"
";
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
        let target = tempfile::tempdir().unwrap();
        let selection = Selection::Named(names);
        test_bugs(package.path(), target.path(), &selection, LIMIT)
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
    fn ends_a_test_that_has_no_end() {
        let package = package(&[("endless", "loop { std::thread::park() }")]);
        let target = tempfile::tempdir().unwrap();
        let selection = Selection::Named(vec!["endless".to_owned()]);
        let limit = Duration::from_secs(20);
        let error = test_bugs(package.path(), target.path(), &selection, limit).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`endless` has no end: with tests/mutants/endless.patch `cargo test adds` exceeds the time limit; \
             name a test that fails"
        );
    }

    #[test]
    fn builds_beside_what_the_original_has_built() {
        let package = package(&[("found", "a * b")]);
        let target = tempfile::tempdir().unwrap();
        let built = || {
            let environment = [("CARGO_TARGET_DIR", Some(target.path().into()))];
            let output = command(&["test", "--no-run"], &environment)
                .current_dir(package.path())
                .output();
            String::from_utf8(output.unwrap().stderr).unwrap()
        };
        assert!(built().contains("Compiling sum"));
        let selection = Selection::Named(vec!["found".to_owned()]);
        test_bugs(package.path(), target.path(), &selection, LIMIT).unwrap();
        let again = built();
        assert!(!again.contains("Compiling sum"), "{again}");
    }

    #[test]
    fn the_page_lists_every_bug() {
        let page = include_str!("../../../../docs/testing.md");
        let table = page.split_once(HEAD).unwrap().1.trim_start();
        let listed: Vec<_> = table.lines().take_while(|line| !line.is_empty()).collect();
        let bugs = mutant::all(&workspace()).unwrap();
        assert_eq!(listed.len(), bugs.len());
        for (row, bug) in listed.into_iter().zip(&bugs) {
            assert!(row.starts_with(&row_start(bug)), "{row} is not {bug:?}");
            let found_by = row.rsplit(" | ").next().unwrap();
            assert_eq!(found_by.split("; ").count(), bug.fails.len(), "{row}");
        }
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
