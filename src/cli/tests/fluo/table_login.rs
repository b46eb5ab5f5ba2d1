//! Servers that do not accept a login. No message contains the password.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

use crate::command::{Place, Run, assert_says};

const PASSWORD: &str = "hunter2";

fn list(place: &Place, port: u16, more: &str, environment: &[(&str, &str)]) -> Run {
    let arguments = format!("table list --at proxy:127.0.0.1:{port} {more}");
    let mut command: Command = place.command(arguments.split_whitespace());
    command.envs(environment.iter().copied());
    let run = Run::of(command.output().unwrap());
    assert!(!run.stderr.contains(PASSWORD), "{}", run.stderr);
    run
}

#[test]
fn reports_a_silent_server_after_one_attempt() {
    let place = Place::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let message = list(&place, port, "--user root", &[("FLUO_PASSWORD", PASSWORD)]).fails();
    assert_says(&message, "no answer within 10s");
    silent.set_nonblocking(true).unwrap();
    let attempts = silent.incoming().take_while(Result::is_ok).count();
    assert_eq!(attempts, 1);
}

/// Starts a server without any call, as a proxy of Accumulo 2.x has no `login`. It answers a
/// request of the compact protocol with the application exception for an unknown method.
fn proxy_without_calls() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut request = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        stream.read_exact(&mut request).unwrap();
        // Version and kind, a number of one byte, the length of the name, the name.
        let name_end = 4 + usize::from(request[3]);
        let said = b"Invalid method name: 'login'";
        let mut reply = request[..name_end].to_vec();
        reply[1] = (3 << 5) | 1;
        reply.extend([0x18, u8::try_from(said.len()).unwrap()]);
        reply.extend(said);
        // The kind of the exception, 1 in zigzag, and the end of the struct.
        reply.extend([0x15, 2, 0]);
        stream.write_all(&u32::try_from(reply.len()).unwrap().to_be_bytes()).unwrap();
        stream.write_all(&reply).unwrap();
        // Wait until the client closes the connection.
        let _ = stream.read(&mut length);
    });
    port
}

/// Covers a bug: with a user and a password on a proxy of Accumulo 2.x, the message was
/// `it does not know it (Invalid method name: \'login\')`, without the name of the variable to set.
#[test]
fn names_the_variable_of_the_secret_for_a_proxy_without_logins() {
    let place = Place::new();
    let environment = [("FLUO_USER", "root"), ("FLUO_PASSWORD", PASSWORD)];
    let port = proxy_without_calls();
    let message = list(&place, port, "", &environment).fails();
    assert_eq!(
        message,
        format!(
            "login of `root` at 127.0.0.1:{port}: the proxy has no logins (Accumulo 2.x); it requires its shared \
             secret instead of user and password; set FLUO_SHARED_SECRET to it, and leave --user, FLUO_USER and the \
             password out"
        )
    );
}
