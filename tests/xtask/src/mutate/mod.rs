//! `cargo xtask mutate`: planted bugs, each of which a test must find.
//!
//! Each patch in `tests/mutants` plants one bug and names the command that finds it. This task
//! copies the tree, checks that the commands pass there, and applies one patch after the other. A
//! bug that no test finds survives, and the task fails.

mod mutant;
mod tree;
mod verdict;

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use self::mutant::{FOLDER, Mutant};
use self::tree::Tree;
use self::verdict::Verdict;
use crate::cargo::{none_of, print, say, target, workspace};
use crate::turn::turn;

/// Maximum time of a command, with its build.
const LIMIT: Duration = Duration::from_secs(15 * 60);
/// The head of the table.
const HEAD: &str = "| planted bug | what it breaks | found by |\n|---|---|---|";

/// The planted bugs to test.
#[derive(Clone, Debug, Default, clap::Args)]
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
pub(crate) fn mutate(asked: &Asked) -> Result<()> {
    test_bugs(&workspace(), &target(), asked, LIMIT)
}

/// Tests bugs of the tree `root`, with a copy of it below `target`.
fn test_bugs(root: &Path, target: &Path, asked: &Asked, limit: Duration) -> Result<()> {
    let all = mutant::all(root)?;
    let misfits = all.iter().filter_map(|mutant| tree::check(mutant, root).err());
    none_of(&misfits.map(|error| error.to_string()).collect::<Vec<_>>())?;
    progress(&format!("{} patches apply", all.len()));
    let mut selected = select(all, asked)?;
    if selected.is_empty() {
        return Ok(());
    }
    let tree = Tree::new(root, target)?;
    // The tests of the whole tree run beside the bugs of a day, and show that they pass without.
    let checked = selected.iter().filter(|_| asked.rotate.is_none());
    let commands: BTreeSet<_> = checked.flat_map(|mutant| &mutant.fails).collect();
    for (number, line) in (1..).zip(&commands) {
        let count = commands.len();
        progress(&format!("{number} of {count} without a bug: {line}"));
        verdict::check_clean(&tree, line, limit)?;
    }
    // Bugs of one package are neighbors, so fewer packages are built again after each.
    selected.sort_by(|a, b| (&a.changes, &a.name).cmp(&(&b.changes, &b.name)));
    let (mut rows, mut not_found) = (Vec::new(), Vec::new());
    for (number, mutant) in (1..).zip(&selected) {
        let begun = Instant::now();
        let row = test_bug(&tree, mutant, limit, &mut not_found)?;
        let (count, seconds) = (selected.len(), begun.elapsed().as_secs());
        progress(&format!("{number} of {count}, {seconds} s: {row}"));
        rows.push(row);
    }
    // Each row begins with the name of its bug.
    rows.sort();
    print(&format!("{HEAD}\n{}", rows.join("\n")));
    none_of(&not_found)
}

/// Plants a bug and runs its commands. Returns the row of the table, and adds a sentence for each
/// command that does not find the bug.
fn test_bug(
    tree: &Tree,
    mutant: &Mutant,
    limit: Duration,
    not_found: &mut Vec<String>,
) -> Result<String> {
    let Mutant { name, what, .. } = mutant;
    tree.apply(mutant)?;
    let run = |line: &String| verdict::run(tree, line, mutant.seeds, limit);
    let verdicts: Result<Vec<_>> = mutant.fails.iter().map(run).collect();
    tree.revert(mutant)?;
    let mut cells = Vec::new();
    for (verdict, line) in verdicts?.into_iter().zip(&mutant.fails) {
        let patch = format!("with {FOLDER}/{name}.patch `{line}`");
        let (cell, complaint) = match verdict {
            Verdict::Found(cell) => {
                cells.push(cell);
                continue;
            }
            Verdict::Survived => (
                "SURVIVED",
                format!("`{name}` survives: {what}, and `{line}` passes; fix or add the test"),
            ),
            Verdict::Broken(end) => {
                ("BROKEN", format!("`{name}` is broken: {patch} fails before a test does:\n{end}"))
            }
            Verdict::Endless => (
                "NO END",
                format!(
                    "`{name}` has no end: {patch} exceeds the time limit; name a test that fails"
                ),
            ),
        };
        cells.push(cell.to_owned());
        not_found.push(complaint);
    }
    Ok(row_start(mutant) + &format!("{} |", cells.join("; ")))
}

/// Returns the start of the row of a bug: all cells but the last.
fn row_start(mutant: &Mutant) -> String {
    format!("| `{}` | {} | ", mutant.name, mutant.what)
}

