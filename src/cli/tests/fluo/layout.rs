//! The width and the colors of the output, and the approval of a plan at a terminal.

use rstest::rstest;

use crate::command::{Place, assert_says};

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
        let mut command = place.command(arguments.split_whitespace());
        let output = command.env("COLUMNS", width.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest > width / 2 || width > 80, "{arguments}: {text}");
        for line in text.lines() {
            // Long words stay whole, and so do the lines of a script.
            let is_whole = whole.iter().any(|part| line.contains(part));
            assert!(line.chars().count() <= width || is_whole, "{width}: {line}");
        }
    }
}

/// Covers a bug: a bar of 50 characters was broken at 80 columns, and stayed short at 160.
#[test]
fn bars_use_the_width() {
    let place = place();
    for width in [60, 80, 160] {
        let mut command = place.command("table show --at embedded:d pages".split_whitespace());
        let output = command.env("COLUMNS", width.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
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

/// Covers data that contains codes of a terminal, and the marks of this command.
#[test]
fn data_brings_no_color() {
    let place = Place::new();
    place.file("rows.txt", "\u{fdd2}a\u{1b}[31mb\n");
    let explain = "--color always key explain --prefix p p:3zqc:\u{fdd2}a\u{1b}[31mb";
    let output = place.command(explain.split_whitespace()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains(RED), "{text:?}");
}

#[cfg(unix)]
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
    assert!(error.ends_with("give --yes, as standard input is no terminal"), "{error}");
    assert_eq!(place.shown(), before);
    place.runs(&format!("{apply} --yes"));
    // A saved plan was approved when it was saved.
    place.file("more.toml", "[[row_hasher]]\nprefix = \"p\"\ntablets = 3\n");
    place.runs("table plan --at embedded:d --spec more.toml --prune --out plan.json pages");
    place.runs("table apply --at embedded:d plan.json");
}
