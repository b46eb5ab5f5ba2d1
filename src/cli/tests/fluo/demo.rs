//! The demo prints its story, and leaves no files behind.

use std::fs;

use crate::command::{Place, assert_says};

#[test]
fn prints_its_story_and_leaves_no_files() {
    let place = Place::new();
    let run = place.runs("demo");
    assert_eq!(run.stderr, "");
    for part in [
        "\nReal rows\n",
        "\nWritten as they are\n",
        "\nThe plan (`fluo table plan`)\n",
        "  + p:1sst\n",
        "  done: add 20 split points, `p:1sst` to `p:~`\n",
        "\nOK: table pages.\n",
        "fluo table create --at embedded:./data pages\n",
    ] {
        assert_says(run.text(), part);
    }
    assert_eq!(place.names("."), ["tmp"]);
    assert!(place.names("tmp").is_empty());
}

/// Covers a bug: the directory was left behind if the signal arrived before the first row was
/// written.
#[cfg(unix)]
#[test]
fn leaves_no_files_when_interrupted_at_any_time() {
    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    for (signal, expected) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
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

#[test]
fn reports_a_missing_temporary_directory() {
    let place = Place::new();
    fs::remove_dir(place.path("tmp")).unwrap();
    let message = place.fails("demo");
    assert_says(&message, "cannot make a directory for the demo: ");
}
