//! A transaction of one client costs one sync of the disk.
//!
//! The test needs `strace`, and is skipped if `FLUO_WITHOUT_STRACE` is set.

use std::path::Path;
use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::{InstanceExt, Transaction};
use fluo_table::{Column, Error, Instance, Result};

use super::disk::{Call, is_skipped, recorded};

const IN_CHILD: &str = "FLUO_SYNCS_CHILD";
const TRANSACTIONS: usize = 100;
/// Maximum number of syncs that reserve timestamps.
const RESERVATIONS: usize = 5;

/// Commits transactions of two rows one after another, and prints a line for each.
#[expect(clippy::print_stdout, reason = "reports to the parent")]
async fn commit(directory: &Path) -> Result<()> {
    let tables = EmbeddedTables::open(directory, EmbeddedOptions::new().create_if_missing(true))?;
    let applications = tables.applications();
    let fluo = Instance::new(Arc::new(tables), Arc::new(applications));
    fluo.application("web").initialize().await?;
    let client = fluo.application("web").open().await?;
    let column = Column::new("f", "q");
    for number in 0..TRANSACTIONS {
        let set = async |tx: Transaction| {
            tx.set(format!("{number}-a"), &column, "v")?;
            tx.set(format!("{number}-b"), &column, "v")
        };
        client.run::<_, Error, _>(set).await?;
        println!("\ncommitted");
    }
    Ok(())
}

/// Runs only as the child process of the test below.
#[test]
fn child() {
    let Some(directory) = std::env::var_os(IN_CHILD) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(commit(Path::new(&directory))).unwrap();
}

#[test]
fn a_transaction_costs_one_sync() {
    if is_skipped() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("tables");
    let record = parent.path().join("record");
    let child = recorded(&std::env::current_exe().unwrap(), &record, None)
        .args(["--exact", "syncs::child", "--nocapture"])
        .env(IN_CHILD, &directory)
        .output()
        .expect("strace is installed, or FLUO_WITHOUT_STRACE is set");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    let calls = Call::all(&std::fs::read_to_string(&record).unwrap());
    let is_acknowledgement =
        |call: &Call| call.printed().is_some_and(|printed| printed.contains("committed"));
    let acknowledgements = calls.iter().filter(|call| is_acknowledgement(call)).count();
    assert_eq!(acknowledgements, TRANSACTIONS);
    let first = calls.iter().position(is_acknowledgement).unwrap();
    let last = calls.iter().rposition(is_acknowledgement).unwrap();
    let syncs = calls[first..last].iter().filter(|call| call.is_commit()).count();
    let expected = TRANSACTIONS - 1..=TRANSACTIONS - 1 + RESERVATIONS;
    assert!(expected.contains(&syncs), "{syncs} syncs for {} transactions", TRANSACTIONS - 1);
}
