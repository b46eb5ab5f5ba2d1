//! The state of a command, reported when it is interrupted.

use std::sync::{Arc, Mutex, PoisonError};

/// A sentence about the state of a command, which is printed if the command is interrupted.
/// Commands that change nothing set none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<Mutex<Option<String>>>);

impl Standing {
    pub(crate) fn set(&self, sentence: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sentence);
    }

    pub(crate) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
