//! Every command explains itself.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

const COMMANDS: [&str; 34] = [
    "",
    "key",
    "key add",
    "key remove",
    "key splits",
    "key group",
    "key explain",
    "key spans",
    "key design",
    "table",
    "table create",
    "table delete",
    "table list",
    "table show",
    "table load",
    "table migrate",
    "table plan",
    "table apply",
    "table verify",
    "table watch",
    "app",
    "app init",
    "app list",
    "app status",
    "app config",
    "app remove",
    "scan",
    "notifications",
    "notifications list",
    "notifications failed",
    "notifications retry",
    "wait",
    "advise",
    "demo",
];

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    for command in COMMANDS {
        for help in ["--help", "-h"] {
            let run = place.fluo(&format!("{command} {help}")).succeeds();
            assert_says(run.text(), "Example:\n");
            assert_says(run.text(), "Usage: fluo");
            assert_eq!(run.stderr, "");
        }
    }
}

#[test]
fn every_command_on_tables_tells_how_to_reach_a_live_accumulo() {
    let place = Place::new();
    for command in COMMANDS.iter().filter(|name| name.starts_with("table ")) {
        let run = place.fluo(&format!("{command} --help")).succeeds();
        let (_, live) = run
            .text()
            .split_once("\nLive Accumulo (--at proxy:HOST:PORT):\n")
            .unwrap();
        let options = live.split("\nExample:").next().unwrap();
        let words: Vec<_> = options.split_whitespace().collect();
        for word in [
            "--user",
            "FLUO_USER",
            "FLUO_PASSWORD,",
            "--password-file",
            "FLUO_PASSWORD_FILE",
            "--protocol",
        ] {
            assert!(
                words.iter().any(|found| found.starts_with(word)),
                "{command}: {word}"
            );
        }
        assert!(!words.contains(&"--password"), "{command}");
        assert!(
            !words.contains(&"--spec"),
            "{command}: another argument is under this heading"
        );
        assert_says(run.text(), "proxy:HOST:PORT");
    }
}

#[test]
fn no_command_is_missing_here() {
    let place = Place::new();
    for group in ["", "key", "table", "app", "notifications"] {
        let run = place.fluo(&format!("{group} --help")).succeeds();
        let listed = run
            .text()
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            let command = format!("{group} {name}");
            assert!(
                name == "help" || COMMANDS.contains(&command.trim()),
                "{command}"
            );
        }
    }
}

#[test]
fn without_a_command_the_help_is_an_error() {
    let place = Place::new();
    for command in ["", "key", "table", "app", "notifications"] {
        let run = place.fluo(command);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert_says(&run.stderr, "Usage: fluo");
    }
    assert_says(
        &place.fluo("nope").refuses_arguments(),
        "unrecognized subcommand 'nope'",
    );
}

#[test]
fn the_version_is_the_packages() {
    Place::new()
        .fluo("--version")
        .prints(concat!("fluo ", env!("CARGO_PKG_VERSION"), "\n"));
}
