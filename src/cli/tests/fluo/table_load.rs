//! `fluo table load` writes rows to a table.

use std::io::Write;
use std::process::Stdio;

use crate::command::{Place, ROWS, assert_says, ended};

const LOAD: &str = "table load --at embedded:d pages --prefix p";

#[test]
fn refuses_the_table_of_an_application() {
    let place = Place::new();
    place
        .fluo("app init --at embedded:d --table links web")
        .succeeds();
    place.file("rows.txt", "a\nb\n");
    let load = "table load --at embedded:d --prefix p links rows.txt";
    assert_eq!(
        place.fluo(load).fails(),
        "table `links` belongs to the application `web`: its transactions report a cell that no transaction wrote as \
         damage; write the rows with a loader in a program (`Client::loaders`), or load another table; \
         --despite-application loads them all the same"
    );
    place.fluo("scan --at embedded:d --raw web").prints("");
    let run = place
        .fluo(&format!("{load} --despite-application"))
        .succeeds();
    assert!(
        run.stderr.starts_with("2 rows written to table `links`"),
        "{}",
        run.stderr
    );
}

/// Covers a bug: after a load of 29,598 lines, the message was "29,598 rows written", but the table
/// had 29,353 rows: several lines shared a key.
#[test]
fn reports_lines_that_share_a_key() {
    let place = Place::with_table();
    place.file("rows.txt", "a\nb\na\na\nc\n");
    let load = format!("{LOAD} rows.txt");
    let run = place.fluo(&load).succeeds();
    assert_says(&run.stderr, "5 rows written to table `pages` in ");
    assert_says(
        &run.stderr,
        " rows/s); 2 of them under a key that another line had\n",
    );
    let json = place.fluo(&format!("{load} --json")).json();
    assert_eq!(
        (
            &json["rows_under_repeated_keys"],
            &json["repeated_keys_is_lower_bound"]
        ),
        (&2.into(), &false.into())
    );
    // Rows of an earlier load do not count as repeated.
    place.file("rows.txt", "a\nb\n");
    let run = place.fluo(&load).succeeds();
    assert!(run.stderr.ends_with(" rows/s)\n"), "{}", run.stderr);
    // With --create-if-absent they are conflicts, which are named.
    place.file("rows.txt", "d\nd\n");
    let run = place.fluo(&format!("{load} --create-if-absent"));
    assert_eq!(run.code, Some(1));
    assert_says(&run.stderr, "1 row there already and not written:\n");
    assert!(run.stderr.ends_with(" rows/s)\n"), "{}", run.stderr);
}

#[test]
fn loads_and_counts_a_file() {
    let place = Place::with_table();
    place.file("rows.txt", ROWS);
    let run = place.fluo(&format!("{LOAD} rows.txt")).succeeds();
    assert_eq!(run.text(), "");
    assert_says(&run.stderr, "4,208 rows written to table `pages` in ");
    assert_eq!(run.stderr.lines().count(), 1);
    assert_eq!(place.shown()["entries"], 4_208);
}

/// Covers a bug: the help said that a row that exists is written again, and that loading again is
/// safe.
#[test]
fn loading_again_with_drawn_salts_writes_rows_twice() {
    let place = Place::with_table();
    place.file(
        "r.toml",
        "[[key_design]]\ndesign = \"random-salt\"\nbuckets = 60000\ntablets = 1\n",
    );
    let rows = || {
        let verdict = place.fluo("table verify --at embedded:d --spec r.toml --json pages");
        verdict.json()["rows"][0]["total"].clone()
    };
    let load = "table load --at embedded:d pages --design random-salt,buckets=60000";
    for seed in ["7", "7", "8"] {
        let load = format!("{load} --seed {seed} -");
        place.fed(&load, "a\n").succeeds();
        assert_eq!(rows(), if seed == "7" { 1 } else { 2 });
    }
    let help = place.fluo("table load --help").succeeds();
    let help: Vec<_> = help.text().split_whitespace().collect();
    assert_says(
        &help.join(" "),
        "Loading again is not safe with drawn salts (random-salt): a row usually gets another salt, \
         and then exists twice. Only the same file with the same --seed gets the same salts.",
    );
    let run = place.fed(&format!("{load} --encoding hex -"), "00\nx\n");
    let message = run.fails();
    assert_says(
        &message,
        "the load stopped after 1 row was written; loading again writes the rows that are there a second time, under other \
         salts, as the salts of this design are drawn: line 2: ",
    );
}

#[test]
fn refuses_system_tables() {
    let place = Place::with_table();
    place.file("s.toml", crate::command::SPEC);
    for command in [
        "table create --at embedded:d accumulo.x",
        "table load --at embedded:d accumulo.x --prefix p -",
        "table apply --at embedded:d --spec s.toml accumulo.x",
        "table delete --at embedded:d accumulo.x",
        "table migrate --at embedded:d --spec s.toml accumulo.x",
    ] {
        assert_eq!(
            place.fed(command, "").fails(),
            "table `accumulo.x` is one of Accumulo's own, as all whose names start with `accumulo.`, and is not changed \
             here: name a table of your own"
        );
    }
}

#[test]
fn prints_the_figures_as_json() {
    let place = Place::with_table();
    let run = place.fed(&format!("{LOAD} --json -"), "a\nb\n");
    assert_eq!(run.stderr, "");
    let json = run.json();
    assert_eq!(
        (&json["table"], &json["rows"]),
        (&"pages".into(), &2.into())
    );
    assert!(
        json["seconds"].is_f64() && json["rows_per_second"].is_f64(),
        "{json}"
    );
}

