//! The verdict about a planted bug, from the output of its command.

use anyhow::{Result, bail};

/// The result of the command that should find a planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// These tests failed.
    Found(Vec<String>),
    /// All tests passed.
    Survived,
    /// No test ran to its end: the patched tree does not compile, or the process crashed.
    Broken,
}

impl Verdict {
    /// Judges by the exit status of cargo and by its output.
    pub(super) fn new(succeeded: bool, output: &str) -> Verdict {
        if succeeded {
            return Verdict::Survived;
        }
        if !output
            .lines()
            .any(|line| line.starts_with("test result: FAILED"))
        {
            return Verdict::Broken;
        }
        let failed = |line: &str| {
            let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
            Some(name.to_owned())
        };
        Verdict::Found(output.lines().filter_map(failed).collect())
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

    #[test]
    fn a_failing_test_finds_a_bug() {
        let found = Verdict::Found(vec!["digits::tests::text_order".to_owned()]);
        assert_eq!(Verdict::new(false, FAILED), found);
    }

    #[test]
    fn passing_tests_do_not() {
        let output = "test result: ok. 2 passed; 0 failed";
        assert_eq!(Verdict::new(true, output), Verdict::Survived);
    }

    #[test]
    fn neither_a_failed_build_nor_a_crash_finds_a_bug() {
        let output = "error[E0308]: mismatched types\nerror: could not compile `fluo-recipes`";
        assert_eq!(Verdict::new(false, output), Verdict::Broken);
        assert_eq!(Verdict::new(false, "running 1 test\n"), Verdict::Broken);
    }

    #[test]
    fn a_name_of_no_test_is_an_error() {
        check_ran_tests("test result: ok. 0 passed;\n\ntest result: ok. 10 passed; 0 failed")
            .unwrap();
        let error = check_ran_tests("test result: ok. 0 passed; 0 failed; 7 filtered out");
        assert_eq!(error.unwrap_err().to_string(), "no test has this name");
    }
}
