//! Every command explains itself.

#![cfg(test)]

mod command;

use command::{Place, assert_says};

const COMMANDS: [&str; 17] = [
    "",
    "key",
    "key add",
    "key remove",
    "key splits",
    "key group",
    "key explain",
    "table",
    "table create",
    "table delete",
    "table list",
    "table show",
    "table load",
    "table plan",
    "table apply",
    "table verify",
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
fn no_command_is_missing_here() {
    let place = Place::new();
    for group in ["", "key", "table"] {
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
    for command in ["", "key", "table"] {
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
