//! A table is watched, and only what changes is told.

#![cfg(test)]

mod command;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command};
use std::thread;
use std::time::Duration;

use command::{Place, Run, assert_says, ended};

const WATCH: &str = "table watch --at embedded:d --spec s.toml --interval 100ms";

/// The table `pages`, as the spec says.
fn applied() -> Place {
    let place = Place::with_table();
    place
        .fluo("table apply --at embedded:d --spec s.toml pages")
        .succeeds();
    place
}

/// Runs a command on a directory that the watch holds from time to time.
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
        let arguments = format!("{WATCH} {arguments}");
        let mut child = place.command(arguments.split_whitespace()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next line, without its time.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let (time, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        let form: String = time
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect();
        assert_eq!(form, "0000-00-00T00:00:00Z");
        rest.trim_end().to_owned()
    }

    /// The next line that tells of the table, and not of a directory that another command holds.
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
fn only_changes_are_told_with_their_time() {
    let place = applied();
    place.file("other.toml", command::SPEC.replace("20", "21"));
    let mut watching = Watching::new(&place, "pages");
    assert_eq!(watching.line(), "table pages: OK");
    patiently(
        &place,
        "table apply --at embedded:d --spec other.toml pages",
    )
    .succeeds();
    // A few of the points of 20 tablets are among those of 21; the rest are extra.
    assert_says(&watching.news(), "table pages: drift: ");
    patiently(
        &place,
        "table apply --at embedded:d --spec s.toml --prune pages",
    )
    .succeeds();
    let gone = watching.news();
    assert_says(&gone, "table pages: gone: ");
    assert_eq!(watching.news(), "table pages: OK");
}

#[test]
fn once_ends_at_the_first_drift() {
    let place = applied();
    let mut watching = Watching::new(&place, "--once pages");
    assert_eq!(watching.line(), "table pages: OK");
    place.file("other.toml", command::SPEC.replace("20", "21"));
    patiently(
        &place,
        "table apply --at embedded:d --spec other.toml pages",
    )
    .succeeds();
    assert_says(&watching.news(), "table pages: drift: ");
    assert_eq!(watching.child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_table_that_has_drifted_already_is_told_with_all_differences() {
    let place = Place::with_table();
    let run = place.fluo(&format!("{WATCH} --once pages")).differs();
    let lines: Vec<_> = run.text().lines().collect();
    assert_says(lines[0], "Z table pages: NOT OK: 4 differences");
    assert_says(
        lines[1],
        "Z table pages: drift: 20 split points are missing, the first is `p:1sst`",
    );
    assert_eq!(lines.len(), 5, "{}", run.text());

    let run = place
        .fluo(&format!("{WATCH} --once --json pages"))
        .differs();
    let line: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(
        (&line["event"], &line["table"]),
        (&"begin".into(), &"pages".into())
    );
    assert_eq!(line["differences"].as_array().unwrap().len(), 4);
}

#[test]
fn a_table_that_cannot_be_looked_at_is_told_once_and_watched_on() {
    let place = applied();
    let mut watching = Watching::new(&place, "--once pages");
    assert_eq!(watching.line(), "table pages: OK");
    patiently(&place, "table delete --at embedded:d --yes pages").succeeds();
    assert_eq!(
        watching.news(),
        "table pages: cannot look: there is no table `pages`"
    );
    thread::sleep(Duration::from_millis(400));
    patiently(&place, "table create --at embedded:d pages").succeeds();
    let mut told = Vec::new();
    while !told.iter().any(|line: &String| line.contains("drift: ")) {
        told.push(watching.line());
    }
    let errors = told
        .iter()
        .filter(|line| line.contains("there is no table"))
        .count();
    assert!(
        errors <= 1,
        "told once, or again after another error: {told:?}"
    );
    assert!(
        told.iter().any(|line| line == "table pages: looking again"),
        "{told:?}"
    );
}

#[test]
fn a_first_look_that_fails_is_bad_use() {
    let place = Place::with_table();
    assert_eq!(
        place.fluo(&format!("{WATCH} nope")).fails(),
        "there is no table `nope`"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_the_exit_code_of_ctrl_c() {
    let place = applied();
    let mut watching = Watching::new(&place, "pages");
    assert_eq!(watching.line(), "table pages: OK");
    let kill = format!("kill -INT {}", watching.child.id());
    Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert_eq!(watching.child.wait().unwrap().code(), Some(130));
}

/// `fluo table watch .. | head -1` must not go on for ever.
#[test]
fn a_reader_that_has_had_enough_ends_it() {
    let place = applied();
    let arguments = format!("{WATCH} pages");
    let mut child = place.command(arguments.split_whitespace()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    drop(lines);
    patiently(&place, "table delete --at embedded:d --yes pages").succeeds();
    ended(child).succeeds();
}