#[test]
fn loads_arbitrary_bytes() {
    let place = Place::with_table();
    place
        .fed(&format!("{LOAD} --encoding hex -"), "00ff0a3a\n\n")
        .succeeds();
    place
        .fed(
            &format!("{LOAD} --encoding base64 --column :x -"),
            "AP8KOg==\n\n",
        )
        .succeeds();
    place
        .fed(&format!("{LOAD} --column page: -"), b"a\0\xff:b\r\n\n")
        .succeeds();
    let megabytes = format!("{0}\n{0}y\n", "x".repeat(3 << 20));
    place.fed(&format!("{LOAD} -"), megabytes).succeeds();
    assert_eq!(
        place.shown()["entries"],
        8,
        "each load wrote rows or columns of its own"
    );
    place.file("one.toml", "[[row_hasher]]\nprefix = \"p\"\ntablets = 1\n");
    place
        .fluo("table apply --at embedded:d --spec one.toml pages")
        .succeeds();
    let verdict = place
        .fluo("table verify --at embedded:d --spec one.toml --json pages")
        .json();
    assert_eq!(verdict["rows"][0]["total"], 5, "{verdict}");
}

#[test]
fn loads_an_empty_file() {
    let place = Place::with_table();
    let run = place.fed(&format!("{LOAD} -"), "").succeeds();
    assert_says(&run.stderr, "0 rows written to table `pages`");
    assert_eq!(place.shown()["entries"], 0);
}

#[test]
fn stops_at_a_wrong_line_and_reports_the_written_rows() {
    let place = Place::with_table();
    let message = place
        .fed(&format!("{LOAD} --encoding hex -"), "00\n01\n0\n02\n")
        .fails();
    assert_eq!(
        message,
        "the load stopped after 2 rows were written: line 3: it is not hex: two of 0-9a-f for each byte (invalid \
         length at 0)"
    );
    assert_eq!(place.shown()["entries"], 2);
}

#[test]
fn names_an_unreadable_file() {
    let place = Place::with_table();
    let message = place.fluo(&format!("{LOAD} nope.txt")).fails();
    assert_says(&message, "cannot read the rows of nope.txt: ");
    let message = place.fluo(&format!("{LOAD} tmp")).fails();
    assert_eq!(message, "cannot read the rows of tmp: it is a directory");
}

#[test]
fn rejects_wrong_arguments() {
    let place = Place::with_table();
    let message = place
        .fluo(&format!("{LOAD} --column x -"))
        .refuses_arguments();
    assert_says(
        &message,
        "a column is a family, a `:` and a qualifier; either may be empty",
    );
    assert_says(&place.fluo(LOAD).refuses_arguments(), "<FILE>");
    let message = place
        .with(
            "table load --at embedded:d pages - --prefix"
                .split(' ')
                .chain([""]),
        )
        .fails();
    assert_says(&message, "the prefix of a row hasher is empty");
}

#[test]
fn refuses_a_line_of_200_megabytes_by_its_number() {
    let place = Place::with_table();
    let mut input = b"one\ntwo\n".to_vec();
    input.resize(200_000_000, b'x');
    let run = place.fed(&format!("{LOAD} -"), input);
    assert_eq!(
        run.fails(),
        "the load stopped after 2 rows were written: line 3: it is longer than 33554432 bytes, which no row is; rows are \
         separated by newlines"
    );
    assert_eq!(place.shown()["entries"], 2);
}

/// Covers a bug: an interrupted load ended without a message, so the state of its rows was unknown.
#[cfg(unix)]
#[test]
fn an_interrupted_load_reports_the_written_rows() {
    for (signal, expected) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        if signal == "HUP" && crate::command::is_hangup_ignored() {
            continue;
        }
        let place = Place::with_table();
        let arguments = format!("{LOAD} -");
        let mut command = place.command(arguments.split(' '));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // More than the pipes and batches hold, so the first thousands are written when the last
        // rows are taken.
        stdin.write_all(ROWS.repeat(20).as_bytes()).unwrap();
        crate::command::signal(child.id(), signal);
        let run = ended(child);
        drop(stdin);
        assert_eq!(
            (run.code, run.text()),
            (Some(expected), ""),
            "{}",
            run.stderr
        );
        let told = run.stderr.trim_end();
        assert!(told.starts_with("interrupted: "), "{told}");
        assert_says(told, " rows are written to table `pages`");
        assert!(
            told.ends_with("; loading again is safe, and writes each row once"),
            "{told}"
        );
    }
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_ends_a_load_without_rows() {
    let place = Place::with_table();
    let arguments = format!("{LOAD} -");
    let mut command = place.command(arguments.split(' '));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    crate::command::wait_until_it_listens(child.id());
    crate::command::signal(child.id(), "INT");
    let run = ended(child);
    drop(stdin);
    assert_eq!(run.code, Some(130));
    assert_eq!(
        run.stderr,
        "interrupted: no row is known to be written to table `pages`; loading again is safe, and writes each row once\n"
    );
}

/// Reads the spec from a pipe without a writer.
#[cfg(unix)]
#[test]
fn a_second_ctrl_c_ends_at_once() {
    use std::time::{Duration, Instant};

    let place = Place::with_table();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status();
    assert!(made.unwrap().success());
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
    let mut child = place
        .command(arguments.split(' '))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(format!("small\n{}\n", "x".repeat(17_000_000)).as_bytes())
        .unwrap();
    let message = ended(child).fails();
    drop(stdin);
    assert_says(&message, "the load stopped after 1 row was written: ");
    assert_says(
        &message,
        "has 17000033 bytes; this table takes 16777216 at most",
    );
}
