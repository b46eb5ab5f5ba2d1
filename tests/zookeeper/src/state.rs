//! The state of the server, and the answers to requests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use crate::request::{CREATE_WITH_STAT, Kind, Operation, Request};
use crate::sessions::Sessions;
use crate::tree::{Change, Changed, Code, Effect, NO_NODE, Tree};
use crate::watches::{
    CHILDREN_CHANGED, CREATED, ConnectionId, DATA_CHANGED, DELETED, Event, Watches,
};
use crate::wire::Writer;

/// The code of a watch that does not exist.
const NO_WATCHER: Code = -121;
/// The code of an operation that this server lacks.
const UNIMPLEMENTED: Code = -6;
/// The code of a request whose session has ended.
const SESSION_EXPIRED: Code = -112;

/// A request whose answer is lost.
#[derive(Debug)]
pub(crate) struct Loss {
    pub(crate) operation: Operation,
    pub(crate) text: String,
}

/// The parent of the nodes of transactors.
const TRANSACTORS: &str = "/transactor/nodes/";

/// The state of a link.
#[derive(Debug, Default)]
pub(crate) struct LinkState {
    /// `true` if requests that arrive have no effect.
    pub(crate) is_cut: bool,
    pub(crate) counts: BTreeMap<Operation, u64>,
    /// The requests of these that keep a lease.
    pub(crate) keeping_leases: u64,
    pub(crate) loss: Option<Loss>,
}

/// The state of the server.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) tree: Tree,
    pub(crate) sessions: Sessions,
    watches: Watches,
    pub(crate) links: Vec<LinkState>,
    connections: BTreeMap<ConnectionId, UnboundedSender<Vec<u8>>>,
    last_connection: ConnectionId,
}

/// The state that all connections share.
pub(crate) type Shared = Arc<Mutex<State>>;

/// Locks the state, even if a test has panicked meanwhile.
pub(crate) fn locked(state: &Shared) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Served {
    Answered,
    /// The connection must be closed.
    Closed,
    /// The answer is lost, and the link must be cut.
    Lost,
}

impl State {
    pub(crate) fn new() -> Self {
        Self {
            tree: Tree::default(),
            sessions: Sessions::default(),
            watches: Watches::default(),
            links: Vec::new(),
            connections: BTreeMap::new(),
            last_connection: 0,
        }
    }

    pub(crate) fn connect(&mut self, frames: UnboundedSender<Vec<u8>>) -> ConnectionId {
        self.last_connection += 1;
        self.connections.insert(self.last_connection, frames);
        self.last_connection
    }

    pub(crate) fn disconnect(&mut self, connection: ConnectionId) {
        self.connections.remove(&connection);
        self.watches.disconnect(connection);
    }

    /// Begins or continues a session, and answers. Returns its number, or `None` if it has ended.
    pub(crate) fn open(
        &mut self,
        connection: ConnectionId,
        link: usize,
        number: i64,
        timeout: Duration,
    ) -> Option<i64> {
        let number = match number {
            0 => self.sessions.begin(timeout, link, connection),
            number => number,
        };
        let session = self.sessions.get_mut(number);
        let is_alive = session.is_some();
        let mut out = Writer::default();
        let mut before = connection;
        match session {
            Some(session) => {
                before = std::mem::replace(&mut session.connection, connection);
                (session.link, session.heard) = (link, Instant::now());
                let millis = i32::try_from(session.timeout.as_millis()).unwrap();
                out.i32(0).i32(millis).i64(number);
            }
            None => {
                out.i32(0).i32(0).i64(0);
            }
        }
        out.bytes(&[1; 16]).bool(false);
        self.send(connection, out.frame());
        if before != connection {
            // The session has moved; dropping the sender closes the earlier connection.
            self.disconnect(before);
        }
        is_alive.then_some(number)
    }

    /// Ends a session, and closes its connection.
    pub(crate) fn end_session(&mut self, number: i64) {
        let Some(session) = self.sessions.end(number) else { return };
        let effects = self.tree.end_session(number);
        self.report(&effects);
        self.disconnect(session.connection);
    }

    /// Serves a request of a session.
    pub(crate) fn serve(
        &mut self,
        (connection, link, session): (ConnectionId, usize, i64),
        id: i32,
        request: &Request,
    ) -> Served {
        let Some(known) = self.sessions.get_mut(session) else {
            self.answer(connection, (id, self.tree.last), Err(SESSION_EXPIRED));
            return Served::Closed;
        };
        if known.connection != connection {
            return Served::Closed;
        }
        let state = &mut self.links[link];
        if state.is_cut {
            return Served::Closed;
        }
        known.heard = Instant::now();
        let operation = request.operation();
        *state.counts.entry(operation).or_default() += 1;
        let asks = matches!(operation, Operation::Sync | Operation::Exists);
        state.keeping_leases += u64::from(asks && request.concerns(TRANSACTORS));
        let is_lost = |loss: &mut Loss| loss.operation == operation && request.concerns(&loss.text);
        let is_lost = state.loss.take_if(is_lost).is_some();
        state.is_cut = is_lost;
        let answer = self.handle(connection, session, request);
        if is_lost {
            return Served::Lost;
        }
        // A client sets its watches again from the last transaction that an answer names. The
        // answer to its authentication is sent before, so it names none.
        let last = match request {
            Request::Authenticate => 0,
            _ => self.tree.last,
        };
        self.answer(connection, (id, last), answer);
        match request {
            Request::Close => {
                self.end_session(session);
                Served::Closed
            }
            _ => Served::Answered,
        }
    }

