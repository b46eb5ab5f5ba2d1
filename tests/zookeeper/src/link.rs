//! An address of the server, for one process of a test.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use crate::connection::serve;
use crate::request::Operation;
use crate::state::{LinkState, Loss, Shared, locked};

/// The way from one client, or from several, to the server. It ends when it is dropped; sessions of
/// its clients end after their timeouts.
#[derive(Debug)]
pub struct Link {
    state: Shared,
    number: usize,
    address: SocketAddr,
    is_open: watch::Sender<bool>,
    is_held: watch::Sender<bool>,
    task: AbortHandle,
}

impl Link {
    pub(crate) fn new(state: Shared, runtime: &Handle) -> Self {
        let _entered = runtime.enter();
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0)));
        let address = listener.local_addr().unwrap();
        let number = {
            let mut state = locked(&state);
            state.links.push(LinkState::default());
            state.links.len() - 1
        };
        let (is_open, is_held) = (watch::Sender::new(true), watch::Sender::new(false));
        let link = Accepting {
            state: state.clone(),
            number,
            is_open: is_open.clone(),
            is_held: is_held.clone(),
        };
        let task = runtime.spawn(link.run(listener, address)).abort_handle();
        Self { state, number, address, is_open, is_held, task }
    }

    /// Returns the address, as `host:port`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Closes all connections, and refuses new ones. No later request takes effect.
    pub fn cut(&self) {
        locked(&self.state).links[self.number].is_cut = true;
        self.is_open.send_replace(false);
    }

    /// Accepts connections again.
    pub fn resume(&self) {
        locked(&self.state).links[self.number].is_cut = false;
        self.is_open.send_replace(true);
    }

    /// Holds back all answers and events, until [`release`](Self::release). Requests take effect.
    pub fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Sends the answers and events that were held back.
    pub fn release(&self) {
        self.is_held.send_replace(false);
    }

    /// Loses the answer to the next request for an operation on a path that contains a text: the
    /// request takes effect, and then the link is [cut](Self::cut).
    pub fn lose_answer(&self, operation: Operation, text: impl Into<String>) {
        let loss = Loss { operation, text: text.into() };
        locked(&self.state).links[self.number].loss = Some(loss);
    }

    /// Waits until the link is cut.
    pub async fn wait_for_cut(&self) {
        // The sender is here.
        let _ = self.is_open.subscribe().wait_for(|is_open| !is_open).await;
    }

    /// Waits until the link is cut, and accepts connections again.
    pub async fn resume_after_cut(&self) {
        self.wait_for_cut().await;
        self.resume();
    }

    /// Ends the sessions whose last connections came over this link, as if their timeouts had
    /// passed.
    pub fn expire_sessions(&self) {
        let mut state = locked(&self.state);
        for session in state.sessions.which(|session| session.link == self.number) {
            state.end_session(session);
        }
    }

    /// Returns the number of requests for an operation since the link exists.
    pub fn count(&self, operation: Operation) -> u64 {
        let state = locked(&self.state);
        let counts = &state.links[self.number].counts;
        counts.get(&operation).copied().unwrap_or_default()
    }

    /// Returns the number of requests except pings and the like since the link exists.
    pub fn count_all(&self) -> u64 {
        let state = locked(&self.state);
        let counts = state.links[self.number].counts.iter();
        let counts = counts.filter(|(operation, _)| **operation != Operation::Other);
        counts.map(|(_, count)| count).sum()
    }

    /// Returns [`count_all`](Self::count_all) without the requests for the nodes of transactors
    /// that keep their leases, or ask whether they are alive: `sync` and `exists`.
    pub fn count_without_leases(&self) -> u64 {
        self.count_all() - locked(&self.state).links[self.number].keeping_leases
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The task that accepts the connections of a link.
struct Accepting {
    state: Shared,
    number: usize,
    is_open: watch::Sender<bool>,
    is_held: watch::Sender<bool>,
}

impl Accepting {
    async fn run(self, mut listener: TcpListener, address: SocketAddr) {
        let mut is_open = self.is_open.subscribe();
        loop {
            tokio::select! {
                () = self.accept(&listener) => {}
                _ = is_open.wait_for(|is_open| !is_open) => {}
            }
            drop(listener);
            // The sender is here.
            let _ = is_open.wait_for(|is_open| *is_open).await;
            listener = listen(address);
        }
    }

    async fn accept(&self, listener: &TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            let _ = stream.set_nodelay(true);
            let (state, number) = (self.state.clone(), self.number);
            let (is_open, is_held) = (self.is_open.clone(), self.is_held.subscribe());
            connections.spawn(async move {
                if serve(stream, &state, number, is_held).await {
                    is_open.send_replace(false);
                }
            });
        }
    }
}

/// Listens at an address, which may have had connections before.
fn listen(address: SocketAddr) -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket.listen(64).unwrap()
}
