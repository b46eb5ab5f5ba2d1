//! A gate in front of a proxy. Requests pass until a certain call arrives for the n-th time. This
//! call, and later calls of the same name, wait until the gate is opened, so that a test can act in
//! the middle of a command. A gate that is shut ends every connection, like a proxy that becomes
//! unreachable.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Longer than any command takes to reach the gate.
const PATIENCE: Duration = Duration::from_secs(300);

/// The gate. Calls that still wait at the end of the test are released.
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
    answered: usize,
    is_open: bool,
    is_shut: bool,
    turned_away: usize,
    connections: Vec<TcpStream>,
}

impl Gate {
    /// Starts a gate that lets the first `passing` calls of this name pass to the proxy at
    /// `upstream`.
    pub(crate) fn before(upstream: &str, call: &'static str, passing: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state =
            Arc::new(State { call, passing, count: Mutex::default(), changed: Condvar::new() });
        let (upstream, shared) = (upstream.to_owned(), Arc::clone(&state));
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let Some(server) = shared.admit(&client, &upstream) else { continue };
                let replies = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let state = Arc::clone(&shared);
                thread::spawn(move || copy(replies.0, replies.1, |bytes| state.answer(bytes)));
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
        self.wait_until("too few calls came", |count| count.came > self.state.passing);
    }

    /// Waits until all calls that passed are answered, and this many others wait at the gate.
    pub(crate) fn wait_for_all(&self, waiting: usize) {
        let passing = self.state.passing;
        self.wait_until("too few calls came or were answered", |count| {
            count.came == passing + waiting && count.answered == passing
        });
    }

    /// Waits until a number of connections were rejected since the gate was shut.
    pub(crate) fn wait_turned_away(&self, connections: usize) {
        self.wait_until("too few connections were rejected", |count| {
            count.turned_away >= connections
        });
    }

    fn wait_until(&self, otherwise: &str, is_so: impl Fn(&Count) -> bool) {
        let (count, timeout) = self
            .state
            .changed
            .wait_timeout_while(self.state.count.lock().unwrap(), PATIENCE, |count| !is_so(count))
            .unwrap();
        let (came, turned_away) = (count.came, count.turned_away);
        // A panic while the lock is held would poison it for the drop of the gate.
        drop(count);
        assert!(
            !timeout.timed_out(),
            "{otherwise}: {came} calls of {}, and {turned_away} connections were rejected",
            self.state.call
        );
    }

    /// Lets every call pass.
    pub(crate) fn open(&self) {
        let mut count = self.state.count.lock().unwrap();
        (count.is_open, count.is_shut) = (true, false);
        drop(count);
        self.state.changed.notify_all();
    }

    /// Ends all connections, including those of waiting calls, and rejects new ones until the gate
    /// is opened.
    pub(crate) fn shut(&self) {
        let mut count = self.state.count.lock().unwrap();
        (count.is_shut, count.turned_away) = (true, 0);
        for connection in count.connections.drain(..) {
            // It may have ended by itself.
            let _ = connection.shutdown(Shutdown::Both);
        }
        drop(count);
        self.state.changed.notify_all();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl State {
    /// Returns a connection to the proxy for a connection to the gate, or `None` if the gate is
    /// shut or the proxy is unreachable.
    fn admit(&self, client: &TcpStream, upstream: &str) -> Option<TcpStream> {
        let mut count = self.count.lock().unwrap();
        let server = match count.is_shut {
            true => None,
            false => TcpStream::connect(upstream).ok(),
        };
        match &server {
            None => count.turned_away += 1,
            Some(server) => {
                let ends = [client, server].map(|stream| stream.try_clone().unwrap());
                count.connections.extend(ends);
            }
        }
        self.changed.notify_all();
        server
    }

    /// Checks if a frame is one of the call. The name of a call is at the start of its frame, and
    /// of the frame of its reply, which are written in one piece.
    fn concerns(&self, bytes: &[u8]) -> bool {
        let name = self.call.as_bytes();
        let start = &bytes[..bytes.len().min(64)];
        start.windows(name.len()).any(|window| window == name)
    }

    /// Counts a reply, and returns `true`, because every reply is to be passed on.
    fn answer(&self, bytes: &[u8]) -> bool {
        if self.concerns(bytes) {
            self.count.lock().unwrap().answered += 1;
            self.changed.notify_all();
        }
        true
    }

    /// Waits as long as a request must wait. Returns `true` if the request is to be passed on.
    fn pass(&self, bytes: &[u8]) -> bool {
        if !self.concerns(bytes) {
            return true;
        }
        let mut count = self.count.lock().unwrap();
        count.came += 1;
        let must_wait = count.came > self.passing;
        self.changed.notify_all();
        if must_wait {
            count =
                self.changed.wait_while(count, |count| !count.is_open && !count.is_shut).unwrap();
        }
        !count.is_shut
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, pass: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !pass(&buffer[..read]) || to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
