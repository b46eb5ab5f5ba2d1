//! Password prompts at a terminal. The terminal is restored, regardless of the way in which the
//! prompt ends.

#![cfg(unix)]

use std::net::TcpListener;

use rstest::rstest;

use crate::command::terminal::Session;
use crate::command::{Place, assert_says};

const PASSWORD: &str = "hunter2";
const QUESTION: &str = "password of root at proxy:127.0.0.1:1: ";
const LIST: &str = "table list --at proxy:127.0.0.1:1 --user root";

/// Starts a command that asks for the password, and waits until it does.
fn asked(arguments: &str) -> Session {
    let session = Place::new().at_terminal(arguments, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session
}

/// Ctrl-Z is an ordinary key during the prompt. The command is not stopped, so no shell gets a
/// terminal without echo. Ctrl-C ended with code 2 and a message about an interrupted system call.
#[rstest]
#[case::a_password(LIST, "hunter2\r", 2, "Connection refused")]
#[case::ctrl_z(LIST, "\u{1a}hunter2\r", 2, "Connection refused")]
#[case::nothing(LIST, "\r", 2, "error: no password was typed")]
#[case::ctrl_c(LIST, "hun\u{3}", 130, "")]
#[case::ctrl_c_of_advise("advise --at proxy:127.0.0.1:1 --user root pages", "hun\u{3}", 130, "")]
fn asks_for_a_password_without_echo(
    #[case] arguments: &str,
    #[case] typed: &str,
    #[case] expected: i32,
    #[case] message: &str,
) {
    let session = asked(arguments);
    session.types(typed);
    let (code, shown) = session.ended();
    assert_eq!(code, Some(expected), "{shown}");
    assert_says(&shown, message);
    assert!(!shown.contains("hun"), "{shown}");
    assert!(code == Some(2) || !shown.contains("error"), "{shown}");
}

/// Covers a bug: the terminal was left without echo.
#[test]
fn a_signal_at_the_prompt_ends_the_command_and_restores_the_echo() {
    for (signal, expected) in crate::command::ending_signals() {
        let session = asked(LIST);
        session.signal(signal);
        let (code, shown) = session.ended();
        assert_eq!(code, Some(expected), "{signal}: {shown}");
        assert!(!shown.contains("error"), "{shown}");
    }
}

/// Covers a bug: the command waited without a message, and ignored Ctrl-C.
#[test]
fn reports_the_wait_for_a_password_pipe() {
    let place = Place::new();
    place.pipe("pipe");
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
