//! What a key means, piece by piece.

use fluo_core::Bytes;

/// One piece of a stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// What the piece is, such as `salt` or `row`.
    pub name: String,
    /// Its bytes as they are stored.
    pub stored: Bytes,
    /// What they mean.
    pub meaning: String,
}

impl KeyField {
    pub(super) fn new(
        name: impl Into<String>,
        stored: impl Into<Bytes>,
        meaning: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            stored: stored.into(),
            meaning: meaning.into(),
        }
    }
}
