//! Locks that end when they are dropped.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lock that this caller holds until this is dropped or the process ends. If locks are kept in
/// another process, it also ends with the session in which it was taken, without notice.
pub trait HeldLock: Debug + Send + Sync {}

/// The held locks of one process, by key. A clone shares them.
#[derive(Debug)]
pub(super) struct HeldKeys<K> {
    held: Arc<Mutex<BTreeSet<K>>>,
}

/// The keys that one caller holds.
#[derive(Debug)]
struct OwnKeys<K: Ord> {
    all: HeldKeys<K>,
    own: Vec<K>,
}

impl<K> Clone for HeldKeys<K> {
    fn clone(&self) -> Self {
        Self { held: self.held.clone() }
    }
}

impl<K> Default for HeldKeys<K> {
    fn default() -> Self {
        Self { held: Arc::default() }
    }
}

impl<K: Clone + Debug + Ord + Send + Sync + 'static> HeldKeys<K> {
    /// Takes all keys, or none.
    ///
    /// # Errors
    ///
    /// The first key that is held.
    pub(super) fn take(&self, own: impl Into<Vec<K>>) -> Result<Box<dyn HeldLock>, K> {
        let own = own.into();
        let mut held = self.locked();
        if let Some(other) = own.iter().find(|key| held.contains(key)) {
            return Err(other.clone());
        }
        held.extend(own.iter().cloned());
        Ok(Box::new(OwnKeys { all: self.clone(), own }))
    }
}

impl<K: Ord> HeldKeys<K> {
    /// Checks whether a key with a property is held.
    pub(super) fn any(&self, has: impl FnMut(&K) -> bool) -> bool {
        self.locked().iter().any(has)
    }

    /// Releases a key for its holder.
    pub(super) fn release(&self, key: &K) {
        self.locked().remove(key);
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Debug + Ord + Send + Sync> HeldLock for OwnKeys<K> {}

impl<K: Ord> Drop for OwnKeys<K> {
    fn drop(&mut self) {
        for key in &self.own {
            self.all.release(key);
        }
    }
}
