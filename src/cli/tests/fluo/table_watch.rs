//! `fluo table watch` prints only changes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use crate::command::{Place, Run, assert_says, ended, next_line};

/// The first line for a table that matches the spec. Rows are not counted unless an option says so.
const OK: &str = "table pages: OK; its rows were not counted and their keys not checked, so evenness is not proved";

const WATCH: &str = "table watch --at embedded:d --spec s.toml --interval 100ms";

/// Creates the table `pages` in the state of the spec.
fn applied() -> Place {
    let place = Place::with_table();
    place.runs("table apply --at embedded:d --spec s.toml pages");
    place
}

/// Runs a command on a directory that the watch opens from time to time.
fn patiently(place: &Place, arguments: &str) -> Run {
    loop {
        let run = place.fluo(arguments);
        if !run.stderr.contains(" is open in ") {
            return run;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    fn new(place: &Place, arguments: &str) -> Self {
        let (child, lines) = place.starts(&format!("{WATCH} {arguments}"));
        Self { child, lines }
    }

    /// Returns the next line, without its time.
    fn line(&mut self) -> String {
        let line = next_line(&mut self.lines);
        let (time, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        let form: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00T00:00:00Z");
        rest.trim_end().to_owned()
    }

    /// Returns the next line about the table, without those about a directory that another command
    /// has open.
    fn news(&mut self) -> String {
        loop {
            let line = self.line();
            if !line.contains(" is open in ") && !line.ends_with("looking again") {
                return line;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn prints_only_changes_with_their_time() {
    let place = applied();
    place.file("other.toml", crate::command::SPEC.replace("20", "21"));
    let mut watching = Watching::new(&place, "pages");
    assert_eq!(watching.line(), OK);
    patiently(&place, "table apply --at embedded:d --spec other.toml pages").succeeds();
    // A few of the split points of 20 tablets are among those of 21; the others are extra.
    assert_says(&watching.news(), "table pages: drift: ");
    patiently(&place, "table apply --at embedded:d --spec s.toml --prune --yes pages").succeeds();
    let fixed = watching.news();
    assert_says(&fixed, "table pages: fixed: ");
    assert_eq!(watching.news(), OK);
}

#[test]
fn reports_a_failing_check_once_and_continues() {
    let place = applied();
    let mut watching = Watching::new(&place, "pages");
    assert_eq!(watching.line(), OK);
    // A load has the directory open as long as its input lasts, unless the watch has it open when
    // the load begins.
    let (mut load, input) = loop {
        let arguments = "table load --at embedded:d pages --prefix p -";
        let mut command = place.command(arguments.split_whitespace());
        let mut load = command.stdin(Stdio::piped()).spawn().unwrap();
        let input = load.stdin.take().unwrap();
        let has_ended = loop {
            let holder = fs::read(place.path("d/fluo.lock")).unwrap();
            if String::from_utf8_lossy(&holder).contains("fluo table load") {
                break false;
            }
            if load.try_wait().unwrap().is_some() {
                break true;
            }
            thread::sleep(Duration::from_millis(10));
        };
        if !has_ended {
            break (load, input);
        }
    };
    assert_says(&watching.line(), "table pages: cannot look: ");
    thread::sleep(Duration::from_millis(400));
    drop(input);
    assert!(load.wait().unwrap().success());
    // A load that ends no longer names itself before it closes the directory: another reason.
    let mut line = watching.line();
    if line.contains("in another process or through another handle") {
        line = watching.line();
    }
    assert_eq!(line, "table pages: looking again");
}

/// Covers a bug: after a table was deleted, a watch with `--once` printed `cannot look` and never
/// ended.
#[test]
fn ends_when_the_table_is_deleted() {
    for (arguments, deleted) in [
        ("--once pages", "Z table pages: deleted"),
        ("pages", "Z table pages: deleted"),
        ("--json pages", r#","table":"pages","event":"deleted"}"#),
    ] {
        let place = applied();
        let (child, mut lines) = place.starts(&format!("{WATCH} {arguments}"));
        next_line(&mut lines);
        patiently(&place, "table delete --at embedded:d --yes pages").succeeds();
        let run = ended(child);
        let mut last = String::new();
        for line in lines.lines() {
            last = line.unwrap();
        }
        assert!(last.ends_with(deleted), "{last}");
        assert_eq!(run.code, Some(2));
        assert_eq!(run.error(), "table `pages` was deleted while it was watched");
    }
}

/// Compares tablets by their entries, and with `--rows` by their rows.
#[test]
fn once_ends_when_a_tablet_becomes_hot() {
    for rows in ["skip", "count"] {
        let place = applied();
        let arguments = format!("--rows {rows} --once pages");
        let mut watching = Watching::new(&place, &arguments);
        assert_says(&watching.line(), ", so evenness is not proved");
        let load = "table load --at embedded:d pages --design unsalted rows.txt";
        place.file("rows.txt", crate::command::ROWS);
        patiently(&place, load).succeeds();
        assert_says(&watching.news(), "table pages: drift: ");
        assert_eq!(watching.child.wait().unwrap().code(), Some(1), "{rows}");
    }
}

/// Closes the output, as `fluo table watch .. | head -1` does.
#[test]
fn ends_when_its_output_is_closed() {
    let place = applied();
    let (child, mut lines) = place.starts(&format!("{WATCH} pages"));
    next_line(&mut lines);
    drop(lines);
    patiently(&place, "table delete --at embedded:d --yes pages").succeeds();
    ended(child).succeeds();
}
