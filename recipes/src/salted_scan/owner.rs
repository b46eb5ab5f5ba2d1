//! Whose key a stored key is.

use std::sync::Arc;

use crate::key_design::{DesignError, KeyDesign};

/// Whose key a stored key is, as one reader of it sees that.
pub(crate) enum Owner {
    /// The reader's: its row was appended.
    Reader,
    /// Another reader's, who sees to it.
    Another,
    /// Nobody's, for this reason.
    Nobody(DesignError),
}

/// Says whose a stored key is; appends the row of one that is the reader's.
pub(crate) type OwnerOf = Arc<dyn Fn(&[u8], &mut Vec<u8>) -> Owner + Send + Sync>;

/// The keys of one design that is alone where it reads.
pub(super) fn only(design: &KeyDesign) -> OwnerOf {
    let design = design.clone();
    Arc::new(move |key, row| match design.remove_to(key, row) {
        Ok(()) => Owner::Reader,
        Err(reason) => Owner::Nobody(reason),
    })
}
