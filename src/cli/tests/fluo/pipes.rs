//! Output into a pipe contains no progress, and a reader that closes the pipe early is not a
//! failure.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Place, ROWS, Run, assert_says, ended};

#[test]
fn a_closed_output_is_no_failure() {
    let place = Place::with_table();
    for arguments in [
        "key splits --prefix p --tablets 100000",
        "key splits --prefix p --tablets 100000 --json",
        "key group --prefix p",
        "key explain --prefix p p:0000:",
        "table show --at embedded:d pages",
        "table plan --at embedded:d --spec s.toml pages",
        "demo",
        "--help",
    ] {
        let run = place.head(arguments).succeeds();
        assert_eq!(run.stderr, "", "{arguments}");
    }
    assert!(place.names("tmp").is_empty());
}

#[test]
fn endless_input_ends_with_its_reader() {
    let place = Place::new();
    let mut command = Command::new("sh");
    let script = "while :; do echo row; done | \"$0\" key add --prefix p";
    let mut child = command
        .args(["-c", script, env!("CARGO_BIN_EXE_fluo")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.ends_with(":row\n"), "{line}");
    // The shell may itself report that its loop lost its reader.
    assert_eq!(ended(child).code, Some(0));
    drop(place);
}

/// Closes the output of a check, which must not change its result.
#[test]
fn a_closed_output_does_not_change_the_verdict() {
    let place = Place::with_table();
    for arguments in ["", "--json "] {
        let arguments = format!("table verify --at embedded:d --spec s.toml {arguments}pages");
        place.head(&arguments).differs();
        let (child, stdout) = place.starts(&arguments);
        drop(stdout);
        ended(child).differs();
    }
}

#[test]
fn a_closed_output_does_not_stop_the_work() {
    let place = Place::with_table();
    let apply = "table apply --at embedded:d --spec s.toml --json pages";
    let (mut child, stdout) = place.starts(apply);
    drop((stdout, child.stderr.take()));
    ended(child).succeeds();
    place.runs("table verify --at embedded:d --spec s.toml pages");
}

#[test]
fn there_is_no_progress_and_no_color_in_a_pipe() {
    let place = Place::with_table();
    for run in [
        place.fed("table load --at embedded:d pages --prefix p -", ROWS),
        place.fluo("table apply --at embedded:d --spec s.toml pages"),
        place.fluo("table verify --at embedded:d --spec s.toml pages"),
        place.fluo("table show --at embedded:d pages"),
        place.fluo("table --help"),
        place.fluo("demo"),
    ] {
        let run = run.succeeds();
        let is_plain = |text: &str| !text.contains(['\u{1b}', '\r', '\u{8}']);
        assert!(is_plain(run.text()) && is_plain(&run.stderr), "{}", run.stderr);
        assert!(!run.stderr.contains("rows counted"), "{}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reports_a_full_output() {
    let place = Place::with_table();
    let full = Path::new("/dev/full");
    for arguments in [
        "key splits --prefix p --tablets 3",
        "key splits --prefix p --tablets 3 --json",
        "key group --prefix p",
        "key explain --prefix p p:0000:",
        "table list --at embedded:d",
        "table show --at embedded:d pages",
        "table plan --at embedded:d --spec s.toml pages",
        "table verify --at embedded:d --spec s.toml --json pages",
        "demo",
    ] {
        let message = place.printing_into(arguments, full).fails();
        assert_says(&message, "cannot write to standard output: No space left on device");
    }
    assert!(place.names("tmp").is_empty());

    let mut add = place.command(["key", "add", "--prefix", "p"]);
    place.file("rows", "a\n");
    let rows = std::fs::File::open(place.path("rows")).unwrap();
    let full = std::fs::File::options().write(true).open(full).unwrap();
    let output = add.stdin(rows).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_says(&message, "error: cannot write to standard output: No space left on device");
}

/// Feeds an input to a command whose memory the shell limits.
#[cfg(target_os = "linux")]
fn fed_within(kilobytes: u32, arguments: &str, blocks: impl Iterator<Item = String>) -> Run {
    use std::io::Write;

    let script = format!("ulimit -v {kilobytes}; exec \"$0\" {arguments}");
    let mut child = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_fluo")])
        .env("MALLOC_ARENA_MAX", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for block in blocks {
        stdin.write_all(block.as_bytes()).unwrap();
    }
    drop(stdin);
    ended(child).succeeds()
}

/// Sends 80 MB of rows in 64 MiB, and 300 MB of different keys in 256 MiB, of which threads and
/// their stacks take a large part.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let rows = format!("{}\n", "x".repeat(1_000)).repeat(1_000);
    fed_within(65_536, "key add --prefix p > /dev/null", (0..80).map(|_| rows.clone()));
    let keys = (0..60).map(|block| {
        (0..100).map(|id| format!("{block:08}-{id:08}-{}\n", "x".repeat(50_000))).collect()
    });
    let run = fed_within(262_144, "advise -", keys);
    assert_says(run.text(), "6,000, 6,000 different\n lengths        50,018 bytes\n");
}
