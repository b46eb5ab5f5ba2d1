//! The diagnosis of a rejected key.
//!
//! Decoding a key takes the shortest way to its row. Only if that fails do the checks run one after
//! the other, to find the first that explains the failure.

use fluo_table::Excerpt;

use super::hasher::RowHasher;
use super::scheme::HashScheme;
use crate::error::RecipeError;

impl RowHasher {
    #[cold]
    pub(super) fn refusal(&self, key: &[u8]) -> RecipeError {
        let flaw = self.flaw(key);
        RecipeError::key(format!("key {} {flaw}", Excerpt::new(key)))
    }

    /// Returns the first flaw of a key, as the rest of a sentence.
    fn flaw(&self, key: &[u8]) -> String {
        let (ours, head) = (self.scheme(), Excerpt::new(self.head()));
        if !key.starts_with(self.head()) {
            return format!("does not begin with {head}, as the keys of this hasher do");
        }
        let Some((found, row)) = self.cut(key) else {
            return format!("does not have 4 characters of hash and `:` after {head}");
        };
        let shown = Excerpt::new(found);
        let mut others = HashScheme::ALL.iter().filter(|scheme| **scheme != ours);
        if let Some(theirs) = others.find(|scheme| scheme.hash(row) == *found) {
            return format!("has hash {shown} of scheme {theirs}, but this hasher is {ours}");
        }
        let right = Excerpt::new(&self.hash(row));
        let row = Excerpt::new(row);
        format!("has hash {shown}, but scheme {ours} gives {right} for its row {row}")
    }
}
