//! The demo leaves no files behind.

#![cfg(unix)]

use crate::command::Place;

/// Covers a bug: the directory was left behind if the signal arrived before the first row was
/// written.
#[test]
fn leaves_no_files_when_interrupted_at_any_time() {
    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    for (signal, expected) in crate::command::ending_signals() {
        let place = Place::new();
        for delay_ms in (0..10).map(|step| step * 6) {
            let child = place.command(["demo"]).spawn().unwrap();
            thread::sleep(Duration::from_millis(delay_ms));
            let _ =
                Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
            let run = crate::command::ended(child);
            assert!(place.names("tmp").is_empty(), "{signal} after {delay_ms} ms");
            match run.code {
                Some(code) if code == expected => {
                    assert_eq!(run.stderr, "interrupted: nothing is left of the demo\n");
                }
                // The signal arrived before the command listened, when no directory existed, or
                // after the end.
                code => assert!(matches!(code, None | Some(0)), "{code:?}: {}", run.stderr),
            }
        }
    }
}