    fn handle(
        &mut self,
        connection: ConnectionId,
        session: i64,
        request: &Request,
    ) -> Result<Writer, Code> {
        let mut out = Writer::default();
        match request {
            Request::Change(change) => {
                let changed = self.change(session, std::slice::from_ref(change));
                let changed = changed.map_err(|(_, code)| code)?;
                changed.iter().for_each(|changed| write(changed, &mut out));
            }
            Request::Multi(changes) => {
                write_multi(&self.change(session, changes), &mut out);
            }
            Request::Exists { path, watches } => {
                if *watches {
                    self.watches.add(Kind::Data, path, connection);
                }
                self.tree.node(path).ok_or(NO_NODE)?.stat().write(&mut out);
            }
            Request::GetData { path, watches } => {
                let node = self.tree.node(path).ok_or(NO_NODE)?;
                out.bytes(&node.data);
                node.stat().write(&mut out);
                if *watches {
                    self.watches.add(Kind::Data, path, connection);
                }
            }
            Request::GetChildren { path, watches, with_stat } => {
                let node = self.tree.node(path).ok_or(NO_NODE)?;
                let names: Vec<_> = node.children.iter().map(String::as_str).collect();
                out.texts(names.into_iter());
                if *with_stat {
                    node.stat().write(&mut out);
                }
                if *watches {
                    self.watches.add(Kind::Children, path, connection);
                }
            }
            Request::Sync { path } => {
                out.bytes(path.as_bytes());
            }
            Request::SetWatches { since, data, absent, children } => {
                self.set_watches(connection, *since, [data, absent, children]);
            }
            Request::RemoveWatches { path, kinds } => {
                if !self.watches.remove(kinds, path, connection) {
                    return Err(NO_WATCHER);
                }
            }
            Request::Ping | Request::Authenticate | Request::Close => {}
            Request::Unknown => return Err(UNIMPLEMENTED),
        }
        Ok(out)
    }

    fn change(&mut self, session: i64, changes: &[Change]) -> Result<Vec<Changed>, (usize, Code)> {
        let (results, effects) = self.tree.change(session, changes)?;
        self.report(&effects);
        Ok(results)
    }

    /// Sets the watches of a client that has connected again. Those whose nodes have changed since
    /// are reported at once.
    fn set_watches(&mut self, connection: ConnectionId, since: i64, paths: [&[String]; 3]) {
        let kinds = [Kind::Data, Kind::Data, Kind::Children];
        for ((index, kind), paths) in kinds.into_iter().enumerate().zip(paths) {
            for path in paths {
                let event = match (self.tree.node(path), index) {
                    (None, 1) => None,
                    (None, _) => Some(DELETED),
                    (Some(_), 1) => Some(CREATED),
                    (Some(node), 0) => (node.modified > since).then_some(DATA_CHANGED),
                    (Some(node), _) => (node.children_modified > since).then_some(CHILDREN_CHANGED),
                };
                match event {
                    Some(event) => self.send(connection, Event(event, path.clone()).frame()),
                    None => self.watches.add(kind, path, connection),
                }
            }
        }
    }

    fn report(&mut self, effects: &[Effect]) {
        for effect in effects {
            for (connection, event) in self.watches.trigger(effect) {
                self.send(connection, event.frame());
            }
        }
    }

    fn answer(
        &self,
        connection: ConnectionId,
        (id, last): (i32, i64),
        answer: Result<Writer, Code>,
    ) {
        let mut out = Writer::default();
        out.i32(id).i64(last);
        match answer {
            Ok(body) => out.i32(0).0.extend(body.0),
            Err(code) => {
                out.i32(code);
            }
        }
        self.send(connection, out.frame());
    }

    fn send(&self, connection: ConnectionId, frame: Vec<u8>) {
        if let Some(frames) = self.connections.get(&connection) {
            // The receiver ends with its connection.
            let _ = frames.send(frame);
        }
    }
}

fn write(changed: &Changed, out: &mut Writer) {
    match changed {
        Changed::Created { path, stat, with_stat } => {
            out.bytes(path.as_bytes());
            if *with_stat {
                stat.write(out);
            }
        }
        Changed::Set(stat) => stat.write(out),
        Changed::Deleted | Changed::Checked => {}
    }
}

fn write_multi(changed: &Result<Vec<Changed>, (usize, Code)>, out: &mut Writer) {
    match changed {
        Ok(changed) => {
            for changed in changed {
                let code = match changed {
                    Changed::Created { with_stat: true, .. } => CREATE_WITH_STAT,
                    Changed::Created { .. } => 1,
                    Changed::Deleted => 2,
                    Changed::Set(_) => 5,
                    Changed::Checked => 13,
                };
                out.i32(code).bool(false).i32(0);
                write(changed, out);
            }
        }
        Err((index, code)) => {
            let codes = std::iter::repeat_n(0, *index).chain([*code]);
            for code in codes {
                out.i32(-1).bool(false).i32(code).i32(code);
            }
        }
    }
    out.i32(-1).bool(true).i32(-1);
}
