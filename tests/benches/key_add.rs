//! `fluo key add` from a pipe to a pipe, beside `cat` on the same pipes.
//!
//! Runs whole processes alternately, in several rounds. Prints the medians of MB of input a second,
//! and their ratio. The command comes from the folder that this benchmark was built into:
//! `cargo xtask bench key_add` builds it.
//!
//! Budget: 200 MB/s of input.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark that cannot run must say so"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROWS: &str = include_str!("../../examples/data/package-homepages.txt");
const INPUT_BYTES: usize = 200_000_000;
const ROUNDS: usize = 5;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    let input = ROWS.repeat(INPUT_BYTES / ROWS.len());
    let fluo = command_built_beside_this();
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        rates[0].push(rate(Command::new(&fluo).args(["key", "add", "--prefix", "p"]), &input));
        rates[1].push(rate(&mut Command::new("cat"), &input));
    }
    let [fluo, cat] = rates.map(median);
    println!("fluo key add: {fluo:.0} MB/s of input; cat: {cat:.0} MB/s; ratio {:.2}", fluo / cat);
}

fn command_built_beside_this() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let command = own.parent().and_then(Path::parent).unwrap().join("fluo");
    assert!(
        command.exists(),
        "{} is not built; run `cargo xtask bench key_add`",
        command.display()
    );
    command
}

/// Returns the MB of input a second, from the start of the process to the end of its output.
fn rate(command: &mut Command, input: &str) -> f64 {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut output_bytes = 0;
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).unwrap());
        let mut buffer = vec![0; 1 << 20];
        loop {
            match stdout.read(&mut buffer).unwrap() {
                0 => break,
                read => output_bytes += read,
            }
        }
    });
    assert!(child.wait().unwrap().success() && output_bytes >= input.len());
    input.len() as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
