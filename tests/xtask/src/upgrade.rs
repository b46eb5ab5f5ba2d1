//! `cargo xtask upgrade`: processes of an earlier commit and of this tree in one application. Both
//! are of this tree's test program, which is also built with the product of the earlier commit.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::{cargo, git, output, target, workspace};
use crate::programs;

/// The commit from which the test upgrades: its workers hand over after a pause, as those of Java,
/// and its processes have one proxy.
pub(crate) const EARLIER: &str = "e2ccd262";

/// The parts of the tree from which the test program of the earlier commit is built, with their
/// folders.
const PARTS: [(&str, &str); 4] = [
    ("tests", "cluster"),
    ("tests", "interop"),
    ("tests/src", "shop.rs"),
    ("tests/tests", "application_faults"),
];

/// The environment variable that names the executable of the earlier commit to the test.
const OLD_PROGRAM: &str = "FLUO_OLD_PROGRAM";

const PROGRAM: &str = "application_faults";
const TEST: &str = "upgrade::a_rolling_upgrade_loses_no_order_and_keeps_the_sum";

/// Builds the test program of a commit, and runs a rolling upgrade from it to this tree.
pub(crate) fn upgrade(commit: &str) -> Result<()> {
    let folder = target().join("upgrade");
    let tree = folder.join("tree");
    check_out(&workspace(), commit, &tree)?;
    for (parent, part) in PARTS {
        let (from, to) = (workspace().join(parent).join(part), tree.join(parent));
        output("cp", Command::new("cp").arg("-Rp").arg(from).arg(to))?;
    }
    let built = [("CARGO_TARGET_DIR", Some(folder.join("build").into()))];
    let build = ["test", "--package", "fluo-tests", "--test", PROGRAM];
    let old = programs::test(PROGRAM, &[&build[..], &["--no-run"]].concat(), &built, &tree)?;
    let run = ["--", "--exact", "--nocapture", TEST];
    cargo(&[&build[..], &run].concat(), &[(OLD_PROGRAM, Some(old.into()))])
}

/// Checks a commit of a repository out into a worktree, which an earlier run may have created.
///
/// # Errors
///
/// The repository has no such commit.
fn check_out(repository: &Path, commit: &str, tree: &Path) -> Result<()> {
    let name = format!("{commit}^{{commit}}");
    let found = output("git rev-parse", git(repository).args(["rev-parse", "--verify", &name]));
    let found = found.with_context(|| {
        format!("there is no commit `{commit}` here; clone the repository with its history")
    })?;
    let hash = found.trim();
    let done = if tree.exists() {
        output("git checkout", git(tree).args(["checkout", "--force", "--detach", hash]))
    } else {
        let add = ["worktree", "add", "--force", "--detach"];
        output("git worktree add", git(repository).args(add).arg(tree).arg(hash))
    };
    done.map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn runs_a_test_that_exists() {
        let source = include_str!("../../tests/application_faults/upgrade.rs");
        let (_, name) = TEST.split_once("::").unwrap();
        assert!(source.contains(&format!("async fn {name}()")));
    }

    #[test]
    fn checks_out_one_commit_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let (repository, tree) = (folder.path().join("repository"), folder.path().join("tree"));
        fs::create_dir(&repository).unwrap();
        let run = |line: &str| output(line, git(&repository).args(line.split(' '))).unwrap();
        run("init --quiet");
        for text in ["one", "two"] {
            fs::write(repository.join("file"), text).unwrap();
            run("add file");
            run("-c user.name=a -c user.email=a@example.org commit --quiet --message change");
        }
        for (commit, text) in [("HEAD~1", "one"), ("HEAD", "two")] {
            check_out(&repository, commit, &tree).unwrap();
            assert_eq!(fs::read_to_string(tree.join("file")).unwrap(), text);
        }
        let error = check_out(&repository, "e2ccd262", &tree).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no commit `e2ccd262` here; clone the repository with its history"
        );
    }
}
