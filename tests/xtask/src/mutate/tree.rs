//! A copy of the tree, in which patches are applied.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use super::mutant::{FOLDER, Mutant};
use crate::cargo::{git, output};

/// The line of the manifest above the version of all packages of the workspace.
const VERSION: &str = "[workspace.package]\nversion = \"";

/// A copy of the files that git does not ignore.
///
/// The copy shares the built dependencies of the original. Its packages have another version, so
/// cargo distinguishes what it builds of them from what it builds of the original.
#[derive(Debug)]
pub(super) struct Tree {
    folder: PathBuf,
    shared: PathBuf,
}

impl Tree {
    /// Creates the copy below `target`, the folder of what cargo builds from the original, or
    /// updates the copy of an earlier run.
    pub(super) fn new(original: &Path, target: &Path) -> Result<Tree> {
        let tree = Tree { folder: target.join("mutants"), shared: target.to_owned() };
        tree.update(original)?;
        Ok(tree)
    }

    /// Returns the folder of the copy.
    pub(super) fn copy(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Returns the file for the output of commands.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.join("output.log")
    }

    /// Returns the variables for cargo. Programs have their own folder. All else is in the folder
    /// of the original; a cargo before 1.91 builds it in the folder of the programs.
    pub(super) fn environment(&self) -> [(&'static str, Option<OsString>); 4] {
        [
            ("CARGO_TARGET_DIR", Some(self.folder.join("build").into())),
            ("CARGO_BUILD_BUILD_DIR", Some(self.shared.clone().into())),
            // A patch changes a few lines.
            ("CARGO_INCREMENTAL", Some("1".into())),
            ("CARGO_TERM_COLOR", Some("never".into())),
        ]
    }

    /// Removes all differences from the original, such as the patch of an interrupted run. Equal
    /// files stay untouched, because cargo compiles a file again if its time changes.
    fn update(&self, original: &Path) -> Result<()> {
        let (files, copy) = (tracked(original)?, self.copy());
        remove_others(&copy, Path::new(""), &files)?;
        for file in &files {
            let (from, to) = (original.join(file), copy.join(file));
            let mut bytes =
                fs::read(&from).with_context(|| format!("`{}` cannot be read", from.display()))?;
            if file == Path::new("Cargo.toml") {
                bytes = with_another_version(&String::from_utf8(bytes)?)?.into();
            }
            if fs::read(&to).is_ok_and(|existing| existing == bytes) {
                continue;
            }
            let folder = to.parent().unwrap_or(&copy);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&to, &bytes))
                .and_then(|()| fs::set_permissions(&to, fs::metadata(&from)?.permissions()))
                .with_context(|| format!("`{}` cannot be written", to.display()))?;
        }
        Ok(())
    }

    /// Applies the patch of a bug to the copy.
    pub(super) fn apply(&self, mutant: &Mutant) -> Result<()> {
        apply(mutant, &self.copy(), &["apply"])
    }

    /// Removes the patch of a bug from the copy.
    pub(super) fn revert(&self, mutant: &Mutant) -> Result<()> {
        apply(mutant, &self.copy(), &["apply", "--reverse"])
    }
}

/// Checks that the patch of a bug applies to a tree, and changes nothing.
///
/// # Errors
///
/// It does not apply. The error names the files and lines, and the remedy.
pub(super) fn check(mutant: &Mutant, tree: &Path) -> Result<()> {
    apply(mutant, tree, &["apply", "--check"])
}

fn apply(mutant: &Mutant, tree: &Path, arguments: &[&str]) -> Result<()> {
    let applied = output("git apply", git(tree).args(arguments).arg(&mutant.file));
    applied.map(drop).map_err(|error| {
        anyhow!(
            "{FOLDER}/{name}.patch does not apply: {error}\n\
             to refresh it: plant the bug by hand ({}), replace the diff in the patch by the output \
             of `git diff`, undo the change, and run `cargo xtask mutate {name}`",
            mutant.what,
            name = mutant.name
        )
    })
}

/// Returns the manifest of the workspace with another version of its packages.
fn with_another_version(manifest: &str) -> Result<String> {
    let version = manifest.split_once(VERSION);
    let version = version.and_then(|(before, after)| Some((before, after.split_once('"')?)));
    let (before, (version, after)) = version
        .context("Cargo.toml does not begin `[workspace.package]` with `version = \"..\"`")?;
    Ok(format!("{before}{VERSION}{version}+planted\"{after}"))
}

/// Returns the files that git tracks, or would track if they were added.
fn tracked(tree: &Path) -> Result<BTreeSet<PathBuf>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let names = output("git ls-files", git(tree).args(list))?;
    let files = names.split_terminator('\0').map(PathBuf::from);
    // A file that was deleted but not committed is still tracked.
    Ok(files.filter(|file| tree.join(file).is_file()).collect())
}

/// Removes all files of a folder of the copy except those in `files`.
fn remove_others(copy: &Path, folder: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(copy.join(folder)) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            remove_others(copy, &name, files)?;
        } else if !files.contains(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
