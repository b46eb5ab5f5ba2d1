//! A run of a command in the copy of the tree, and the verdict about the planted bug.

use std::fs::{self, File};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::tree::Tree;
use crate::cargo::command;

/// The pause between two checks whether a command has ended.
const PAUSE: Duration = Duration::from_millis(50);
/// The variable with the number of seeds of the simulations.
const SEEDS: &str = "FLUO_SIMULATE_SEEDS";
/// Maximum number of lines of a failed build to print.
const LINES_OF_A_FAILURE: usize = 40;

/// The result of a command that should find a planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A test failed: the cell of a Markdown table.
    Found(String),
    /// All tests passed.
    Survived,
    /// No test ran to its end: the patched tree does not compile, or the process crashed. The value
    /// is the end of the output.
    Broken(String),
    /// The time was up.
    Endless,
}

/// Runs a cargo command in the copy, with another number of seeds than usual if there is one. Ends
/// it when the time is up.
pub(super) fn run(tree: &Tree, line: &str, seeds: Option<u32>, limit: Duration) -> Result<Verdict> {
    let (succeeded, output) = output(tree, line, seeds, limit)?;
    Ok(match succeeded {
        None => Verdict::Endless,
        Some(true) => Verdict::Survived,
        Some(false) => verdict(&output),
    })
}

/// Checks that a command passes without a planted bug, and that it runs a test.
pub(super) fn check_clean(tree: &Tree, line: &str, limit: Duration) -> Result<()> {
    let (succeeded, output) = output(tree, line, None, limit)?;
    ensure!(succeeded == Some(true), "`{line}` fails without a planted bug:\n{}", end_of(&output));
    ensure!(ran_tests(&output), "`{line}`: no test has this name");
    Ok(())
}

/// Returns `true` if a command succeeds, `None` if the time is up, and the lines of both outputs.
fn output(
    tree: &Tree,
    line: &str,
    seeds: Option<u32>,
    limit: Duration,
) -> Result<(Option<bool>, String)> {
    let seeds = seeds.map(|seeds| (SEEDS, Some(seeds.to_string().into())));
    let environment: Vec<_> = tree.environment().into_iter().chain(seeds).collect();
    let arguments: Vec<_> = line.split_whitespace().skip(1).collect();
    let path = tree.log();
    let log = File::create(&path).with_context(|| format!("`{}`", path.display()))?;
    let mut child = command(&arguments, &environment)
        .current_dir(tree.copy())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("cargo cannot be run")?;
    let status = wait(&mut child, limit)?;
    let output = fs::read(&path).with_context(|| format!("`{}`", path.display()))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok((status.map(|status| status.success()), output))
}

/// Waits for the end of cargo. Returns `None` if the time is up.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(PAUSE);
    }
    // First its compiler or its test, which would outlive it; it may have none at the moment.
    let parent = child.id().to_string();
    let killed = Command::new("pkill").args(["-KILL", "-P", &parent]).status();
    child.kill()?;
    child.wait()?;
    killed.context("`pkill` cannot be run")?;
    Ok(None)
}

/// Judges by the output of a command that failed.
fn verdict(output: &str) -> Verdict {
    let mut lines = output.lines();
    if !lines.any(|line| line.starts_with("test result: FAILED")) {
        return Verdict::Broken(end_of(output));
    }
    let failed = |line: &'_ str| -> Option<String> {
        let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
        Some(format!("`{name}`"))
    };
    let mut failed = output.lines().filter_map(failed);
    let mut cell = failed.next().unwrap_or_else(|| "``".to_owned());
    match failed.count() {
        0 => {}
        others => cell += &format!(" and {others} more"),
    }
    if let Some(seed) = output.lines().find_map(seed_of) {
        cell += &format!(", seed {seed}");
    }
    Verdict::Found(cell)
}

/// Returns the seed in the first line of a report: `seed 8: 3 violations`.
fn seed_of(line: &str) -> Option<&str> {
    let (seed, rest) = line.strip_prefix("seed ")?.split_once(": ")?;
    rest.ends_with(" violations").then_some(seed)
}

fn ran_tests(output: &str) -> bool {
    let results = output.lines();
    let results = results.filter_map(|line| line.strip_prefix("test result: ok. "));
    let mut passed = results.filter_map(|counts| counts.split_once(" passed"));
    passed.any(|(count, _)| count != "0")
}

fn end_of(output: &str) -> String {
    let lines: Vec<_> = output.trim_end().lines().collect();
    let first = lines.len().saturating_sub(LINES_OF_A_FAILURE);
    lines.get(first..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: &str = "\
running 2 tests
test digits::tests::pads ... ok
test digits::tests::text_order ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out
";

    #[test]
    fn names_the_failed_tests_and_the_first_seed() {
        let found = |output: &str| match verdict(output) {
            Verdict::Found(cell) => cell,
            other => panic!("{other:?}"),
        };
        assert_eq!(found(FAILED), "`digits::tests::text_order`");
        let more = FAILED.replace("pads ... ok", "pads ... FAILED");
        assert_eq!(found(&more), "`digits::tests::pads` and 1 more");
        let seeds =
            format!("8 of 150 seeds failed\nseed 8: 2 violations\nseed 9: 1 violations\n{FAILED}");
        assert_eq!(found(&seeds), "`digits::tests::text_order`, seed 8");
    }

    #[test]
    fn neither_a_failed_build_nor_a_crash_finds_a_bug() {
        for output in ["error: could not compile `fluo-recipes`", "running 1 test"] {
            assert_eq!(verdict(output), Verdict::Broken(output.to_owned()));
        }
    }
}
