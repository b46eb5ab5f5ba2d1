//! No message repeats a password that stands in a target, whatever else is wrong.

use std::thread;

use crate::command::{Place, Run};

const SECRET: &str = "hunter2";

/// Returns all commands whose help has `--at`, found by their help.
fn commands_with_target(place: &Place) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(command) = open.pop() {
        let run = place.fluo(&format!("{command} --help")).succeeds();
        let lines = || run.text().lines();
        let below = lines().skip_while(|line| *line != "Commands:").skip(1);
        let below = below.take_while(|line| !line.is_empty());
        // The description of a long name is on the next line, further to the right.
        let names = below.filter(|line| !line.starts_with("   "));
        let names = names.filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| *name != "help");
        open.extend(names.map(|name| format!("{command} {name}")));
        if lines().any(|line| line.trim_start().starts_with("--at ")) {
            found.push(command);
        }
    }
    found
}

#[track_caller]
fn assert_silent(run: &Run, command: &str) {
    let stdout = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.code, Some(2), "{command}: {stdout}{}", run.stderr);
    for output in [&*stdout, &run.stderr] {
        assert!(!output.contains(SECRET), "{command}: {output}");
    }
}

fn repeats_no_password(place: &Place, command: &str) {
    let words = || command.split_whitespace();
    let with = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned());
        let run = place.with(words().map(str::to_owned).chain(arguments));
        assert_silent(&run, command);
    };
    let target = format!("proxy:root:{SECRET}@localhost:1");
    with(&["--at", &target]);
    with(&["--at", &target, "web", "x", "y"]);
    with(&[&format!("--at={target}")]);
    with(&["--wrong-option", "--at", &target]);
    with(&["--at", &target, "--wrong-option"]);
    with(&["--at", &format!("proxy:root:{SECRET}@localhost:wrong")]);
    with(&["--at", &format!("proxy:root:{SECRET}@localhost")]);
    with(&["--at", &format!("root:{SECRET}@localhost:1")]);
    with(&["--at", &format!("proxy:localhost:{SECRET}")]);
    with(&["--at", &format!("proxy:localhost:{SECRET}]")]);
    for password in ["@@", "a:b:", " ", "%40", "%", "'\"", "é"] {
        let around = format!("proxy:root:{password}{SECRET}{password}@localhost:1");
        with(&["--at", &around]);
    }
    let mut environment = place.command(words());
    environment.env("FLUO_AT", &target);
    assert_silent(&Run::of(environment.output().unwrap()), command);
    for name in ["cluster", "port"] {
        let mut profile = place.command(words().chain(["--at", name]));
        profile.env("FLUO_CONFIG", "config.toml");
        assert_silent(&Run::of(profile.output().unwrap()), command);
    }
}

/// Covers a bug: `fluo queue` and `fluo oracle` repeated the password.
#[test]
fn no_command_repeats_a_password_in_its_target() {
    let place = Place::new();
    let target = format!("proxy:root:{SECRET}@localhost:1");
    place.file(
        "config.toml",
        format!("[at.cluster]\ntarget = \"{target}\"\n[at.port]\ntarget = \"proxy:h:{SECRET}\"\n"),
    );
    let commands = commands_with_target(&place);
    for expected in [" table list", " queue list", " oracle", " advise"] {
        assert!(
            commands.iter().any(|found| found == expected),
            "{commands:?}"
        );
    }
    thread::scope(|scope| {
        for part in commands.chunks(commands.len().div_ceil(4)) {
            let place = &place;
            scope.spawn(move || {
                for command in part {
                    repeats_no_password(place, command);
                }
            });
        }
    });
}
