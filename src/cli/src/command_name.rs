//! The words of the running command, which the lock of a directory names.

use std::sync::OnceLock;

static WORDS: OnceLock<String> = OnceLock::new();

/// Sets the words of the command, such as `fluo table load`, once at its start.
pub(crate) fn set(words: String) {
    // A second call changes nothing.
    let _ = WORDS.set(words);
}

/// Returns the words of the command; `fluo` before they are set.
pub(crate) fn get() -> &'static str {
    WORDS.get().map_or("fluo", String::as_str)
}
