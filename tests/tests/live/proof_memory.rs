//! Memory does not grow with the amount of data that is written and read: 100 MB of rows, or 1 GB
//! with `FLUO_SOAK=10`, in a separate process.

use std::env;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use accumulo_proxy::{Credentials, ProxyOptions};
use fluo_accumulo::AccumuloTables;
use fluo_table::{Column, Mutation, Scan, Span, Table, TableAdmin, Versions};
use fluo_tests::soak;
use futures::{StreamExt, TryStreamExt, stream};

use crate::faults_ground::{blocking, open, say};
use crate::ground::fresh_name;

/// The address of the proxy, the user and the password, for the process that writes.
const PROCESS: &str = "FLUO_MEMORY_OF";
const VALUE_BYTES: u64 = 1_000;
const WRITE_ROWS: u64 = 1_000;
const WRITES_UNDER_WAY: usize = 4;
/// Greatest memory that the process may use at any time, in MB: less than the written data, for
/// every soak.
const BOUND_MB: u64 = 64;

fn megabytes() -> u64 {
    100 * soak()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_load_and_a_long_scan_use_little_memory() {
    let Some(cluster) = crate::cluster::cluster() else {
        return;
    };
    let tables = crate::cluster::tables().await.unwrap();
    let name = fresh_name("proof_memory");
    tables
        .create_table(&name, Versions::default())
        .await
        .unwrap();
    let address = cluster.proxy().unwrap().address();
    let mut process = Command::new(env::current_exe().unwrap());
    process
        .args(["--exact", "proof_memory::writing_child", "--nocapture"])
        .env(
            PROCESS,
            [&address, cluster.user(), cluster.password(), &name].join(" "),
        );
    let output = blocking(|| process.output().unwrap());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    say(&said);
    let peak = said.lines().find_map(|line| line.strip_prefix("peak_mb="));
    let peak: u64 = peak.unwrap().parse().unwrap();
    assert!(
        peak > 0 && peak < BOUND_MB,
        "{} MB took {peak} MB",
        megabytes()
    );
    tables.delete_table(&name).await.unwrap();
}

/// Runs only as the child process of the test above.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writing_child() {
    let Ok(arguments) = env::var(PROCESS) else {
        return;
    };
    let arguments: Vec<_> = arguments.split(' ').collect();
    let [address, user, password, name] = arguments[..] else {
        panic!("{PROCESS} must have four words")
    };
    let settings = ProxyOptions::new(address, Credentials::password(user, password));
    let tables = AccumuloTables::connect(settings).await.unwrap();
    let table = open(&tables, name).await;
    let rows = megabytes() * 1_000_000 / VALUE_BYTES;

    let start = Instant::now();
    write(&*table, rows).await;
    report("written", start.elapsed(), rows);
    let start = Instant::now();
    assert_eq!(read(&*table).await, rows);
    report("read", start.elapsed(), rows);
    say(&format!("peak_mb={}", peak_mb()));
}

async fn write(table: &dyn Table, rows: u64) {
    stream::iter(0..rows / WRITE_ROWS)
        .map(|write| {
            let first = write * WRITE_ROWS;
            table.write((first..first + WRITE_ROWS).map(row).collect())
        })
        .buffer_unordered(WRITES_UNDER_WAY)
        .try_collect::<()>()
        .await
        .unwrap();
}

fn row(number: u64) -> Mutation {
    let value = vec![u8::try_from(number % 251).unwrap(); usize::try_from(VALUE_BYTES).unwrap()];
    Mutation::new(format!("{number:09}")).put(Column::new("f", "q"), value)
}

/// Returns the number of rows, after a check of their order and values.
async fn read(table: &dyn Table) -> u64 {
    let mut next = 0;
    let mut batches = table.scan(Scan::over(Span::all()));
    while let Some(cells) = batches.try_next().await.unwrap() {
        for cell in cells {
            let expected = row(next);
            assert_eq!(cell.key.row, expected.row);
            assert_eq!(u64::from(cell.value[0]), next % 251);
            next += 1;
        }
    }
    next
}

fn report(what: &str, time: Duration, rows: u64) {
    let megabytes = rows * VALUE_BYTES / 1_000_000;
    say(&format!(
        "{megabytes} MB {what} in {:.1} s; peak {} MB so far",
        time.as_secs_f64(),
        peak_mb()
    ));
}

/// Returns the greatest memory that this process has used, in MB.
fn peak_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() / 1_024
}
