//! Loads of many rows into a real table.

use std::fs;
use std::io::Write;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use fluo_keys::RowHasher;
use fluo_table::{Bytes, Scan, Span};

use super::{Fluo, assert_says, fluo, name};
use crate::faults_ground::{Broken, blocking, open, say};

/// Greatest memory that a load may use at any time, in MB: 64 for the rows that it sorts, and about
/// as much for all else.
const BOUND_MB: usize = 180;

/// Returns a line of 1,000 bytes.
fn line(number: usize) -> String {
    format!("{number:0>999}\n")
}

/// Returns the greatest memory that a process has used so far, in MB, or `None` if it has ended.
fn peak_mb(child: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    Some(kilobytes / 1_024)
}

/// Feeds a load, and watches its memory until it has ended. Returns the greatest value, in MB.
fn watched(child: &mut Child, rows: usize) -> usize {
    let mut stdin = child.stdin.take().unwrap();
    let mut peak = 0;
    for number in 0..rows {
        stdin.write_all(line(number).as_bytes()).unwrap();
        if number % 1_000 == 0 {
            peak = peak.max(peak_mb(child).unwrap());
        }
    }
    drop(stdin);
    // The rows that were read last are still to be written.
    while let Some(seen) = peak_mb(child) {
        peak = peak.max(seen);
        thread::sleep(Duration::from_millis(5));
    }
    peak
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_of_200_mb_uses_little_memory() {
    const ROWS: usize = 200_000;
    let Some(fluo) = fluo() else { return };
    let table = name("cli_load");
    fluo.run(&format!("create {table}")).succeeds();
    let mut command = fluo.command(&format!("load {table} --prefix p --json -"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let peak = watched(&mut child, ROWS);
    let run = fluo.judge(child.wait_with_output().unwrap()).succeeds();
    let loaded = run.json();
    assert_eq!(loaded["rows"], ROWS);
    say(&format!(
        "200 MB of rows loaded in {:.1} s; the most memory was {peak} MB",
        loaded["seconds"].as_f64().unwrap()
    ));
    assert!(peak > 0 && peak < BOUND_MB, "200 MB of rows took {peak} MB of memory");
    let shown = fluo.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], ROWS);
    fluo.run(&format!("delete --yes {table}")).succeeds();
}

/// Number of rows of a load whose proxy is killed.
const ROWS: usize = 150_000;
/// Number of rows that are fed before the kill: more than a load sorts and gathers, so that some
/// are written.
const FED_BEFORE: usize = 110_000;

fn short_line(number: usize) -> String {
    format!("{number:0>39}\n")
}

/// Feeds the first rows, reports this, and continues. The last row waits until the proxy is killed,
/// so that the load cannot end earlier.
fn feed(mut stdin: ChildStdin, fed: &mpsc::Sender<()>, gone: &mpsc::Receiver<()>) {
    for number in 0..ROWS {
        if number == FED_BEFORE {
            fed.send(()).unwrap();
        }
        if number == ROWS - 1 {
            gone.recv().unwrap();
        }
        if stdin.write_all(short_line(number).as_bytes()).is_err() {
            return;
        }
    }
}

/// Returns the number in front of a word of a message.
fn number_before(message: &str, word: &str) -> usize {
    let (before, _) = message.split_once(word).unwrap_or((message, ""));
    let number = before.rsplit(' ').next().unwrap();
    let parsed = number.replace(',', "").parse();
    parsed.unwrap_or_else(|_| panic!("no number before `{word}`: {message}"))
}

/// Returns the keys that a load of all rows writes, in order.
fn keys() -> Vec<Bytes> {
    let hasher = RowHasher::new("p").unwrap();
    let key = |number| hasher.add(short_line(number).trim_end().as_bytes());
    let mut keys: Vec<_> = (0..ROWS).map(key).collect();
    keys.sort();
    keys
}

/// Returns the rows of all cells in the table, in order.
async fn found(broken: &Broken) -> Vec<Bytes> {
    let table = open(&broken.good, &broken.name).await;
    let cells = table.read(Scan::over(Span::all())).await.unwrap();
    cells.into_iter().map(|cell| cell.key.row).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_whose_proxy_is_killed_reports_the_written_rows_and_can_be_finished() {
    let Some(broken) = Broken::new("cli_gone").await else { return };
    let cluster = crate::cluster::cluster().unwrap();
    let (address, name) = (broken.proxy.address(), broken.name.as_str());
    let fluo = Fluo::new(&address, cluster.user(), cluster.password());
    let mut command = fluo.command(&format!("load {name} --prefix p -"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    let ((fed, was_fed), (gone, is_gone)) = (mpsc::channel(), mpsc::channel());
    let feeding = thread::spawn(move || feed(stdin, &fed, &is_gone));
    blocking(|| was_fed.recv()).unwrap();
    broken.kill();
    // The receiver no longer exists if the load has already ended.
    let _ = gone.send(());
    let message = blocking(|| fluo.judge(child.wait_with_output().unwrap())).fails();
    blocking(|| feeding.join()).unwrap();

    assert_says(&message, "the load stopped after ");
    assert_says(&message, &address);
    let written = number_before(&message, " rows");
    let uncertain = match message.contains(" more; ") {
        true => number_before(&message, " more; "),
        false => 0,
    };
    let there = found(&broken).await.len();
    say(&format!("{written} rows written, {uncertain} more may be; {there} are there"));
    assert!(written > 0 && written < ROWS, "{message}");
    assert!(written <= there && there <= written + uncertain, "{there} rows are there: {message}");

    broken.restart();
    let all: String = (0..ROWS).map(short_line).collect();
    fluo.file("rows.txt", all);
    let again = blocking(|| fluo.run(&format!("load {name} --prefix p rows.txt"))).succeeds();
    assert_says(&again.stderr, &format!("150,000 rows written to table `{name}` in "));
    let found = found(&broken).await;
    assert_eq!(found.len(), ROWS);
    assert!(found == keys(), "not the rows that were loaded");
    broken.end().await;
}
