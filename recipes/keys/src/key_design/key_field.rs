//! The pieces of a stored key.

use fluo_table::Bytes;

/// One piece of a stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyField {
    /// The name of the piece, such as `salt` or `row`.
    pub name: String,
    /// The bytes of the piece as they are stored.
    pub stored: Bytes,
    /// The meaning of these bytes.
    pub meaning: String,
}

impl KeyField {
    pub(super) fn new(
        name: impl Into<String>,
        stored: impl Into<Bytes>,
        meaning: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), stored: stored.into(), meaning: meaning.into() }
    }
}
