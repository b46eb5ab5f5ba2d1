//! The memory of a process is bounded by its options: it does not grow with the table.

use std::process::Command;

use fastrand::Rng;
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{Authorizations, Column, Mutation, Result, Scan, Span, TableAdmin, Versions};
use futures::TryStreamExt;

const IN_CHILD: &str = "FLUO_MEMORY_CHILD";
const VALUE_BYTES: usize = 32 << 10;
/// Values of 512 MiB in all.
const ROWS: usize = 16_384;
const ROWS_OF_A_CALL: usize = 64;
/// 128 MiB of writes that are not in files yet, what the engine adds to each, and the files that it
/// merges.
const MAX_KIB: u64 = 320 << 10;

async fn write_and_read(directory: &std::path::Path) -> Result<usize> {
    let options = EmbeddedOptions::new().create_if_missing(true).cache_bytes(1 << 20);
    let tables = EmbeddedTables::open(directory, options)?;
    tables.create_table("t", Versions::All).await?;
    let table = tables.open_table("t", Authorizations::none()).await?;
    let mut dice = Rng::with_seed(7);
    for _ in 0..ROWS / ROWS_OF_A_CALL {
        let mut row = || {
            let mut value = vec![0; VALUE_BYTES];
            dice.fill(&mut value);
            Mutation::new(format!("{:016x}", dice.u64(..))).put(Column::new("f", "q"), value)
        };
        table.write(std::iter::repeat_with(&mut row).take(ROWS_OF_A_CALL).collect()).await?;
    }
    let mut scan = table.scan(Scan::over(Span::all()));
    let mut bytes = 0;
    while let Some(batch) = scan.try_next().await? {
        bytes += batch.iter().map(|cell| cell.value.len()).sum::<usize>();
    }
    Ok(bytes)
}

/// Runs only as the child process of the test below.
#[test]
#[expect(clippy::print_stdout, reason = "reports to the parent")]
fn child() {
    if std::env::var_os(IN_CHILD).is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let bytes = runtime.block_on(write_and_read(directory.path())).unwrap();
    assert_eq!(bytes, ROWS * VALUE_BYTES);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("\npeak {}", peak.trim().trim_end_matches(" kB"));
}

#[test]
fn a_table_larger_than_the_memory_is_written_and_read() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::child", "--nocapture"])
        .env(IN_CHILD, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{printed}");
    let peak = printed.lines().find_map(|line| line.strip_prefix("peak ")).unwrap();
    let peak: u64 = peak.parse().unwrap();
    assert!(peak < MAX_KIB, "{peak} KiB at the peak, for a table of 512 MiB");
}
