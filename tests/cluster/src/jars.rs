//! Published artifacts, fetched once: those that a cluster consists of, and those of a Java peer.
//!
//! The name of the folder contains the hash of the POM, so another POM has another folder. Maven
//! writes to a temporary folder, which is renamed when it is complete. A lock file makes one
//! process fetch and the others wait.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::deadline::Deadline;
use crate::folder;
use crate::supervisor::{Program, Supervisor};

/// The artifacts of a cluster.
const CLUSTER: &str = include_str!("../pom.xml");

/// The time that a fetch may take: 55 MB, and the files that Maven itself needs.
const FETCH: Duration = Duration::from_secs(600);

/// A complete folder of jars.
#[derive(Clone, Debug)]
pub(crate) struct Jars {
    folder: PathBuf,
}

impl Jars {
    /// Returns the jars of a cluster, and fetches them first if they are missing.
    pub(crate) fn of_cluster() -> Result<Jars> {
        Jars::of(CLUSTER)
    }

    /// Returns the jars that a POM names, and fetches them first if they are missing.
    pub(crate) fn of(pom: &str) -> Result<Jars> {
        let folder = made_once("jars", pom, |folder| fetch(pom, folder))?;
        Ok(Jars { folder })
    }

    /// Returns the jars of a folder.
    pub(crate) fn at(folder: &Path) -> Jars {
        Jars {
            folder: folder.to_owned(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the class path of all jars, as absolute paths, because the children of the cluster
    /// start in other folders.
    pub(crate) fn class_path(&self) -> Result<OsString> {
        let entries = self
            .folder
            .read_dir()
            .with_context(|| format!("the jars in {} cannot be listed", self.folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        // Sorted, so that a class that is in two jars always comes from the same one.
        paths.sort();
        env::join_paths(paths).context("a folder with `:` in its name cannot be on a class path")
    }
}

/// Returns a folder whose content depends only on a text, and makes it first if it is missing. The
/// name contains the hash of the text.
pub(crate) fn made_once(
    name: &str,
    text: &str,
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let home = folder::home();
    let folder = home.join(format!("{name}-{:016x}", fnv1a(text.as_bytes())));
    folder::create(&home)?;
    let lock = format!("{name}.lock");
    let taken = File::create(home.join(&lock)).and_then(|file| file.lock().map(|()| file));
    let _lock = taken.with_context(|| format!("the lock {lock} cannot be taken"))?;
    if !folder.is_dir() {
        make(&folder)?;
    }
    Ok(folder)
}

/// Fetches the jars. Maven is supervised, so that after an interruption it does not write
/// concurrently with the next fetch.
fn fetch(text: &str, complete: &Path) -> Result<()> {
    let partial = folder::fresh_run()?;
    let [pom, output, jars, done] =
        ["pom.xml", "maven.out", "jars", "done"].map(|name| partial.join(name));
    fs::write(&pom, text).with_context(|| format!("{} cannot be written", pom.display()))?;
    check()?;
    let program = Program {
        words: maven(&pom, &jars, &done),
        folder: Some(partial),
        ..Program::default()
    };
    let maven = Supervisor::start(&program, &output)?;
    let ended = Deadline::after(FETCH).until(|| !maven.process().is_alive());
    if !ended || !done.exists() {
        let said = fs::read_to_string(&output).unwrap_or_default();
        bail!("Maven could not fetch the jars of the tests; it said:\n{said}");
    }
    fs::rename(&jars, complete).context("the jars cannot be moved into place")
}

/// Returns the command, which creates the file `done` if it succeeds.
fn maven(pom: &Path, jars: &Path, done: &Path) -> Vec<OsString> {
    let mut output = OsString::from("-DoutputDirectory=");
    output.push(jars);
    let mut words: Vec<OsString> = vec!["sh".into(), "-c".into(), "\"$@\" && : >\"$0\"".into()];
    words.extend([
        done.into(),
        "mvn".into(),
        "--batch-mode".into(),
        "-q".into(),
        "-f".into(),
    ]);
    words.extend([pom.into(), "dependency:copy-dependencies".into()]);
    words.extend(["-DincludeScope=runtime".into(), output]);
    words
}

fn check() -> Result<()> {
    let maven = Command::new("mvn").arg("--version").output();
    maven.map(drop).context(
        "Maven is needed to fetch the jars of the tests: install it (Debian: apt install maven)",
    )
}

/// Returns the FNV-1a hash of a text, which is the same in every build.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
