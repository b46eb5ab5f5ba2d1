//! Rules that the code does not keep everywhere yet: the number of accepted findings in each folder
//! may only go down.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The accepted numbers: lines of a rule, a folder and a number.
const FILE: &str = "tests/xtask/accepted.txt";

/// The findings of a rule in each folder.
pub(crate) type Findings = BTreeMap<String, Vec<String>>;

/// Compares the numbers of findings with the accepted ones. On request stores lower numbers, and
/// those of new folders.
///
/// # Errors
///
/// The file of the accepted numbers cannot be read or written.
pub(crate) fn check(
    root: &Path,
    rule: &str,
    found: &Findings,
    accept: bool,
) -> Result<Vec<String>> {
    let context = || format!("`{FILE}` cannot be read or written");
    let text = fs::read_to_string(root.join(FILE)).with_context(context)?;
    let number = |line: &str| {
        let (name, number) = line.rsplit_once(' ')?;
        Some((name.to_owned(), number.parse::<usize>().ok()?))
    };
    let mut accepted: BTreeMap<_, _> = text.lines().filter_map(number).collect();
    if accept {
        for (folder, findings) in found {
            let most = accepted.entry(format!("{rule} {folder}")).or_insert(findings.len());
            *most = findings.len().min(*most);
        }
        accepted.retain(|_, most| *most > 0);
        let lines = accepted.iter().map(|(name, most)| format!("{name} {most}\n"));
        fs::write(root.join(FILE), lines.collect::<String>()).with_context(context)?;
    }
    let mut complaints = Vec::new();
    for (folder, findings) in found {
        let count = findings.len();
        match accepted.get(&format!("{rule} {folder}")).copied().unwrap_or(0) {
            most if count > most => {
                complaints.extend(findings.iter().cloned());
                complaints.push(format!("{folder}: {count} findings, and {most} are accepted"));
            }
            most if count < most => complaints.push(format!(
                "{folder}: {count} findings of {most}; run `cargo xtask tidy --accept` to keep that"
            )),
            _ => {}
        }
    }
    Ok(complaints)
}

/// Returns the first two parts of the path of a file: its crate, or more.
pub(crate) fn folder(file: &str) -> String {
    let parts: Vec<_> = file.split('/').take(2).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests;

    #[test]
    fn accepts_fewer_findings_and_never_more() {
        let root = tests::folder(&[(FILE, "other a 7\nrule a 2\nrule b 1\n")]);
        let checked = |numbers: [usize; 3], accept| {
            let found = ["a", "b", "new"].into_iter().zip(numbers);
            let found =
                found.map(|(folder, number)| (folder.to_owned(), vec!["x".to_owned(); number]));
            check(root.path(), "rule", &found.collect(), accept).unwrap()
        };
        assert_eq!(checked([2, 1, 0], false), [""; 0]);
        let fewer = "a: 1 findings of 2; run `cargo xtask tidy --accept` to keep that";
        let more = "b: 2 findings, and 1 are accepted";
        let new = "new: 1 findings, and 0 are accepted";
        assert_eq!(checked([1, 2, 1], false), [fewer, "x", "x", more, "x", new]);
        assert_eq!(checked([0, 2, 1], true), ["x", "x", more]);
        let text = fs::read_to_string(root.path().join(FILE)).unwrap();
        assert_eq!(text, "other a 7\nrule b 1\nrule new 1\n");
    }
}
