//! Password prompts at a terminal. The terminal is restored, regardless of the way in which the
//! prompt ends.

#![cfg(test)]
#![cfg(unix)]

use std::net::TcpListener;

use crate::command::{Place, assert_says};

const PASSWORD: &str = "hunter2";
const QUESTION: &str = "password of root at proxy:127.0.0.1:1: ";
const LIST: &str = "table list --at proxy:127.0.0.1:1 --user root";

#[test]
fn asks_for_a_password_without_echo() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types(&format!("{PASSWORD}\r"));
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "Connection refused");
    assert!(!shown.contains(PASSWORD), "{shown}");
}

/// Covers a bug: the exit code was 2, with a message about an interrupted system call.
#[test]
fn ctrl_c_at_the_prompt_ends_the_command_and_restores_the_echo() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("hun\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
    assert!(!shown.contains("error"), "{shown}");
    assert!(!shown.contains("hun"), "{shown}");
}

#[test]
fn ctrl_c_at_the_prompt_ends_a_command_that_only_reads() {
    let advise = "advise --at proxy:127.0.0.1:1 --user root pages";
    let session = Place::new().at_terminal(advise, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("hun\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
}

/// Covers a bug: the terminal was left without echo.
#[test]
fn a_signal_at_the_prompt_ends_the_command_and_restores_the_echo() {
    for (signal, expected) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        if signal == "HUP" && crate::command::is_hangup_ignored() {
            continue;
        }
        let session = Place::new().at_terminal(LIST, &[]);
        session.waits_for(QUESTION);
        session.waits_for_echo(false);
        session.signal(signal);
        let (code, shown) = session.ended();
        assert_eq!(code, Some(expected), "{signal}: {shown}");
        assert!(!shown.contains("error"), "{shown}");
    }
}

/// Types Ctrl-Z, which is an ordinary key during the prompt. The command is not stopped, so no
/// shell gets a terminal without echo.
#[test]
fn ctrl_z_at_the_prompt_does_not_stop_the_command() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("\u{1a}");
    session.types(&format!("{PASSWORD}\r"));
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "Connection refused");
}

#[test]
fn refuses_an_empty_password() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("\r");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "error: no password was typed");
}

/// Covers a bug: the command waited without a message, and ignored Ctrl-C.
#[test]
fn reports_the_wait_for_a_password_pipe() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let session = place.at_terminal(&format!("{LIST} --password-file pipe"), &[]);
    session.waits_for("waiting for the password of pipe");
    session.types("\u{3}");
    let (code, _) = session.ended();
    assert_eq!(code, Some(130));

    let session = place.at_terminal(&format!("{LIST} --password-file pipe"), &[]);
    std::fs::write(place.path("pipe"), format!("{PASSWORD}\n")).unwrap();
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "Connection refused");
    assert!(!shown.contains(PASSWORD), "{shown}");
}

/// Connects to a server that accepts connections but answers nothing. The progress line names the
/// wait, with its duration.
#[test]
fn reports_the_wait_for_a_hanging_proxy_and_ctrl_c_ends_it() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let place = Place::new();
    place.file("s.toml", crate::command::SPEC);
    let arguments = format!("table apply --at proxy:{address} --user root --spec s.toml pages");
    let session = place.at_terminal(&arguments, &[("FLUO_PASSWORD", PASSWORD)]);
    session.waits_for(&format!("connecting to proxy:{address} ("));
    session.types("\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
}
