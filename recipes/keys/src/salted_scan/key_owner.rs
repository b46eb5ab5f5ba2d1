//! The ownership of stored keys.

use std::sync::Arc;

use crate::error::RecipeError;
use crate::key_design::KeyDesign;

/// The owner of a stored key, from the point of view of one reader.
pub(crate) enum Owner {
    /// The reader itself; the row was appended.
    Reader,
    /// Another reader, which yields the row.
    Another,
    /// No reader, for this reason.
    Unknown(RecipeError),
}

/// A function that returns the owner of a stored key, and appends the row if the owner is the
/// reader.
pub(crate) type OwnerOf = Arc<dyn Fn(&[u8], &mut Vec<u8>) -> Owner + Send + Sync>;

/// Returns the ownership function of a design that is the only one in its range.
pub(super) fn only(design: &KeyDesign) -> OwnerOf {
    let design = design.clone();
    Arc::new(move |key, row| match design.decode_key_to(key, row) {
        Ok(()) => Owner::Reader,
        Err(reason) => Owner::Unknown(reason),
    })
}
