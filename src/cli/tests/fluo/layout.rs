//! The width and the colors of the output, and the approval of a plan at a terminal.

#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use rstest::rstest;

use crate::command::{Place, Run, assert_says};

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";

fn place() -> Place {
    let place = Place::with_table();
    place.runs("table apply --at embedded:d --spec s.toml pages");
    let rows: String = (0..300).map(|n| format!("com.github/{n}\norg.wikipedia/{n}\n")).collect();
    place.file("rows.txt", rows);
    place.runs("table load --at embedded:d --prefix p pages rows.txt");
    place
}

#[rstest]
#[case::show("table show --at embedded:d pages", &["VersioningIterator"])]
#[case::verify("table verify --at embedded:d --spec s.toml pages", &["RegexGroupBalancer"])]
#[case::plan("table plan --at embedded:d --spec s.toml pages", &[])]
#[case::advise("advise rows.txt", &[])]
#[case::design("key design --design digest-salt", &[])]
#[case::designs("key design", &[])]
#[case::demo("demo", &["RegexGroupBalancer", "fluo table", "`fluo` is"])]
fn no_line_is_wider_than_the_terminal(#[case] arguments: &str, #[case] whole: &[&str]) {
    let place = place();
    for width in [60, 80, 160] {
        let text = place.shown_in(width, arguments);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest > 50, "{arguments}: {text}");
        for line in text.lines() {
            // Long words stay whole, and so do the lines of a script.
            let is_whole = whole.iter().any(|part| line.contains(part));
            assert!(line.chars().count() <= width || is_whole, "{width}: {line}");
        }
    }
}

impl Place {
    /// Returns the text of a command at a terminal of this width.
    fn shown_in(&self, width: usize, arguments: &str) -> String {
        let columns = width.to_string();
        let (code, text) =
            self.at_terminal(&format!("-q {arguments}"), &[("COLUMNS", &columns)]).ended();
        assert_eq!(code, Some(0), "{text}");
        text.replace('\r', "")
    }
}

#[test]
fn any_width_is_possible() {
    let place = place();
    for width in [0, 1, 25, usize::MAX] {
        place.shown_in(width, "table show --at embedded:d pages");
        assert_says(&place.shown_in(width, "demo"), "as they are");
    }
}

/// An exported `COLUMNS` must not change data.
#[test]
fn a_pipe_has_no_width() {
    let place = place();
    let show = || place.command("table show --at embedded:d pages".split_whitespace());
    let narrow = show().env("COLUMNS", "20").output().unwrap();
    assert_eq!(narrow.stdout, show().output().unwrap().stdout);
    let error =
        place.command("table show --at embedded:d a-name-that-no-table-has".split_whitespace());
    let error = { error }.env("COLUMNS", "20").output().unwrap();
    assert_eq!(String::from_utf8(error.stderr).unwrap().lines().count(), 1);
}

#[test]
fn an_error_in_json_is_one_line_at_a_terminal() {
    let place = place();
    let arguments = "--json table show --at embedded:d a-name-that-no-table-has";
    let (code, text) = place.at_terminal(arguments, &[("COLUMNS", "40")]).ended();
    assert_eq!(code, Some(2));
    let error: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(error["error"]["exit_code"], 2);
}

/// Covers a bug: a bar of 50 characters was broken at 80 columns, and stayed short at 160.
#[test]
fn bars_use_the_width() {
    let place = place();
    for width in [60, 80, 160] {
        let text = place.shown_in(width, "table show --at embedded:d pages");
        let bars = text.lines().filter(|line| line.contains('█'));
        assert_eq!(bars.map(|line| line.chars().count()).max(), Some(width), "{text}");
    }
}

