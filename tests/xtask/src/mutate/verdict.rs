//! The verdict about a planted bug, from the run of its command.

use anyhow::{Result, bail};

use super::run::Run;

/// The result of a command that should find a planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A test failed.
    Found(Finding),
    /// All tests passed.
    Survived,
    /// No test ran to its end: the patched tree does not compile, or the process crashed.
    Broken,
    /// The time was up.
    Endless,
}

/// The tests that found a planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    tests: Vec<String>,
    /// The first failed seed of the simulation.
    seed: Option<String>,
}

impl Verdict {
    /// Judges by the exit status of cargo and by its output.
    pub(super) fn new(run: &Run) -> Verdict {
        match run.succeeded {
            None => return Verdict::Endless,
            Some(true) => return Verdict::Survived,
            Some(false) => {}
        }
        let lines = || run.output.lines();
        if !lines().any(|line| line.starts_with("test result: FAILED")) {
            return Verdict::Broken;
        }
        let failed = |line: &str| {
            let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
            Some(name.to_owned())
        };
        Verdict::Found(Finding {
            tests: lines().filter_map(failed).collect(),
            seed: lines().find_map(seed_of),
        })
    }
}

/// Returns the seed in the first line of a report: `seed 8: 3 violations`.
fn seed_of(line: &str) -> Option<String> {
    let (seed, rest) = line.strip_prefix("seed ")?.split_once(": ")?;
    rest.ends_with(" violations").then(|| seed.to_owned())
}

impl Finding {
    /// Returns the cell of a Markdown table.
    pub(super) fn cell(&self) -> String {
        let mut cell = match self.tests.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                format!("`{first}` and {} more", others.len())
            }
            tests => format!("`{}`", tests.concat()),
        };
        if let Some(seed) = &self.seed {
            cell += &format!(", seed {seed}");
        }
        cell
    }
}

/// Checks the output of a command that succeeded on the tree without a bug.
///
/// # Errors
///
/// The command ran no test.
pub(super) fn check_ran_tests(output: &str) -> Result<()> {
    let mut passed = output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: ok. "))
        .filter_map(|counts| counts.split_once(" passed"));
    if !passed.any(|(count, _)| count != "0") {
        bail!("no test has this name");
    }
    Ok(())
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

    const SIMULATION: &str = "\
running 1 test
test seeds::every_seed ... FAILED

---- seeds::every_seed stdout ----
8 of 150 seeds from 1 run, 1 of them failed; 26 transactions begun, 19 committed; 1 s
seed 8: 2 violations
  S1: a snapshot shows a sum of 482; it was 500
seed 9: 1 violations

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out
";

    fn verdict(succeeded: Option<bool>, output: &str) -> Verdict {
        Verdict::new(&Run {
            succeeded,
            output: output.to_owned(),
        })
    }

    fn cell_of(output: &str) -> String {
        match verdict(Some(false), output) {
            Verdict::Found(finding) => finding.cell(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_failing_test_finds_a_bug() {
        assert_eq!(cell_of(FAILED), "`digits::tests::text_order`");
        let more = FAILED.replace("pads ... ok", "pads ... FAILED");
        assert_eq!(cell_of(&more), "`digits::tests::pads` and 1 more");
    }

    #[test]
    fn the_first_failing_seed_is_named() {
        assert_eq!(cell_of(SIMULATION), "`seeds::every_seed`, seed 8");
    }

    #[test]
    fn passing_tests_do_not_find_a_bug() {
        let output = "test result: ok. 2 passed; 0 failed";
        assert_eq!(verdict(Some(true), output), Verdict::Survived);
    }

    #[test]
    fn neither_a_failed_build_nor_a_crash_nor_a_hang_finds_a_bug() {
        let output = "error[E0308]: mismatched types\nerror: could not compile `fluo-recipes`";
        assert_eq!(verdict(Some(false), output), Verdict::Broken);
        assert_eq!(verdict(Some(false), "running 1 test\n"), Verdict::Broken);
        assert_eq!(verdict(None, FAILED), Verdict::Endless);
    }

    #[test]
    fn a_name_of_no_test_is_an_error() {
        check_ran_tests("test result: ok. 0 passed;\n\ntest result: ok. 10 passed; 0 failed")
            .unwrap();
        let error = check_ran_tests("test result: ok. 0 passed; 0 failed; 7 filtered out");
        assert_eq!(error.unwrap_err().to_string(), "no test has this name");
    }
}
