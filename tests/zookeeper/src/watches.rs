//! Watches: each reports one effect to one connection.

use std::collections::{BTreeMap, BTreeSet};

use crate::request::Kind;
use crate::tree::{Effect, parent_and_name};
use crate::wire::Writer;

/// The number of a connection.
pub(crate) type ConnectionId = u64;

/// An event for a client: its type in the protocol, and the path.
#[derive(Clone, Debug)]
pub(crate) struct Event(pub(crate) i32, pub(crate) String);

pub(crate) const CREATED: i32 = 1;
pub(crate) const DELETED: i32 = 2;
pub(crate) const DATA_CHANGED: i32 = 3;
pub(crate) const CHILDREN_CHANGED: i32 = 4;

impl Event {
    pub(crate) fn frame(&self) -> Vec<u8> {
        let mut out = Writer::default();
        // The number of an event, no transaction, no error; the connected state.
        out.i32(-1).i64(-1).i32(0).i32(self.0).i32(3).bytes(self.1.as_bytes());
        out.frame()
    }
}

/// All watches.
#[derive(Debug, Default)]
pub(crate) struct Watches(BTreeMap<(Kind, String), BTreeSet<ConnectionId>>);

impl Watches {
    pub(crate) fn add(&mut self, kind: Kind, path: &str, connection: ConnectionId) {
        let watchers = self.0.entry((kind, path.to_owned())).or_default();
        watchers.insert(connection);
    }

    /// Removes the watches of some kinds of a connection on a path. Returns whether there was one.
    pub(crate) fn remove(&mut self, kinds: &[Kind], path: &str, connection: ConnectionId) -> bool {
        let mut removed = false;
        for kind in kinds {
            if let Some(watchers) = self.0.get_mut(&(*kind, path.to_owned())) {
                removed |= watchers.remove(&connection);
            }
        }
        removed
    }

    pub(crate) fn disconnect(&mut self, connection: ConnectionId) {
        for watchers in self.0.values_mut() {
            watchers.remove(&connection);
        }
    }

    /// Returns the events of an effect, and ends their watches.
    pub(crate) fn trigger(&mut self, effect: &Effect) -> Vec<(ConnectionId, Event)> {
        let mut events = BTreeMap::new();
        let mut end = |kind, event, path: &str| {
            for connection in self.0.remove(&(kind, path.to_owned())).unwrap_or_default() {
                events.insert((connection, path.to_owned()), Event(event, path.to_owned()));
            }
        };
        match effect {
            Effect::Created(path) => {
                end(Kind::Data, CREATED, path);
                end(Kind::Children, CHILDREN_CHANGED, parent_and_name(path).0);
            }
            Effect::Deleted(path) => {
                end(Kind::Data, DELETED, path);
                end(Kind::Children, DELETED, path);
                end(Kind::Children, CHILDREN_CHANGED, parent_and_name(path).0);
            }
            Effect::DataChanged(path) => end(Kind::Data, DATA_CHANGED, path),
        }
        let event = |((connection, _), event)| (connection, event);
        events.into_iter().map(event).collect()
    }
}
