//! `fluo table load` writes rows to a table.

use std::io::Write;
use std::process::Stdio;

use crate::command::{Place, ROWS, assert_says, ended};

const LOAD: &str = "table load --at embedded:d pages --prefix p";

/// Covers a bug: an interrupted load ended without a message, so the state of its rows was unknown.
#[cfg(unix)]
#[test]
fn an_interrupted_load_reports_the_written_rows() {
    for (signal, expected) in crate::command::ending_signals() {
        let place = Place::with_table();
        let arguments = format!("{LOAD} --rejects bad.tsv -");
        let mut command = place.command(arguments.split(' '));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than the pipes and batches hold, so the first thousands are written when the last
        // rows are taken.
        stdin.write_all(ROWS.repeat(20).as_bytes()).unwrap();
        crate::command::signal(child.id(), signal);
        let run = ended(child);
        drop(stdin);
        assert_eq!((run.code, run.text()), (Some(expected), ""), "{}", run.stderr);
        let told = run.stderr.trim_end();
        assert!(told.starts_with("interrupted: "), "{told}");
        assert_says(told, "loading table `pages` stopped after ");
        assert!(told.ends_with("; loading again is safe"), "{told}");
        assert!(!place.path("bad.tsv").exists(), "the next load can make it");
    }
}

/// Reads the spec from a pipe without a writer.
#[cfg(unix)]
#[test]
fn a_second_ctrl_c_ends_at_once() {
    use std::time::{Duration, Instant};

    let place = Place::with_table();
    place.pipe("pipe");
    let interrupted_twice = || {
        let mut plan = place.command("table plan --at embedded:d --spec pipe pages".split(' '));
        let child = plan.spawn().unwrap();
        crate::command::wait_until_it_listens(child.id());
        crate::command::signal(child.id(), "INT");
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(100));
        crate::command::signal(child.id(), "INT");
        let run = ended(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(130), ""));
        start.elapsed()
    };
    // After the first Ctrl-C alone, the command would wait two seconds for the blocked read. On a
    // busy machine the two signals may arrive as one.
    let least = Duration::from_millis(1_800);
    assert!((0..20).any(|_| interrupted_twice() < least));
}

/// Checks that the error is reported at once, and not at the end of the input, which may never
/// come.
#[test]
fn stops_at_a_refused_row_before_the_end_of_the_input() {
    let place = Place::with_table();
    let arguments = format!("{LOAD} -");
    let mut child = place.command(arguments.split(' ')).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("small\n{}\n", "x".repeat(17_000_000)).as_bytes()).unwrap();
    let message = ended(child).fails();
    drop(stdin);
    assert_says(&message, "the load stopped after 1 row; loading again is safe: line 2: ");
    assert_says(&message, "has 17,000,033 bytes; this table takes 16,777,216 at most");
}

/// Covers a bug: the table refused the whole write of a long row, so the error named the lines of
/// many rows, and no option skipped the line.
#[test]
fn names_and_skips_the_line_of_a_row_that_the_table_refuses() {
    let place = Place::with_table();
    let long = "78".repeat(70_000);
    place.file("rows", format!("61\n62\n{long}\n63\n"));
    let message = place.fails(&format!("{LOAD} --encoding hex rows"));
    let told = "the load stopped after 2 rows; loading again is safe: line 3: a key in row";
    assert!(message.starts_with(told), "{message}");

    place.file("rows", format!("61\nbad\n62\n{long}\n63\n"));
    let message = place.fails(&format!("{LOAD} --encoding hex --skip-bad 1 rows"));
    assert_says(&message, "line 4: more than 1 bad line: a key in row");
    let run = place.fluo(&format!("{LOAD} --encoding hex --rejects bad.tsv rows"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_says(&run.stderr, "3 rows written");
    let rejects = place.read("bad.tsv");
    let (first, second) = rejects.split_once('\n').unwrap();
    assert!(first.starts_with("2\t"), "{first}");
    assert!(second.starts_with("4\ta key in row "), "{second}");
    assert!(second.ends_with(&format!("at most\t{long}\n")), "{second}");
    place.runs(&format!("{LOAD} --rejects none.tsv s.toml"));
    assert_eq!(place.read("none.tsv"), "", "no line is bad");
}

/// Covers a leftover: the next load could not make the file.
#[test]
fn leaves_no_empty_file_of_rejects_of_a_load_that_fails() {
    let place = Place::with_table();
    place.file("rows", b"\x1f\x8bnot gzip");
    for _ in 0..2 {
        let message = place.fails(&format!("{LOAD} --rejects bad.tsv rows"));
        assert_says(&message, "the load stopped after 0 rows");
        assert!(!place.path("bad.tsv").exists());
    }
}

/// Covers a bug: a load wrote an empty row, and an import of its export refused it.
#[test]
fn what_is_loaded_can_be_exported_and_imported() {
    let place = Place::with_table();
    place.file("rows", "a\n\nb\n");
    place.runs("table load --at embedded:d pages --design unsalted rows");
    let exported = place.runs("table export --at embedded:d pages").stdout;
    assert_eq!(exported.iter().filter(|byte| **byte == b'\n').count(), 3);
    place.file("cells.jsonl", &exported);
    place.runs("table create --at embedded:d copy");
    place.runs("table import --at embedded:d copy cells.jsonl");
    place.fluo("table export --at embedded:d copy").prints(&exported);
    place.fluo("table scan --json --at embedded:d copy").prints(exported);
    let refused = place.fails("table export --at embedded:d --format csv copy");
    assert_eq!(refused, "an export is JSON lines; omit --format");
}
