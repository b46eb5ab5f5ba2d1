//! Locks: ephemeral nodes, which end with the session of their holder.

use std::sync::Arc;

use fluo_table::Result;
use fluo_table::coordination::HeldLock;
use uuid::Uuid;

use super::TRIES;
use super::change::{Change, NodeKind, Outcome, Refusal};
use super::session::{Session, too_busy};
use super::tree::create_parents;

/// A lock on one or more nodes, until this is dropped or the session ends.
#[derive(Debug)]
pub(crate) struct Lock {
    session: Arc<Session>,
    paths: Vec<String>,
}

impl Lock {
    /// Takes a lock on all nodes, or none and returns the index of one that another caller has.
    /// Must run in a task that is not cancelled: otherwise the nodes may exist until the session
    /// ends.
    pub(crate) async fn take(
        session: &Arc<Session>,
        paths: Vec<String>,
    ) -> Result<Result<Self, usize>> {
        let token = Uuid::new_v4().to_string().into_bytes();
        let create = |path| Change::create(NodeKind::Ephemeral, path, token.clone());
        let changes: Vec<_> = paths.iter().map(create).collect();
        let own = || Lock { session: session.clone(), paths: paths.clone() };
        for _ in 0..TRIES {
            match session.change(&changes).await? {
                Outcome::Done(_) => return Ok(Ok(own())),
                Outcome::Refused(index, refusal) => {
                    let path = paths.get(index).expect("the index of a change");
                    if refusal != Refusal::Exists {
                        create_parents(session, path).await?;
                        continue;
                    }
                    // The answer to an earlier attempt may have been lost.
                    match session.node(path).await? {
                        Some(node) if node.data == token => return Ok(Ok(own())),
                        Some(_) => return Ok(Err(index)),
                        None => {}
                    }
                }
                Outcome::Unknown => {}
            }
        }
        Err(too_busy(paths.first().map_or("/", String::as_str)))
    }
}

impl HeldLock for Lock {
    fn has_ended(&self) -> bool {
        self.session.has_ended()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.session.delete_later(std::mem::take(&mut self.paths));
    }
}
