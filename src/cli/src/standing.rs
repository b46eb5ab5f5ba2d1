//! How far a command has come, for whoever interrupts it.

use std::sync::{Arc, Mutex, PoisonError};

/// A sentence that a command keeps up to date while it works, and that is told if it is interrupted. Nothing is told
/// of a command that changes nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<Mutex<Option<String>>>);

impl Standing {
    /// From now on it stands like this.
    pub(crate) fn set(&self, sentence: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sentence);
    }

    /// How it stands.
    pub(crate) fn get(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
