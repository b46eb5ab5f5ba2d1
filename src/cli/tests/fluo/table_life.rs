//! The process that has the directory of a table open.

use std::process::Stdio;
use std::time::Duration;

use crate::command::Place;

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
