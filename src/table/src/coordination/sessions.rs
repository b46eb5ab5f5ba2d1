//! The presence of transactors and workers in an application.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use super::held_lock::{HeldLocks, LockKey};
use crate::coordination::{HeldLock, Presence, Share, TransactorId, check_duty};
use crate::data::{Span, Timestamp};
use crate::error::{Error, Result};
use crate::layout::Partition;

/// The transactors, workers and duties of one application whose clients are all in one process.
/// Implements the rules C4 to C7, C15, C16 and C20 of [`Coordination`](super::Coordination), except
/// for locking and for the numbers that must be durable.
#[derive(Debug, Default)]
pub struct Sessions {
    /// The transactors that are alive, with the timestamp that each has published.
    transactors: BTreeMap<TransactorId, Option<Timestamp>>,
    /// The present workers, in the order in which they joined.
    workers: BTreeSet<u64>,
    last_worker: u64,
    locks: HeldLocks,
}

impl Sessions {
    /// Registers a transactor as alive.
    pub fn begin_transactor(&mut self, id: TransactorId) {
        self.transactors.insert(id, None);
    }

    /// Checks whether a transactor may begin and a worker may join (C16).
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) while a transactor uses the application
    /// alone.
    pub fn check_shared(&self, application: &str) -> Result<()> {
        if self.locks.is_exclusive() {
            return Err(Error::used_alone(application));
        }
        Ok(())
    }

    /// Begins the exclusive use by a transactor (C16).
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if it is not alive, or if another transactor
    /// or a worker is present.
    pub fn exclude_others(
        &mut self,
        application: &str,
        own: TransactorId,
    ) -> Result<Box<dyn HeldLock>> {
        self.check_shared(application)?;
        if !self.is_alive(own) {
            return Err(Error::transactor_ended(own));
        }
        if self.transactors.len() > 1 || !self.workers.is_empty() {
            return Err(Error::still_running(application));
        }
        self.locks.take([LockKey::Exclusive(own)]).map_err(|_| Error::used_alone(application))
    }

    /// Takes a duty. Returns `None` if another caller has it (C15).
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for the name.
    pub fn take_duty(&mut self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        check_duty(duty)?;
        Ok(self.locks.take([LockKey::Duty(duty.to_owned())]).ok())
    }

    /// Removes a transactor; returns whether it was alive.
    pub fn end_transactor(&mut self, id: TransactorId) -> bool {
        self.locks.release(&LockKey::Exclusive(id));
        self.transactors.remove(&id).is_some()
    }

    /// Checks whether a transactor is alive.
    pub fn is_alive(&self, id: TransactorId) -> bool {
        self.transactors.contains_key(&id)
    }

    /// Replaces the timestamp that a transactor has published.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if it is not alive.
    pub fn publish(&mut self, id: TransactorId, oldest: Option<Timestamp>) -> Result<()> {
        let published = self.transactors.get_mut(&id);
        let published = published.ok_or_else(|| Error::transactor_ended(id))?;
        *published = oldest;
        Ok(())
    }

    /// Returns the highest allowed horizon (C4), given the current one and the next timestamp.
    pub fn horizon_after(&self, horizon: Timestamp, next: Timestamp) -> Timestamp {
        let oldest = self.transactors.values().flatten().min();
        oldest.copied().unwrap_or(next).min(next).max(horizon)
    }

    /// Adds a worker; returns its number among all workers that ever joined.
    pub fn join_worker(&mut self) -> u64 {
        self.last_worker = self.last_worker.saturating_add(1);
        self.workers.insert(self.last_worker);
        self.last_worker
    }

    /// Removes a worker; returns whether it was present.
    pub fn leave_worker(&mut self, worker: u64) -> bool {
        self.workers.remove(&worker)
    }

    /// Removes all workers; returns their number.
    pub fn leave_workers(&mut self) -> usize {
        std::mem::take(&mut self.workers).len()
    }

    /// Returns the share of a worker.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::ErrorKind::Unavailable) if it is not present.
    pub fn share(&self, worker: u64) -> Result<Share> {
        let rank = self.workers.iter().position(|other| *other == worker);
        let number = |count: usize| u32::try_from(count).ok();
        let count = number(self.workers.len()).and_then(NonZeroU32::new);
        let (Some(count), Some(rank)) = (count, rank.and_then(number)) else {
            return Err(Error::worker_ended());
        };
        Ok(Share::new([Span::all()], Partition::new(count, rank)?))
    }

    /// Returns the transactors and the workers (C20). There are no oracles.
    pub fn presence(&self) -> Presence {
        let workers = self.workers.iter();
        let workers = workers.map(|worker| (worker.to_string(), self.share(*worker).ok()));
        Presence {
            oracles: Vec::new(),
            transactors: self.transactors.clone(),
            workers: workers.collect(),
        }
    }

    /// Checks whether any transactor or worker is present.
    pub fn is_running(&self) -> bool {
        !self.transactors.is_empty() || !self.workers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_sessions_that_have_ended() {
        let mut sessions = Sessions::default();
        let error = sessions.publish(TransactorId(35), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the session of transactor z has ended, so others may undo its transactions; begin a new one"
        );
        let error = sessions.share(1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the session of this worker has ended, so other workers take over its share; join again"
        );
        assert!(!sessions.leave_worker(1) && !sessions.end_transactor(TransactorId(35)));
    }
}
