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

use crate::folder;
use crate::poll::poll;
use crate::supervisor::Supervisor;

/// The time that a fetch may take: 55 MB, and the files that Maven itself needs.
const FETCH: Duration = Duration::from_secs(600);

/// Returns the folder of the jars that a POM names, and fetches them first if they are missing.
pub(crate) fn fetched(pom: &str) -> Result<PathBuf> {
    made_once("jars", pom, |folder| fetch(pom, folder))
}

/// Returns the class path of all jars of a folder, as absolute paths, because the children of the
/// cluster start in other folders.
pub(crate) fn class_path(jars: &Path) -> Result<OsString> {
    let entries = jars
        .read_dir()
        .with_context(|| format!("the jars in {} cannot be listed", jars.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    // Sorted, so that a class that is in two jars always comes from the same one.
    paths.sort();
    env::join_paths(paths).context("a folder with `:` in its name cannot be on a class path")
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
    let lock = home.join(format!("{name}.lock"));
    let _lock = locked(&lock)?;
    if !folder.is_dir() {
        make(&folder)?;
    }
    Ok(folder)
}

/// Takes the lock of a file, which is created if it is missing, and waits for its other owners.
///
/// # Errors
///
/// The file cannot be created or locked.
pub fn locked(file: &Path) -> Result<File> {
    let taken = || {
        fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
        let lock = File::create(file)?;
        lock.lock()?;
        Ok::<File, std::io::Error>(lock)
    };
    taken().with_context(|| format!("the lock {} cannot be taken", file.display()))
}

/// Fetches the jars. Maven is supervised, so that after an interruption it does not write
/// concurrently with the next fetch.
fn fetch(text: &str, complete: &Path) -> Result<()> {
    let maven = Command::new("mvn").arg("--version").output();
    maven.context(
        "Maven is needed to fetch the jars of the tests: install it (Debian: apt install maven)",
    )?;
    let partial = folder::fresh_run()?;
    let [pom, output, jars, done] =
        ["pom.xml", "maven.out", "jars", "done"].map(|name| partial.join(name));
    fs::write(&pom, text).with_context(|| format!("{} cannot be written", pom.display()))?;
    let mut folder = OsString::from("-DoutputDirectory=");
    folder.push(&jars);
    // The shell creates the file `done` if Maven succeeds.
    let mut maven = Command::new("sh");
    maven.args(["-c", "\"$@\" && : >\"$0\""]).arg(&done);
    maven.args(["mvn", "--batch-mode", "-q", "-f"]).arg(&pom);
    maven.args(["dependency:copy-dependencies", "-DincludeScope=runtime"]);
    maven.arg(folder);
    let maven = Supervisor::start(&maven, Some(&partial), None, &output)?;
    let ended = poll(FETCH, || !maven.process().is_alive());
    if !ended || !done.exists() {
        let said = fs::read_to_string(&output).unwrap_or_default();
        bail!("Maven could not fetch the jars of the tests; it said:\n{said}");
    }
    fs::rename(&jars, complete).context("the jars cannot be moved into place")
}

/// Returns the FNV-1a hash of a text, which is the same in every build.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
