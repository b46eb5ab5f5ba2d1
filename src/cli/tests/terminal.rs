//! At a terminal: a password is asked for, and whatever ends that, the terminal is as it was before.

#![cfg(test)]
#![cfg(unix)]

mod command;

use std::net::TcpListener;

use command::{Place, assert_says};

const PASSWORD: &str = "hunter2";
const QUESTION: &str = "password of root at proxy:127.0.0.1:1: ";
const LIST: &str = "table list --at proxy:127.0.0.1:1 --user root";

#[test]
fn a_password_is_asked_for_and_not_shown() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types(&format!("{PASSWORD}\r"));
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "Connection refused");
    assert!(!shown.contains(PASSWORD), "{shown}");
}

/// Its exit code was 2, with a sentence on an interrupted system call.
#[test]
fn ctrl_c_at_the_question_ends_it_and_shows_again_what_is_typed() {
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
fn so_it_does_for_a_command_that_only_reads() {
    let advise = "advise --at proxy:127.0.0.1:1 --user root pages";
    let session = Place::new().at_terminal(advise, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("hun\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
}

/// The terminal was left without echo.
#[test]
fn a_signal_at_the_question_ends_it_and_shows_again_what_is_typed() {
    for (signal, expected) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        if signal == "HUP" && command::is_hangup_ignored() {
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

/// While it asks, Ctrl-Z is a key without a meaning: the command is not stopped, so no shell gets a terminal that does
/// not show what is typed.
#[test]
fn ctrl_z_at_the_question_does_not_stop_it() {
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
fn no_password_is_refused() {
    let session = Place::new().at_terminal(LIST, &[]);
    session.waits_for(QUESTION);
    session.waits_for_echo(false);
    session.types("\r");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2));
    assert_says(&shown, "error: no password was typed");
}

/// It waited without a word, and Ctrl-C was in vain.
#[test]
fn a_pipe_that_has_no_password_yet_is_said_to_be_waited_for() {
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

/// A server that takes everything and answers nothing: what is waited for is said, with the time.
#[test]
fn a_proxy_that_hangs_is_said_to_be_waited_for_and_ctrl_c_ends_it() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let place = Place::new();
    place.file("s.toml", command::SPEC);
    let arguments = format!("table apply --at proxy:{address} --user root --spec s.toml pages");
    let session = place.at_terminal(&arguments, &[("FLUO_PASSWORD", PASSWORD)]);
    session.waits_for(&format!("connecting to proxy:{address} ("));
    session.types("\u{3}");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(130), "{shown}");
}
