//! Errors in a spec, a saved plan or an argument are reported with their place, on one line.

use crate::command::{Place, SPEC, assert_says};

#[test]
fn a_message_about_a_long_or_strange_spec_is_short() {
    let place = Place::with_table();
    for (spec, part) in [
        (format!("a = {}", "[".repeat(200_000)), ", at line 1, column "),
        (format!("{} = 1", "a.".repeat(100_000)), ", at line 1, column "),
        ("prefix = \"\u{1b}[31m\"".to_owned(), ", at line 1, column 11 of "),
        ("\0".to_owned(), "key with no value, expected `=`, at line 1, column 2 of "),
    ] {
        place.file("bad.toml", spec);
        let run = place.fluo("table plan --at embedded:d --spec bad.toml pages");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let message = run.fails();
        assert_says(&message, part);
        assert!(message.len() < 500, "{message}");
    }
    place.file("bad.toml", b"a = 1\n\xff");
    assert_eq!(
        place.fails("table plan --at embedded:d --spec bad.toml pages"),
        "the spec bad.toml is not UTF-8 text: invalid utf-8 sequence of 1 bytes from index 6"
    );
}

#[test]
fn reads_a_spec_with_bom_and_crlf() {
    let place = Place::with_table();
    place.file("s.toml", format!("\u{feff}{}", SPEC.replace('\n', "\r\n")));
    place.runs("table plan --at embedded:d --spec s.toml pages");
}

/// Checks the permissions of a saved plan: another user than its author may apply it.
#[cfg(unix)]
#[test]
fn saves_a_plan_with_default_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::with_table();
    let plan = "table plan --at embedded:d --spec s.toml --out plan.json pages";
    place.runs(plan);
    let file = |name: &str| std::fs::metadata(place.path(name)).unwrap();
    let mode = |name: &str| file(name).permissions().mode();
    assert_eq!(mode("plan.json"), mode("s.toml"));
}

#[test]
fn a_message_about_a_strange_plan_is_one_line() {
    let place = Place::with_table();
    place.runs("table plan --at embedded:d --spec s.toml --out plan.json pages");
    let plan: serde_json::Value = serde_json::from_str(&place.read("plan.json")).unwrap();
    let before = place.shown();
    let change = |name: &str, value: serde_json::Value| {
        let mut edited = plan.clone();
        edited[name] = value;
        edited
    };
    let property = |name: &str| serde_json::json!([{ "name": name, "before": null, "after": "x" }]);
    for edited in [
        change("table", "a\u{1b}[31m\nb".into()),
        change("remove_splits", serde_json::json!(["z"])),
        change("properties", property("\u{1b}[31m\n")),
    ] {
        place.file("bad.json", edited.to_string());
        let run = place.fluo("table apply --at embedded:d bad.json");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
        run.fails();
        assert_eq!(place.shown(), before);
    }
}

#[cfg(unix)]
#[test]
fn refuses_a_name_that_is_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::with_table();
    let arguments = "table apply --at embedded:d --spec s.toml".split(' ').map(OsStr::new);
    let message = place.with(arguments.chain([OsStr::from_bytes(b"\xff")])).fails();
    assert_eq!(message, "the name of the table is not text");
}

/// Uses names that another user may choose, which must not control the terminal.
#[test]
fn control_characters_do_not_reach_the_terminal() {
    let place = Place::with_table();
    let evil = "\u{1b}[31m\n\u{9b}x";
    for line in [
        "table show --at embedded:d EVIL",
        "table delete --at embedded:d --yes EVIL",
        "table plan --at embedded:d --spec EVIL pages",
        "table plan --at embedded:d --spec s.toml --out none/EVIL pages",
        "table load --at embedded:d pages --prefix p EVIL",
        "table list --at embedded:EVIL",
        "table apply --at embedded:d EVIL",
        "table create --at embedded:d EVIL",
        "key explain --prefix p EVIL",
    ] {
        let run = place.with(line.split(' ').map(|word| word.replace("EVIL", evil)));
        let message = run.stderr.trim_end_matches('\n');
        assert!(!message.contains(char::is_control), "{message:?}");
        run.fails();
    }
}

#[test]
fn control_characters_of_a_property_do_not_reach_the_terminal() {
    let place = Place::with_table();
    place.file(
        "evil.toml",
        "[[row_hasher]]\nprefix = \"\\u001b[31m\\nOK: all is well\\u009b\"\ntablets = 2\n",
    );
    for (line, code) in [
        ("table plan --at embedded:d --spec evil.toml pages", 0),
        ("table apply --at embedded:d --spec evil.toml pages", 0),
        ("table plan --at embedded:d --spec s.toml pages", 0),
        ("table verify --at embedded:d --spec s.toml pages", 1),
        ("table verify --at embedded:d --spec evil.toml pages", 0),
        ("table show --at embedded:d pages", 0),
    ] {
        let run = place.fluo(line);
        assert_eq!(run.code, Some(code), "{line}");
        for line in run.text().lines().chain(run.stderr.lines()) {
            let is_clean = !line.contains(char::is_control) && !line.starts_with("OK: all");
            assert!(is_clean, "{line:?}");
        }
    }
    let shown = place.shown();
    let pattern =
        shown["properties"]["table.custom.balancer.group.regex.pattern"].as_str().unwrap();
    assert_says(pattern, "\u{1b}[31m\n");
}
