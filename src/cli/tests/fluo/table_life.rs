//! The directories of tables: their names, and the processes that have them open.

use std::process::Stdio;
use std::time::Duration;

use crate::command::{Place, Run};

#[test]
fn accepts_directories_with_odd_names() {
    let place = Place::new();
    for target in ["embedded:a/b/c", "embedded:x:y", "embedded: ", "embedded:é\u{1b}[31m\n"] {
        place.with(["table", "create", "--at", target, "--parents", "pages"]).succeeds();
        place.with(["table", "list", "--at", target]).prints("pages\n");
    }
}

/// Covers a bug: `embedded:~/data` made a directory of the name `~`, because shells expand a tilde
/// only at the start of a word.
#[test]
fn expands_a_leading_tilde() {
    let place = Place::new();
    let at_home = |home: &str, arguments: &str| {
        let mut command = place.command(arguments.split_whitespace());
        Run::of(command.env("HOME", place.path(home)).output().unwrap())
    };
    std::fs::create_dir(place.path("home")).unwrap();
    at_home("home", "table create --at embedded:~/d pages").succeeds();
    at_home("home", "app init --at embedded:~/d web").succeeds();
    place.fluo("table list --at embedded:home/d").prints("pages\nweb\n");
    assert_eq!(place.names("."), ["home", "tmp"]);
    // A directory of this name can still be reached.
    place.runs("table create --at embedded:./~/d --parents pages");
    assert_eq!(place.names("~"), ["d"]);
}

/// Covers a bug: the message said twice that the directory is open, but named neither the process
/// nor the command.
#[test]
fn names_the_command_that_has_a_directory_open() {
    let place = Place::with_table();
    let load = "table load --at embedded:d pages --prefix p -";
    let mut command = place.command(load.split(' '));
    let mut loading = command.stdin(Stdio::piped()).spawn().unwrap();
    while place.read("d/fluo.lock").is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = loading.id();
    for arguments in ["table list --at embedded:d", "table check --at embedded:d"] {
        assert_eq!(
            place.fails(arguments),
            format!(
                "the directory `d` is open in process {id} (`fluo table load`); wait until it ends, or stop it"
            )
        );
    }
    // The lock file of a killed process blocks no other process.
    loading.kill().unwrap();
    loading.wait().unwrap();
    assert_eq!(place.read("d/fluo.lock"), format!("{id} fluo table load\n"));
    place.fluo("table list --at embedded:d").prints("pages\n");
    assert_eq!(place.read("d/fluo.lock"), "");
}
