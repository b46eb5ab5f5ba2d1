//! A removal that is cancelled, and then fails, leaves the application as it was.
//!
//! Regression test: the application was marked as removed before the commit, and only the caller
//! reset the mark after a failure. A cancelled caller never did, so the application still existed
//! but no handle found it until the directory was opened again.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::coordination::{Application, Applications};
use fluo_table::{ErrorKind, TableAdmin, Versions};
use futures::FutureExt;
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::task::unconstrained;

const IN_CHILD: &str = "FLUO_REMOVAL_CHILD";
/// The exit code of a child whose removal ended before it could be cancelled.
const TOO_LATE: i32 = 3;
/// Maximum number of children. On a busy machine the writer may be faster than its caller.
const TRIES: usize = 100;

async fn make(directory: &Path) {
    let options = EmbeddedOptions::new().create_if_missing(true);
    let tables = EmbeddedTables::open(directory, options).unwrap();
    tables.create_table("web", Versions::All).await.unwrap();
    tables.applications().initialize("web", Application::new("1", "web")).await.unwrap();
}

async fn remove_and_cancel(directory: &Path) {
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new()).unwrap();
    let applications = tables.applications();
    let web = applications.open("web").await.unwrap();
    // From here on every write fails.
    let nothing = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Fsize, nothing).unwrap();
    for _ in 0..200 {
        // Cancelled calls keep the writer busy. They are unconstrained, because tokio would
        // otherwise delay 200 calls without a pause.
        drop(unconstrained(web.join_workers()).now_or_never());
    }
    let removal = unconstrained(applications.remove("web"));
    if removal.now_or_never().is_some() {
        std::process::exit(TOO_LATE);
    }
    // The next call in the queue gets the error of the failed commit.
    let error = tables.set_property("web", "table.custom.x", "y").await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Storage);
    assert_eq!(web.application().await.unwrap().id, "1");
    applications.open("web").await.unwrap();
    assert!(!applications.is_running("web").await.unwrap());
}

/// Runs only as the child process of the test below.
#[test]
fn child() {
    let Some(directory) = std::env::var_os(IN_CHILD) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let work = remove_and_cancel(Path::new(&directory));
    runtime.unwrap().block_on(work);
}

/// Makes a directory, and lets a child remove an application of it while its writes fail.
fn removed_in_child(directory: &Path) -> Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(make(directory));
    let script = "trap '' XFSZ; exec \"$0\" --exact coordination_removal::child --nocapture";
    let mut child = Command::new("sh");
    child.args(["-c", script]).arg(std::env::current_exe().unwrap()).env(IN_CHILD, directory);
    child.output().unwrap()
}

#[test]
fn a_cancelled_removal_that_fails_keeps_the_application() {
    let mut runs = (0..TRIES).map(|_| {
        let directory = tempfile::tempdir().unwrap();
        let output = removed_in_child(directory.path());
        (directory, output)
    });
    let in_time = |(_, output): &(_, Output)| output.status.code() != Some(TOO_LATE);
    let (directory, child) = runs.find(in_time).expect("a removal is cancelled");
    let printed = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{printed}");
    // Without this check, a filter that selects no test would look like success.
    let ran = String::from_utf8_lossy(&child.stdout);
    assert!(ran.contains("1 passed"), "{ran}");
    let report = EmbeddedTables::check(directory.path()).unwrap();
    assert_eq!(report.applications, 1);
}
