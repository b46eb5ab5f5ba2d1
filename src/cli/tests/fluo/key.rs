//! `fluo key` on rows that a transcript cannot have: of any bytes, drawn, or endless.

use std::fs::File;
use std::process::Stdio;

use crate::command::{Place, Run, assert_says};

/// Runs `fluo key add` with an input from a file.
fn add_from(place: &Place, file: &str) -> Run {
    let mut command = place.command(["key", "add", "--prefix", "p"]);
    let input = File::open(place.path(file)).unwrap();
    Run::of(command.stdin(input).output().unwrap())
}

#[test]
fn remove_restores_every_row() {
    let place = Place::new();
    let megabyte = "x:y".repeat(350_000);
    let text = format!("\na\n\r\n:\n::p:1yl0:\n{megabyte}\n");
    let hex = format!("\n00\nff\n0a\n3a\n{}\n", "0aff003a".repeat(1 << 18));
    for scheme in ["murmur3-base36", "sha1-base32"] {
        for (encoding, rows) in [("text", &text), ("hex", &hex)] {
            let arguments =
                format!("--design row-hasher,prefix=p:x,scheme={scheme} --encoding {encoding}");
            let keys = place.fed(&format!("key add {arguments}"), rows).succeeds();
            assert_eq!(keys.stderr, "");
            let remove = format!("key remove {arguments}");
            place.fed(&remove, keys.stdout).prints(rows);
        }
    }
}

#[test]
fn draws_salts_and_repeats_them_with_a_seed() {
    let place = Place::new();
    let design = "--design random-salt,buckets=10";
    let rows = "row\n".repeat(1_000);
    let keys = |seed: &str| {
        let run = place.fed(&format!("key add {design} {seed}"), &rows);
        run.succeeds().text().to_owned()
    };
    let seeded = keys("--seed 7");
    assert_eq!(seeded, keys("--seed 7"), "a seed repeats the salts");
    assert_ne!(seeded, keys("--seed 8"));
    assert_ne!(keys(""), keys(""));
    for bucket in 0..10 {
        let key = format!("{bucket:02}|row\n");
        assert!(seeded.matches(&key).count() > 50, "{key}");
    }
    let remove = format!("key remove {design}");
    place.fed(&remove, seeded).prints(&rows);
}

#[test]
fn reports_unreadable_input() {
    let place = Place::new();
    assert_says(&add_from(&place, "tmp").fails(), "cannot read the rows: ");
}

/// Sends an input that is far larger than the memory that the shell allows the process.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -v 65536; exec \"$0\" key add --prefix p";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_fluo")])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let rows = format!("{}\n", "x".repeat(1_000)).repeat(1_000);
    for _ in 0..80 {
        std::io::Write::write_all(&mut stdin, rows.as_bytes()).unwrap();
    }
    drop(stdin);
    crate::command::ended(child).succeeds();
}

#[cfg(unix)]
#[test]
fn accepts_bytes_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let key = place.fed("key add --prefix p", b"\0\xff\x1b\n").succeeds();
    assert!(key.stdout.ends_with(b":\0\xff\x1b\n"));
    let key = place.fed("key add --prefix p", b"\xff\x1b\n").succeeds();
    let key = OsStr::from_bytes(key.stdout.trim_ascii_end());
    let arguments = ["key", "explain", "--prefix", "p"].map(OsStr::new);
    let run = place.with(arguments.into_iter().chain([key])).succeeds();
    assert_says(run.text(), r":\xff\x1b");
}

#[test]
fn prints_a_split_point_for_each_hash() {
    let run = Place::new()
        .runs("key splits --design row-hasher,prefix=p,scheme=sha1-base32 --tablets 1048576");
    assert_eq!(run.text().lines().count(), 1_048_576);
}
