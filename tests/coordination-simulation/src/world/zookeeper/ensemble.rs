//! The tree of the leader with its log, the servers, and their sessions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_zookeeper::tree::{Change, Changed, Code, Effect, Tree};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::message::{Delivery, Watch};
use super::session::ServedSession;

/// Number of servers.
pub(super) const SERVERS: usize = 3;

/// The leader, the servers, and their sessions.
#[derive(Default)]
pub(super) struct Ensemble {
    pub(super) tree: Tree,
    /// The effects of all changes.
    pub(super) log: Vec<Vec<Effect>>,
    pub(super) servers: Vec<Server>,
    pub(super) sessions: BTreeMap<i64, ServedSession>,
}

/// A server that clients are connected to.
pub(super) struct Server {
    pub(super) tree: Arc<Tree>,
    /// The number of changes that it has applied.
    pub(super) applied: usize,
    /// Notified after each change, in the order of the waiting tasks.
    pub(super) applies: Arc<Notify>,
    pub(super) isolated_until: Instant,
    pub(super) committed: mpsc::UnboundedSender<Committed>,
}

/// The state of the leader after a number of changes, and its time.
#[derive(Clone)]
pub(super) struct Committed {
    pub(super) number: usize,
    pub(super) tree: Arc<Tree>,
    pub(super) at: Instant,
}

thread_local! {
    pub(super) static ENSEMBLE: RefCell<Ensemble> = RefCell::default();
}

pub(super) fn with<T>(work: impl FnOnce(&mut Ensemble) -> T) -> T {
    ENSEMBLE.with_borrow_mut(work)
}

impl Ensemble {
    /// Makes changes at the leader.
    pub(super) fn change(
        &mut self,
        session: i64,
        changes: &[Change],
    ) -> Result<Vec<Changed>, (usize, Code)> {
        let (results, effects) = self.tree.change(session, changes)?;
        self.commit(effects);
        Ok(results)
    }

    pub(super) fn commit(&mut self, effects: Vec<Effect>) {
        self.log.push(effects);
        let committed = self.committed();
        for server in &self.servers {
            let _ = server.committed.send(committed.clone());
        }
    }

    pub(super) fn committed(&self) -> Committed {
        Committed { number: self.log.len(), tree: Arc::new(self.tree.clone()), at: Instant::now() }
    }

    pub(super) fn session(&mut self, session: i64) -> &mut ServedSession {
        self.sessions.get_mut(&session).unwrap()
    }

    pub(super) fn server_of(&self, session: i64) -> &Server {
        &self.servers[self.sessions[&session].server]
    }

    /// Ends a session at the leader.
    pub(super) fn end(&mut self, session: i64) {
        if self.session(session).ended.is_none() {
            let effects = self.tree.end_session(session);
            self.commit(effects);
            self.session(session).ended = Some(self.log.len());
        }
    }

    /// Checks whether the server of a session has applied its end.
    pub(super) fn has_ended(&self, session: i64) -> bool {
        let applied = self.server_of(session).applied;
        self.sessions[&session].ended.is_some_and(|ended| ended <= applied)
    }

    /// Sends some effects to a session that watches.
    pub(super) fn announce(&mut self, session: i64, from: usize, to: usize) {
        let effects = &self.log[from..to];
        let session = self.sessions.get_mut(&session).unwrap();
        let is_met = |watch: &mut Watch| {
            let mut effects = effects.iter().flatten();
            effects.any(|effect| effect.is_seen_at(&watch.path, watch.is_of_children))
        };
        for watch in session.watches.extract_if(.., is_met) {
            let _ = session.deliveries.send(Delivery::Event(watch.event));
        }
    }
}
