//! Tests of the row hasher, one file for each scenario.

mod configuration;
mod fluo_vectors;
mod properties;
mod refused_keys;
mod splits_even;
mod splits_fluo;
mod tablet_weights;
mod unusual_rows;

use super::{HashScheme, RowHasher};

fn murmur3(prefix: &str) -> RowHasher {
    RowHasher::new(prefix).expect("the prefix is not empty")
}

fn sha1(prefix: &str) -> RowHasher {
    RowHasher::with_scheme(prefix, HashScheme::Sha1Base32).expect("the prefix is not empty")
}

/// Returns a hasher of each scheme.
fn both(prefix: &str) -> [RowHasher; 2] {
    [murmur3(prefix), sha1(prefix)]
}
