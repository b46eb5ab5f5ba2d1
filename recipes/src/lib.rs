//! Recipes on Fluo: so far [`RowHasher`], which spreads rows evenly over a pre-split table.

mod java_quote;
mod row_hasher;

pub use java_quote::java_quote;
pub use row_hasher::{
    EmptyPrefix, Excerpt, HashScheme, KeyError, KeyParts, RowHasher, RowHasherBuilder,
    SplitFormula, SplitsError, UnknownScheme,
};
