//! Keys of a table whose rows may be written in several designs.

use anyhow::{Result, anyhow};
use fluo_keys::{KeyDesign, KeyMigration};
use fluo_table::{Bytes, Escaped, Grouped};
use serde::Serialize;

use crate::output;
use crate::text::plural;

/// The design of a key, as readers of the table determine it.
#[derive(Serialize)]
pub(super) struct EpochOf {
    /// Number of the design, counted from 1, the oldest.
    pub(super) number: usize,
    pub(super) epochs: usize,
    design: String,
    /// The older designs that make the same key.
    also: Vec<usize>,
    /// The key of the row in the newest design, escaped. `None` if that design has no key for the
    /// row.
    newest_key: Option<String>,
}

/// Appends the row of a key, and returns the index of its design. The oldest has index 0.
pub(super) fn row_of(epochs: &KeyMigration, key: &[u8], row: &mut Vec<u8>) -> Result<usize> {
    epochs
        .decode_key_to(key, row)
        .map_err(|error| anyhow!("{error}; nor is it one of an earlier design of the spec"))
}

/// Returns the design at an index.
pub(super) fn design_at(epochs: &KeyMigration, index: usize) -> Result<&KeyDesign> {
    let design = epochs.designs().nth(index);
    design.ok_or_else(|| anyhow!("the spec has no epoch {}", index + 1))
}

impl EpochOf {
    /// Describes a key, given its row and the index of its design.
    pub(super) fn new(epochs: &KeyMigration, index: usize, key: &[u8], row: &[u8]) -> Result<Self> {
        let older = epochs.designs().take(index).enumerate();
        let also = older.filter(|(_, design)| design.decode_key(key).is_ok());
        Ok(Self {
            number: index + 1,
            epochs: epochs.designs().len(),
            design: design_at(epochs, index)?.to_string(),
            also: also.map(|(older, _)| older + 1).collect(),
            newest_key: epochs
                .key(row)
                .ok()
                .map(|key: Bytes| Escaped(&key).to_string()),
        })
    }

    /// Describes in words the epoch of the key, and the consequences for the row.
    pub(super) fn told(&self) -> String {
        let newest = match &self.newest_key {
            _ if self.number == self.epochs => String::new(),
            Some(key) => format!("; new writes go to {key}"),
            None => "; the newest design has no key for the row".to_owned(),
        };
        let also: Vec<_> = self.also.iter().map(ToString::to_string).collect();
        let also = match also.as_slice() {
            [] => String::new(),
            also => format!("; the same key in epoch {}", also.join(", ")),
        };
        let (number, epochs, design) = (self.number, self.epochs, &self.design);
        format!("{number} of {epochs}: {design}{newest}{also}")
    }
}

/// Prints the number of keys of earlier designs, if there are any. `counts` has a count for each
/// design, oldest first.
pub(super) fn tell_earlier(epochs: &KeyMigration, counts: &[u64]) {
    let all: u64 = counts.iter().sum();
    let earlier = counts.len().saturating_sub(1);
    let earlier = counts
        .iter()
        .zip(epochs.designs())
        .enumerate()
        .take(earlier);
    for (index, (count, design)) in earlier.filter(|(_, (count, _))| **count > 0) {
        output::say(&format!(
            "{} of {}: epoch {} of {}, {design}",
            Grouped(*count),
            plural(all, "key"),
            index + 1,
            counts.len()
        ));
    }
}
