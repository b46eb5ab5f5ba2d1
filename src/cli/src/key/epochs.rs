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
        let (number, epochs, design) = (self.number, self.epochs, &self.design);
        let is_newest = number == epochs;
        let which = if is_newest {
            "the newest"
        } else {
            "an earlier one"
        };
        let means = match &self.newest_key {
            _ if is_newest => String::new(),
            Some(key) => format!(
                "; readers still look here, new writes go to {key}, and a migration moves the row there"
            ),
            None => "; readers still look here, and the row stays, as the newest has no key for it"
                .to_owned(),
        };
        let also = match self.also.as_slice() {
            [] => String::new(),
            [one] => format!("; epoch {one} makes the same key, which counts as the newer's"),
            several => {
                let several: Vec<_> = several.iter().map(ToString::to_string).collect();
                let several = several.join(", ");
                format!("; epochs {several} make the same key, which counts as the newer's")
            }
        };
        format!("{number} of {epochs}, {which}: {design}{means}{also}")
    }
}

/// Prints the number of keys of earlier designs, if there are any. `counts` has a count for each
/// design, oldest first.
pub(super) fn tell_earlier(epochs: &KeyMigration, counts: &[u64]) {
    let all: u64 = counts.iter().sum();
    let earlier = counts.iter().zip(epochs.designs()).enumerate();
    let earlier = earlier.take(counts.len().saturating_sub(1));
    let earlier: Vec<_> = earlier.filter(|(_, (count, _))| **count > 0).collect();
    if earlier.is_empty() {
        return;
    }
    let sum: u64 = earlier.iter().map(|(_, (count, _))| **count).sum();
    let of_each: Vec<_> = earlier
        .iter()
        .map(|(index, (count, design))| {
            let count = Grouped(**count);
            format!(
                "{count} of epoch {} of {}, {design}",
                index + 1,
                counts.len()
            )
        })
        .collect();
    let are = if sum == 1 { "is" } else { "are" };
    let (sum, all) = (Grouped(sum), plural(all, "key"));
    output::say(&format!(
        "{sum} of {all} {are} of an earlier design of the spec, where readers still look: {}",
        of_each.join("; ")
    ));
}
