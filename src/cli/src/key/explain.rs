//! `fluo key explain`.

use std::ffi::OsString;

use anyhow::{Context, Result};
use clap::Args;
use fluo_keys::{KeyDesign, KeyField, KeyMigration, RowHasher};
use fluo_table::{Bytes, Escaped, Grouped};
use serde_json::{Value, json};

use super::epochs::epoch_of;
use super::shape::points_of;
use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::masking;
use crate::output;
use crate::text::columns;

/// Explain each part of a key, and name the tablet it falls in.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key explain --prefix p --tablets 20 p:1yl0:org.wikipedia/accumulo
  $ fluo key explain --design modulo --tablets 10 '02|polygenelubricants'

If a spec has earlier designs, keys of all of them are explained. A key belongs to the newest design that can have
made it, as for readers of the table.")]
pub(crate) struct Explain {
    #[command(flatten)]
    design: DesignArguments,
    /// Number of tablets that the keys are spread over, 1 to 2,097,152
    #[arg(long, allow_negative_numbers = true)]
    tablets: Option<u32>,
    /// Encoding of the keys
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Print JSON; bytes that are not printable ASCII are written \xNN
    #[arg(long)]
    json: bool,
    /// The keys
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<OsString>,
}

/// A key and its parts, as JSON and as rows of text.
struct Explained {
    json: Value,
    rows: Vec<[String; 2]>,
}

impl Explain {
    /// Explains every key and prints the explanations; prints nothing if one of them is not a key.
    pub(super) fn run(&self) -> Result<()> {
        let chosen = self.design.choose()?;
        let (design, epochs) = (&chosen.design, chosen.migration.as_ref());
        let splits = points_of(design, self.tablets, chosen.layout.as_ref())?;
        let splits = splits.as_deref();
        let explained = self.keys.iter().map(|key| {
            let written = key.as_encoded_bytes();
            let bytes = self.encoding.decode(written);
            let key = bytes.with_context(|| format!("key `{}`", masking::masked(written)))?;
            Explained::new(design, epochs, splits, &key)
        });
        let explained = explained.collect::<Result<Vec<_>>>()?;
        if self.json {
            let all: Vec<_> = explained.into_iter().map(|one| one.json).collect();
            output::print_json(&all)?;
        } else {
            for one in explained {
                let mut table = columns([]);
                table.add_rows(one.rows);
                output::print(&table.trim_fmt())?;
            }
        }
        match (epochs, design.row_hasher(), splits) {
            (None, Some(hasher), Some(splits)) => tell_formula(hasher, splits),
            _ => Ok(()),
        }
    }
}

impl Explained {
    /// Explains a key of a design, or of one of several. The split points are those of the newest
    /// design, as a table has one set of them.
    fn new(
        design: &KeyDesign,
        epochs: Option<&KeyMigration>,
        splits: Option<&[Bytes]>,
        key: &[u8],
    ) -> Result<Self> {
        let epoch = epochs.map(|epochs| epoch_of(epochs, key)).transpose()?;
        let design = epoch.as_ref().map_or(design, |epoch| epoch.design);
        let hasher = design.row_hasher().filter(|_| epoch.is_none());
        let row = shown(&design.decode_key(key)?);
        let mut explained =
            Self { json: json!({ "key": shown(key) }), rows: vec![["key".to_owned(), shown(key)]] };
        match hasher {
            Some(hasher) => explained.add_hash(hasher, key)?,
            None => explained.add_fields(design, key)?,
        }
        output::add(&mut explained.json, "row", row.clone());
        if !explained.rows.iter().any(|[name, _]| name == "row") {
            explained.rows.push(["row".to_owned(), row]);
        }
        if let Some(epoch) = epoch {
            explained.add("epoch", epoch.json, epoch.text);
        }
        if let Some(splits) = splits {
            // No key of a hasher is after the last split point.
            let tablets = splits.len() + usize::from(hasher.is_none());
            let (json, text) = tablet_of(splits, tablets, key);
            explained.add("tablet", json, text);
        }
        Ok(explained)
    }

    fn add(&mut self, name: &str, json: impl Into<Value>, text: String) {
        output::add(&mut self.json, name, json);
        self.rows.push([name.to_owned(), text]);
    }

    fn add_hash(&mut self, hasher: &RowHasher, key: &[u8]) -> Result<()> {
        let row = hasher.remove(key)?;
        let (prefix, hash) = (shown(hasher.prefix().as_bytes()), shown(&hasher.hash(row)));
        let number = hasher.hash_number(row);
        let (scheme, space) = (hasher.scheme().to_string(), hasher.scheme().space());
        let [counted, of] = [number, space].map(|number| Grouped(number.into()));
        let text = format!("{hash}  ({scheme}: number {counted} of {of})");
        self.add("prefix", prefix.clone(), prefix);
        self.add("hash", hash, text);
        output::add(&mut self.json, "hash_number", number);
        output::add(&mut self.json, "hash_space", space);
        output::add(&mut self.json, "scheme", scheme);
        Ok(())
    }

    fn add_fields(&mut self, design: &KeyDesign, key: &[u8]) -> Result<()> {
        let mut fields = Vec::new();
        for KeyField { name, stored, meaning, .. } in design.explain(key)? {
            let stored = shown(&stored);
            fields.push(json!({ "name": name, "stored": stored, "meaning": meaning }));
            self.rows.push([name, format!("{stored}  ({meaning})")]);
        }
        output::add(&mut self.json, "design", design.name());
        output::add(&mut self.json, "fields", fields);
        Ok(())
    }
}

fn shown(bytes: &[u8]) -> String {
    Escaped(bytes).to_string()
}

fn tell_formula(hasher: &RowHasher, splits: &[Bytes]) -> Result<()> {
    let tablets = u32::try_from(splits.len())?;
    if !hasher.has_fluo_splits(tablets)? && hasher.scheme() == fluo_keys::HashScheme::default() {
        say!(
            "note: at {tablets} tablets Fluo's split formula would leave the last one too small; the even formula is used"
        );
    }
    Ok(())
}

/// Returns the tablet of a key, counted from 1, as JSON and as text. The last tablet of a table has
/// no end row.
fn tablet_of(splits: &[Bytes], tablets: usize, key: &[u8]) -> (Value, String) {
    let index = splits.partition_point(|end_row| end_row.as_ref() < key);
    let number = index + 1;
    let after = index.checked_sub(1).and_then(|before| splits.get(before));
    let [after, end] = [after, splits.get(index)].map(|row| row.map(|row| shown(row)));
    let bounds = match (&after, &end) {
        (Some(after), Some(end)) => format!("after {after}, up to {end}"),
        (None, Some(end)) => format!("the rows before, up to {end}"),
        (Some(after), None) => format!("after {after}, to the end of the table"),
        (None, None) => "the whole table".to_owned(),
    };
    let json = json!({ "number": number, "tablets": tablets, "after_row": after, "end_row": end });
    (json, format!("{number} of {tablets}: {bounds}"))
}
