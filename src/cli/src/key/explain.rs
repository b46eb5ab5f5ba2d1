//! `fluo key explain`.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, KeyField, KeyMigration, RowHasher};
use fluo_table::{Bytes, Escaped, Grouped};
use serde_json::{Map, Value, json};

use super::convert::row_of;
use crate::chosen_design::{ChosenDesign, DesignArguments};
use crate::encoding::Encoding;
use crate::exit::{Outcome, sentence};
use crate::layout::Columns;
use crate::output;

/// Explain each part of a key, and name the tablet it falls in; exits 1 if one is not a key.
#[derive(Args, Debug)]
#[command(
    after_help = "\
Example:
  $ fluo key explain --prefix p --tablets 20 p:1yl0:org.wikipedia/accumulo
  $ fluo key explain --design modulo --tablets 10 '02|polygenelubricants'

If a spec has earlier designs, keys of all of them are explained. A key belongs to the newest design that can have
made it, as for readers of the table.",
    override_usage = "fluo key explain [OPTIONS] <--prefix|--design|--spec> <KEY>..."
)]
pub(crate) struct Explain {
    #[command(flatten)]
    design: DesignArguments,
    /// Number of tablets that the keys are spread over, 1 to 2,097,152
    #[arg(long)]
    tablets: Option<u32>,
    /// Encoding of the keys
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// The keys
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<OsString>,
}

#[derive(Default)]
struct Explained {
    json: Map<String, Value>,
    rows: Vec<[String; 2]>,
}

impl Explain {
    /// Explains every key, or prints its error.
    pub(super) fn run(&self) -> Result<Outcome> {
        let chosen = self.design.choose()?;
        let splits = chosen.splits(self.tablets)?;
        let (mut documents, mut has_errors) = (Vec::new(), false);
        let keys = self.keys.iter().map(|key| self.encoding.argument("key", key));
        for key in keys.collect::<Result<Vec<_>>>()? {
            match Explained::new(&chosen, splits.as_deref(), &key) {
                Ok(one) if output::is_json() => documents.push(one.json.into()),
                Ok(one) => {
                    let mut table = Columns::unnamed();
                    one.rows.into_iter().for_each(|row| table.row(row));
                    output::print(&table.lines())?;
                }
                Err(error) => {
                    has_errors = true;
                    let error = sentence(&error);
                    match output::is_json() {
                        true => documents.push(json!({ "key": shown(&key), "error": error })),
                        false => complain!("error: {error}"),
                    }
                }
            }
        }
        if output::is_json() {
            output::print_json(&json!({ "keys": documents }))?;
        }
        Ok(Outcome::of(!has_errors))
    }
}

impl Explained {
    /// Explains a key of a design, or of one of several. The split points are those of the newest
    /// design, as a table has one set of them.
    fn new(chosen: &ChosenDesign, splits: Option<&[Bytes]>, key: &[u8]) -> Result<Self> {
        let (mut explained, mut row) = (Self::default(), Vec::new());
        explained.add("key", shown(key), shown(key));
        let epoch = match &chosen.migration {
            Some(epochs) => {
                let index = row_of(epochs, key, &mut row)?;
                epochs.designs().nth(index).map(|design| (epochs, index, design))
            }
            None => None,
        };
        let design = epoch.map_or(&chosen.design, |(.., design)| design);
        let hasher = design.row_hasher().filter(|_| epoch.is_none());
        match hasher {
            Some(hasher) => explained.add_hash(hasher, key)?,
            None => explained.add_fields(design, key)?,
        }
        let row = shown(&design.decode_key(key)?);
        if explained.rows.iter().any(|[name, _]| name == "row") {
            explained.json.insert("row".to_owned(), row.into());
        } else {
            explained.add("row", row.clone(), row);
        }
        if let Some((epochs, index, design)) = epoch {
            explained.add_epoch(epochs, index, design, key);
        }
        if let Some(splits) = splits {
            // No key of a hasher is after the last split point.
            let tablets = splits.len() + usize::from(hasher.is_none());
            explained.add_tablet(splits, tablets, key);
        }
        Ok(explained)
    }

    fn add(&mut self, name: &str, json: impl Into<Value>, text: String) {
        self.json.insert(name.to_owned(), json.into());
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
        self.json.insert("hash_number".to_owned(), number.into());
        self.json.insert("hash_space".to_owned(), space.into());
        self.json.insert("scheme".to_owned(), scheme.into());
        Ok(())
    }

    fn add_fields(&mut self, design: &KeyDesign, key: &[u8]) -> Result<()> {
        let mut fields = Vec::new();
        for KeyField { name, stored, meaning, .. } in design.explain(key)? {
            let stored = shown(&stored);
            fields.push(json!({ "name": name, "stored": stored, "meaning": meaning }));
            self.rows.push([name, format!("{stored}  ({meaning})")]);
        }
        self.json.insert("design".to_owned(), design.name().into());
        self.json.insert("fields".to_owned(), fields.into());
        Ok(())
    }

    /// Adds the epoch of a key, counted from 1, the oldest: the older ones that make the same key,
    /// and the key of the row in the newest.
    fn add_epoch(&mut self, epochs: &KeyMigration, index: usize, design: &KeyDesign, key: &[u8]) {
        let (number, count) = (index + 1, epochs.designs().len());
        let older = (1..).zip(epochs.designs().take(index));
        let also = older.filter(|(_, design)| design.decode_key(key).is_ok());
        let also: Vec<_> = also.map(|(number, _)| number).collect();
        let row = design.decode_key(key).ok();
        let newest = row.and_then(|row| epochs.key(&row).ok()).map(|key| shown(&key));
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
        self.add("epoch", json, text);
    }

    /// Adds the tablet of a key, counted from 1. The last tablet of a table has no end row.
    fn add_tablet(&mut self, splits: &[Bytes], tablets: usize, key: &[u8]) {
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
        let text = format!("{} of {}: {bounds}", Grouped::new(number), Grouped::new(tablets));
        let tablet =
            json!({ "number": number, "tablets": tablets, "after_row": after, "end_row": end });
        self.add("tablet", tablet, text);
    }
}

fn shown(bytes: &[u8]) -> String {
    Escaped(bytes).to_string()
}
