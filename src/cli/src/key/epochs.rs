//! Keys of a table whose rows may be written in several designs.

use anyhow::{Context, Result, anyhow};
use fluo_keys::{KeyDesign, KeyMigration};
use fluo_table::{Bytes, Escaped};
use serde_json::{Value, json};

/// The design of a key, as readers of the table determine it.
pub(super) struct Epoch<'a> {
    pub(super) design: &'a KeyDesign,
    pub(super) json: Value,
    pub(super) text: String,
}

/// Appends the row of a key, and returns the index of its design. The oldest has index 0.
pub(super) fn row_of(epochs: &KeyMigration, key: &[u8], row: &mut Vec<u8>) -> Result<usize> {
    epochs
        .decode_key_to(key, row)
        .map_err(|error| anyhow!("{error}; nor is it one of an earlier design of the spec"))
}

/// Describes the epoch of a key, counted from 1, the oldest: the older ones that make the same key,
/// and the key of the row in the newest.
pub(super) fn epoch_of<'a>(epochs: &'a KeyMigration, key: &[u8]) -> Result<Epoch<'a>> {
    let mut row = Vec::new();
    let index = row_of(epochs, key, &mut row)?;
    let (number, count) = (index + 1, epochs.designs().len());
    let design = epochs.designs().nth(index);
    let design = design.with_context(|| format!("the spec has no epoch {number}"))?;
    let older = (1..).zip(epochs.designs().take(index));
    let also = older.filter(|(_, design)| design.decode_key(key).is_ok());
    let also: Vec<usize> = also.map(|(number, _)| number).collect();
    let newest = epochs.key(&row).ok().map(|key: Bytes| Escaped(&key).to_string());
    let mut text = format!("{number} of {count}: {design}");
    match &newest {
        _ if number == count => {}
        Some(key) => text += &format!("; new writes go to {key}"),
        None => text += "; the newest design has no key for the row",
    }
    if !also.is_empty() {
        let also: Vec<_> = also.iter().map(ToString::to_string).collect();
        text += &format!("; the same key in epoch {}", also.join(", "));
    }
    let json = json!({
        "number": number,
        "epochs": count,
        "design": design.to_string(),
        "also": also,
        "newest_key": newest,
    });
    Ok(Epoch { design, json, text })
}