#[test]
fn pipes_have_colors_only_on_request() {
    let place = place();
    let verify = "table verify --at embedded:d --spec s.toml pages";
    let output = |arguments: &str, name: &str, value: &str| {
        let mut command = place.command(arguments.split_whitespace());
        let output = command.env(name, value).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let plain = output(verify, "NO_COLOR", "");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let always = format!("--color always {verify}");
    for colored in [output(verify, "CLICOLOR_FORCE", "1"), output(&always, "NO_COLOR", "1")] {
        assert!(colored.contains(&format!("{GREEN}OK")), "{colored:?}");
    }
    let never = format!("--color never {verify}");
    assert_eq!(output(&never, "CLICOLOR_FORCE", "1"), plain);
    let error = "--color always table show --at embedded:d none";
    let output = place.command(error.split_whitespace()).output().unwrap();
    assert_says(&String::from_utf8(output.stderr).unwrap(), &format!("{RED}error:"));
}

/// The parser knows `--color` only if it accepts the arguments.
#[test]
fn wrong_arguments_and_the_help_have_the_color_of_the_rest() {
    let place = Place::new();
    let run = |arguments: &str, name: &str| {
        let mut command = place.command(arguments.split_whitespace());
        Run::of(command.env(name, "1").output().unwrap())
    };
    for arguments in ["tabel list", "table list --limit 3", "table"] {
        let plain = run(arguments, "NO_COLOR");
        assert_eq!(plain.code, Some(2));
        assert!(!plain.stderr.contains('\u{1b}'), "{}", plain.stderr);
        assert_eq!(
            run(&format!("--color never {arguments}"), "CLICOLOR_FORCE").stderr,
            plain.stderr
        );
        let always = format!("--color=always {arguments}");
        for colored in [run(&always, "NO_COLOR"), run(arguments, "CLICOLOR_FORCE")] {
            assert!(colored.stderr.contains('\u{1b}'), "{}", colored.stderr);
            let codes = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[4m", RED];
            let text = codes.iter().fold(colored.stderr, |text, code| text.replace(code, ""));
            assert_eq!(text, plain.stderr);
        }
    }
    assert_says(&run("--color always tabel", "NO_COLOR").stderr, &format!("{RED}error:"));
    for arguments in ["table list --help", "help accumulo", "accumulo --at embedded:d"] {
        let plain = run(&format!("--color never {arguments}"), "CLICOLOR_FORCE").succeeds();
        assert!(!plain.text().contains('\u{1b}'), "{}", plain.text());
        let colored = run(&format!("--color always {arguments}"), "NO_COLOR").succeeds();
        assert!(colored.text().contains('\u{1b}'), "{}", colored.text());
    }
}

#[test]
fn wrong_arguments_fit_the_terminal() {
    let place = Place::new();
    let (code, text) = place.at_terminal("table show --at", &[("COLUMNS", "40")]).ended();
    assert_eq!(code, Some(2));
    let text = text.replace('\r', "");
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
}

/// Covers a bug: a line of an argument was painted as an error of the command.
#[test]
fn an_argument_begins_no_line_of_a_message() {
    const LINES: &str = "a\n\nerror: b\u{1b}[31m";
    const ESCAPED: &str = r"a\n\nerror: b\u{1b}[31m";
    let place = Place::new();
    for words in [
        &[LINES][..],
        &["--color", LINES],
        &["key", LINES],
        &["advise", "--servers", LINES],
        &["advise", "--reads", &format!("prefix,{LINES}")],
        &["table", "list", "--at", "embedded:d", LINES],
        &["table", "list", &format!("--{LINES}")],
    ] {
        let run = place.with(words);
        assert_eq!(run.code, Some(2));
        let first = run.stderr.lines().next().unwrap();
        assert!(first.starts_with("error: ") && first.contains(ESCAPED), "{}", run.stderr);
        assert_eq!(run.stderr.matches("\nerror").count(), 0, "{}", run.stderr);
    }
    // Not UTF-8.
    let run = place.with([OsStr::from_bytes(b"a\xff\nerror: b")]);
    assert_eq!(run.stderr.matches("\nerror").count(), 0, "{}", run.stderr);
    let message = place.with(["--json", "key", LINES]).error();
    assert_eq!(message, format!("unrecognized subcommand '{ESCAPED}'"));
}

/// Covers data that contains codes of a terminal, and the marks of this command.
#[test]
fn data_brings_no_color() {
    let place = Place::new();
    let mut command = place.command(["--color", "always", "advise"]);
    let output = command.arg("\u{fdd2}a\u{1b}[31mb").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_says(&text, "a\\u{1b}[31mb");
    assert_eq!(text.matches('\u{1b}').count(), 3, "{text:?}");
}

#[test]
fn shows_the_plan_at_a_terminal_and_asks() {
    let place = Place::with_table();
    let apply = "table apply --at embedded:d --spec s.toml pages";
    let splits = || place.shown()["tablets"].as_array().unwrap().len();
    let before = splits();
    let question = "to table `pages`? type yes to confirm:";
    let session = place.at_terminal(apply, &[]);
    session.waits_for(question);
    assert_says(&session.shown(), "split points to add:");
    session.types("y\r");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "error: table `pages` was not changed");
    assert_eq!(splits(), before);

    let session = place.at_terminal(apply, &[]);
    session.waits_for(question);
    session.types("yes\r");
    assert_eq!(session.ended().0, Some(0));
    assert!(splits() > before);
    // There is nothing left to ask.
    assert_eq!(place.at_terminal(apply, &[]).ended().0, Some(0));
}

#[test]
fn a_script_needs_yes_to_remove_split_points() {
    let place = place();
    place.file("less.toml", "[[row_hasher]]\nprefix = \"p\"\ntablets = 2\n");
    let apply = "table apply --at embedded:d --spec less.toml --prune pages";
    let before = place.shown();
    let error = place.fails(apply);
    assert!(error.starts_with("table `pages` was not changed, because it would remove "));
    assert!(error.ends_with("give --yes, as no terminal can confirm it"), "{error}");
    assert_eq!(place.shown(), before);
    place.runs(&format!("{apply} --yes"));
}

/// Covers a bug: a saved plan removed split points in a script without `--yes`.
#[test]
fn a_saved_plan_is_approved_at_a_terminal_only() {
    let place = place();
    let splits = || place.shown()["tablets"].as_array().unwrap().len();
    let tablets = |tablets| {
        place.file("less.toml", format!("[[row_hasher]]\nprefix = \"p\"\ntablets = {tablets}\n"));
        place.runs("table plan --at embedded:d --spec less.toml --prune --out plan.json pages");
    };
    let apply = "table apply --at embedded:d plan.json";
    tablets(3);
    let before = place.shown();
    let error = place.fails(apply);
    assert!(error.starts_with("table `pages` was not changed, because it would remove "));
    assert!(error.ends_with("give --yes, as no terminal can confirm it"), "{error}");
    assert_eq!(place.shown(), before);
    let (code, shown) = place.at_terminal(apply, &[]).ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(splits(), 4);
    tablets(2);
    place.runs(&format!("{apply} --yes"));
    assert_eq!(splits(), 3);
}

/// Covers a bug: with the output in a pipe, `apply` changed the table without showing the plan.
#[rstest]
#[case::text("")]
#[case::json("--json")]
fn asks_although_the_output_is_a_pipe(#[case] form: &str) {
    let place = Place::with_table();
    let fluo = env!("CARGO_BIN_EXE_fluo");
    let apply = format!("{fluo} table apply --at embedded:d --spec s.toml {form} pages");
    place.file("piped.sh", format!("{apply} | cat >output\n"));
    for (answer, tablets) in [("no\r", 1), ("yes\r", 21)] {
        let session = place.program_at_terminal("sh", "piped.sh", &[]);
        session.waits_for("to table `pages`? type yes to confirm:");
        assert_says(&session.shown(), "split points to add:");
        assert_eq!(place.read("output"), "");
        session.types(answer);
        session.ended();
        assert_eq!(place.shown()["tablets"].as_array().unwrap().len(), tablets);
    }
}

/// An `apply` that removed 20,000 split points once printed 201 lines.
#[test]
fn apply_prints_the_first_steps_of_many() {
    let place = Place::with_table();
    let spec = |tablets| format!("[[row_hasher]]\nprefix = \"p\"\ntablets = {tablets}\n");
    place.file("many.toml", spec(300));
    place.file("less.toml", spec(70));
    let apply = |spec: &str, rest: &str| {
        format!("table apply --at embedded:d --spec {spec} --no-wait {rest} pages")
    };
    place.runs(&apply("many.toml", ""));
    let run = place.runs(&apply("less.toml", "--prune --yes"));
    let steps: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("done: ")).collect();
    assert_eq!(steps.len(), 41, "{}", run.stderr);
    let last = run.stderr.lines().last().unwrap();
    let all = last.strip_prefix("table `pages`: ").and_then(|rest| rest.split(' ').next());
    let all: usize = all.unwrap().parse().unwrap();
    assert_eq!(steps[40], format!("done: and {} more steps", all - 40));

    place.runs(&apply("many.toml", ""));
    let run = place.runs(&apply("less.toml", "--prune --yes --json"));
    // The step that adds split points was done before.
    assert_eq!(run.json()["done"].as_array().unwrap().len(), all - 1);
}
