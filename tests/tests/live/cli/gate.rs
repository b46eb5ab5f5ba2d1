//! A gate before a proxy: requests pass, until one with a certain name comes for the n-th time. It and those like it
//! wait until the gate is opened, so that a test can do something in the middle of a command.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Longer than any command takes to come to the gate.
const PATIENCE: Duration = Duration::from_secs(60);

/// The gate. What waits before it when the test ends waits no longer.
pub(crate) struct Gate {
    address: String,
    state: Arc<State>,
}

struct State {
    call: &'static str,
    passing: usize,
    count: Mutex<Count>,
    changed: Condvar,
}

#[derive(Default)]
struct Count {
    came: usize,
    is_open: bool,
}

impl Gate {
    /// Lets the first `passing` calls of this name pass on to the proxy at `upstream`.
    pub(crate) fn before(upstream: &str, call: &'static str, passing: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(State {
            call,
            passing,
            count: Mutex::default(),
            changed: Condvar::new(),
        });
        let (upstream, shared) = (upstream.to_owned(), Arc::clone(&state));
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let server = TcpStream::connect(&upstream).unwrap();
                let replies = (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || copy(replies.0, replies.1, |_| ()));
                let state = Arc::clone(&shared);
                thread::spawn(move || copy(client, server, |bytes| state.pass(bytes)));
            }
        });
        Self { address, state }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Waits until a call waits at the gate.
    pub(crate) fn wait(&self) {
        let (count, timeout) = self
            .state
            .changed
            .wait_timeout_while(self.state.count.lock().unwrap(), PATIENCE, |count| {
                count.came <= self.state.passing
            })
            .unwrap();
        assert!(
            !timeout.timed_out(),
            "{} calls of {} came",
            count.came,
            self.state.call
        );
    }

    /// Lets every call pass.
    pub(crate) fn open(&self) {
        self.state.count.lock().unwrap().is_open = true;
        self.state.changed.notify_all();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl State {
    /// The name of a call is at the start of its frame, which is written in one piece.
    fn pass(&self, bytes: &[u8]) {
        let name = self.call.as_bytes();
        let start = &bytes[..bytes.len().min(64)];
        if !start.windows(name.len()).any(|window| window == name) {
            return;
        }
        let mut count = self.count.lock().unwrap();
        count.came += 1;
        let must_wait = count.came > self.passing;
        self.changed.notify_all();
        if must_wait {
            let opened = self.changed.wait_while(count, |count| !count.is_open);
            drop(opened.unwrap());
        }
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, pass: impl Fn(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        pass(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