/// Returns the selected bugs in the order of their names, each once.
fn select(mut all: Vec<Mutant>, asked: &Asked) -> Result<Vec<Mutant>> {
    let names: Vec<_> = all.iter().map(|mutant| mutant.name.clone()).collect();
    if let Some(unknown) = asked.names.iter().find(|name| !names.contains(name)) {
        bail!("there is no planted bug `{unknown}`; bugs here: {}", names.join(", "));
    }
    let turn = match asked.rotate {
        Some(count) => turn(all.len(), count)?,
        None => Vec::new(),
    };
    let mut index = 0..;
    all.retain(|mutant| {
        let is_its_turn = index.next().is_some_and(|index| turn.contains(&index));
        asked.all || is_its_turn || asked.names.contains(&mutant.name)
    });
    Ok(all)
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
        let mut git = Command::new("git");
        let git = git.args(["init", "--quiet"]).current_dir(package.path());
        assert!(git.status().unwrap().success());
        package
    }

    /// Tests bugs of a package, and returns the error.
    fn tested(package: &TempDir, names: &[&str], seconds: u64) -> String {
        let target = tempfile::tempdir().unwrap();
        let asked = Asked {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Asked::default()
        };
        let limit = Duration::from_secs(seconds);
        let result = test_bugs(package.path(), target.path(), &asked, limit);
        result.err().map(|error| format!("{error:#}")).unwrap_or_default()
    }

    #[test]
    fn succeeds_only_if_tests_find_all_bugs() {
        let bugs = [("found", "a * b"), ("survivor", "a | b"), ("broken", "a + c")];
        let package = package(&bugs);
        assert_eq!(tested(&package, &["found"], 900), "");
        let error = tested(&package, &["found", "survivor", "broken"], 900);
        let broken = "`broken` is broken: with tests/mutants/broken.patch `cargo test adds` fails \
                      before a test does:\n";
        assert!(error.starts_with(broken), "{error}");
        assert!(error.contains("cannot find value `c`"), "{error}");
        let survives = "\n`survivor` survives: it does not add, and `cargo test adds` passes; fix \
                        or add the test";
        assert!(error.ends_with(survives), "{error}");
        assert!(!error.contains("`found`"), "{error}");
    }

    #[test]
    fn a_bug_that_needs_more_seeds_has_a_day_too() {
        let package = package(&[("few", "a * b"), ("many", "a | b")]);
        let patch = package.path().join(FOLDER).join("many.patch");
        let text = fs::read_to_string(&patch).unwrap();
        fs::write(&patch, text.replace("\n\ndiff", "\nseeds: 300\n\ndiff")).unwrap();
        let all = mutant::all(package.path()).unwrap();
        let asked = Asked { rotate: Some(2), ..Asked::default() };
        let selected = select(all, &asked).unwrap();
        let seeds: Vec<_> = selected.iter().map(|mutant| mutant.seeds).collect();
        assert_eq!(seeds, [None, Some(300)]);
    }

    #[test]
    fn ends_a_test_that_has_no_end() {
        let package = package(&[("endless", "loop { std::thread::park() }")]);
        assert_eq!(
            tested(&package, &["endless"], 20),
            "`endless` has no end: with tests/mutants/endless.patch `cargo test adds` exceeds the \
             time limit; name a test that fails"
        );
    }

    #[test]
    fn builds_beside_what_the_original_has_built() {
        let package = package(&[("found", "a * b")]);
        let target = tempfile::tempdir().unwrap();
        let built = || {
            let environment = [("CARGO_TARGET_DIR", Some(target.path().into()))];
            let mut build = command(&["test", "--no-run"], &environment);
            let output = build.current_dir(package.path()).output().unwrap();
            String::from_utf8(output.stderr).unwrap()
        };
        assert!(built().contains("Compiling sum"));
        let asked = Asked { all: true, ..Asked::default() };
        test_bugs(package.path(), target.path(), &asked, LIMIT).unwrap();
        let again = built();
        assert!(!again.contains("Compiling sum"), "{again}");
    }

    #[test]
    fn rejects_every_patch_that_does_not_apply() {
        let package = package(&[("a", "a * b"), ("b", "a | b")]);
        let changed = SOURCE.replace("a + b", "b + a");
        fs::write(package.path().join("src/lib.rs"), changed).unwrap();
        let error = tested(&package, &[], 900);
        for name in ["a", "b"] {
            let message = format!(
                "tests/mutants/{name}.patch does not apply: `git apply` failed:\n\
                 error: patch failed: src/lib.rs:1\nerror: src/lib.rs: patch does not apply\n\
                 to refresh it: plant the bug by hand (it does not add), replace the diff in the \
                 patch by the output of `git diff`, undo the change, and run `cargo xtask mutate \
                 {name}`"
            );
            assert!(error.contains(&message), "{error}");
        }
    }

    #[test]
    fn requires_a_known_bug_and_a_test_that_passes_without_it() {
        let package = package(&[("a", "a * b")]);
        let patch = package.path().join(FOLDER).join("a.patch");
        let text = fs::read_to_string(&patch).unwrap();
        let unknown = "there is no planted bug `b`; bugs here: a";
        assert_eq!(tested(&package, &["b"], 900), unknown);
        fs::write(&patch, text.replace("test adds", "test subtracts")).unwrap();
        let no_test = "`cargo test subtracts`: no test has this name";
        assert_eq!(tested(&package, &["a"], 900), no_test);
    }
}
