//! An ensemble of servers and its sessions, with the interface of `zookeeper_client`.
//!
//! The leader makes all changes, and each server applies them in their order, after some time. A
//! server may be cut off from the leader for as long as the `syncLimit` of ZooKeeper. Meanwhile it
//! answers reads as before, but changes and `sync` wait, and it does not report its sessions. Then
//! it continues, or it restarts. A session reads from its server, which sends an event before an
//! answer that has the change. After a break of its connection it has another server, which has
//! applied as much.
//!
//! Requests of a session arrive in their order, and so do answers and events, each after a delay. A
//! connection may break before or after the effect of a request. It takes all requests and answers
//! under way with it; later requests wait for the next one. A session ends at the leader once no
//! server has reported it for its timeout, or some time later. Its client notices that when it
//! connects, or after 7/5 of the timeout without a connection.

mod answer;
mod client;
mod connections;
mod ensemble;
mod message;
mod servers;
mod serving;
mod session;

use std::sync::Arc;
use std::time::Duration;

use fluo_zookeeper::tree::{self, Change};
use tokio::sync::mpsc;
use tokio::time::Instant;

pub(crate) use zookeeper_client::{
    Acls, Error, MultiWriteError, MultiWriteResult, SessionState, Stat,
};

pub(crate) use self::client::{Client, CreateMode};
use self::connections::{disconnect, sessions_of};
use self::ensemble::{ENSEMBLE, SERVERS, Server, with};
pub(crate) use self::message::OneshotWatcher;
use self::servers::{apply, follow, report};
use super::process::draw;

pub(super) fn begin() {
    drop(ENSEMBLE.take());
    for number in 0..SERVERS {
        let (committed, commits) = mpsc::unbounded_channel();
        let server = Server {
            tree: Arc::default(),
            applied: 0,
            applies: Arc::default(),
            isolated_until: Instant::now(),
            committed,
        };
        with(|ensemble| ensemble.servers.push(server));
        real_tokio::spawn(follow(number, commits));
        real_tokio::spawn(report(number));
    }
}

/// Creates a node with its parents, or replaces its data, at all servers at once.
pub(super) fn create_all(path: &str, data: &str) {
    let node = |path: &str, data: &str| Change::Create {
        path: path.to_owned(),
        data: data.into(),
        is_ephemeral: false,
        is_sequential: false,
        with_stat: true,
    };
    let parents = path.match_indices('/').map(|(end, _)| path.split_at(end).0);
    let parents = parents.filter(|parent| !parent.is_empty()).map(|parent| node(parent, ""));
    let set = Change::Set { path: path.to_owned(), data: data.into(), version: -1 };
    for change in parents.chain([node(path, data), set]) {
        let made = with(|ensemble| ensemble.change(0, &[change]));
        assert!(matches!(made, Ok(_) | Err((_, tree::NODE_EXISTS))), "{path}");
    }
    let committed = with(|ensemble| ensemble.committed());
    (0..SERVERS).for_each(|server| apply(server, committed.clone()));
}

pub(super) fn text(path: &str) -> Option<String> {
    let text = |node: &tree::Node| String::from_utf8_lossy(&node.data).into_owned();
    with(|ensemble| ensemble.tree.node(path).map(text))
}

/// Returns the names of the children of a node; none if it does not exist.
pub(super) fn children(path: &str) -> Vec<String> {
    let names = |node: &tree::Node| node.children.iter().cloned().collect();
    with(|ensemble| ensemble.tree.node(path).map(names).unwrap_or_default())
}

/// Breaks the connections of a process.
pub(super) fn disconnect_all(process: u32) {
    sessions_of(process).into_iter().for_each(disconnect);
}

/// Breaks some connections of a process that was frozen. A client that has received nothing for 2/5
/// of its timeout connects again, unless an answer is there first.
pub(super) fn resume(process: u32, frozen: Duration) {
    for session in sessions_of(process) {
        let limit = with(|ensemble| ensemble.session(session).timeout) * 2 / 5;
        if frozen >= limit && draw(fastrand::Rng::bool) {
            disconnect(session);
        }
    }
}
