//! `fluo key explain`.

use std::ffi::OsString;
use std::fmt;

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::Table;
use fluo_keys::{KeyDesign, KeyMigration, RowHasher, SplitFormula};
use fluo_table::{Bytes, Escaped, Grouped};
use serde::Serialize;

use super::epochs::{EpochOf, design_at, row_of};
use super::shape::points_of;
use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::masking;
use crate::output;

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

/// A key and its parts.
#[derive(Serialize)]
struct Explained {
    key: String,
    #[serde(flatten)]
    parts: Parts,
    row: String,
    /// Present if the table may hold rows of several designs.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<EpochOf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tablet: Option<TabletOf>,
}

/// The parts before the row.
#[derive(Serialize)]
#[serde(untagged)]
enum Parts {
    /// The parts of a row hasher.
    Hashed {
        prefix: String,
        hash: String,
        hash_number: u32,
        hash_space: u32,
        scheme: String,
    },
    /// The parts of any other design.
    Fields {
        design: &'static str,
        fields: Vec<Piece>,
    },
}

#[derive(Serialize)]
struct Piece {
    name: String,
    stored: String,
    meaning: String,
}

/// The tablet of a key, counted from 1. The bounds are escaped. The last tablet of a table has no
/// end row.
#[derive(Serialize)]
struct TabletOf {
    number: usize,
    tablets: usize,
    after_row: Option<String>,
    end_row: Option<String>,
}

impl Explain {
    /// Explains every key and prints the explanations; prints nothing if one of them is not a key.
    pub(crate) fn run(&self) -> Result<()> {
        let chosen = self.design.choose()?;
        let (design, epochs) = (&chosen.design, chosen.migration.as_ref());
        let splits = points_of(design, self.tablets, chosen.layout.as_ref())?;
        let splits = splits.as_deref();
        let explained = self.keys.iter().map(|key| {
            let written = key.as_encoded_bytes();
            let bytes = self.encoding.decode(written);
            let key = bytes.with_context(|| format!("key `{}`", masking::masked(written)))?;
            match epochs {
                Some(epochs) => Explained::in_epochs(epochs, splits, &key),
                None => Explained::new(design, design.row_hasher(), splits, &key),
            }
        });
        let explained = explained.collect::<Result<Vec<_>>>()?;
        if self.json {
            output::print_json(&explained)?;
        } else {
            explained
                .iter()
                .try_for_each(|one| output::print(&one.drawn()))?;
        }
        match (epochs, design.row_hasher()) {
            (None, Some(hasher)) => tell_formula(hasher, splits),
            _ => Ok(()),
        }
    }
}

impl Explained {
    /// Explains a key of a design; `hasher` is its row hasher, if it is to be explained as one.
    fn new(
        design: &KeyDesign,
        hasher: Option<&RowHasher>,
        splits: Option<&[Bytes]>,
        key: &[u8],
    ) -> Result<Self> {
        let row = design.decode_key(key)?;
        let shown = |bytes: &[u8]| Escaped(bytes).to_string();
        let (parts, after_last) = match hasher {
            Some(hasher) => {
                let parts = hasher.parts(key)?;
                let parts = Parts::Hashed {
                    prefix: shown(parts.prefix.as_bytes()),
                    hash: shown(&parts.hash),
                    hash_number: parts.number,
                    hash_space: hasher.scheme().space(),
                    scheme: hasher.scheme().to_string(),
                };
                // No key is after the last split point.
                (parts, 0)
            }
            None => {
                let fields = design.explain(key)?.into_iter().map(|field| Piece {
                    name: field.name,
                    stored: shown(&field.stored),
                    meaning: field.meaning,
                });
                let (design, fields) = (design.name(), fields.collect());
                (Parts::Fields { design, fields }, 1)
            }
        };
        Ok(Self {
            key: shown(key),
            parts,
            row: shown(&row),
            epoch: None,
            tablet: splits.map(|splits| tablet_of(splits, splits.len() + after_last, key)),
        })
    }

    /// Explains a key as readers of the table see it. The split points are those of the newest
    /// design, because a table has only one set of them.
    fn in_epochs(epochs: &KeyMigration, splits: Option<&[Bytes]>, key: &[u8]) -> Result<Self> {
        let mut row = Vec::new();
        let index = row_of(epochs, key, &mut row)?;
        Ok(Self {
            epoch: Some(EpochOf::new(epochs, index, key, &row)?),
            ..Self::new(design_at(epochs, index)?, None, splits, key)?
        })
    }

    fn drawn(&self) -> String {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.add_row(["key", &self.key]);
        let mut has_row = false;
        match &self.parts {
            Parts::Hashed {
                prefix,
                hash,
                hash_number,
                hash_space,
                scheme,
            } => {
                let number = Grouped((*hash_number).into());
                let space = Grouped((*hash_space).into());
                table.add_row(["prefix", prefix]);
                let hash = format!("{hash}  ({scheme}: number {number} of {space})");
                table.add_row(["hash", &hash]);
            }
            Parts::Fields { fields, .. } => {
                for field in fields {
                    let text = format!("{}  ({})", field.stored, field.meaning);
                    table.add_row([&field.name, &text]);
                    has_row |= field.name == "row";
                }
            }
        }
        if !has_row {
            table.add_row(["row", &self.row]);
        }
        if let Some(epoch) = &self.epoch {
            table.add_row(["epoch", &epoch.told()]);
        }
        if let Some(tablet) = &self.tablet {
            table.add_row(["tablet", &tablet.to_string()]);
        }
        table.trim_fmt()
    }
}

fn tell_formula(hasher: &RowHasher, splits: Option<&[Bytes]>) -> Result<()> {
    let Some(splits) = splits else { return Ok(()) };
    let tablets = u32::try_from(splits.len())?;
    if hasher.split_formula(tablets)? == SplitFormula::Even
        && hasher.scheme() == fluo_keys::HashScheme::default()
    {
        output::say(&format!(
            "note: at {tablets} tablets Fluo's split formula would leave the last one too small; the even formula \
             is used"
        ));
    }
    Ok(())
}

fn tablet_of(splits: &[Bytes], tablets: usize, key: &[u8]) -> TabletOf {
    let index = splits.partition_point(|end_row| end_row.as_ref() < key);
    let shown = |row: &Bytes| Escaped(row).to_string();
    let before = index.checked_sub(1).and_then(|before| splits.get(before));
    TabletOf {
        number: index + 1,
        tablets,
        after_row: before.map(shown),
        end_row: splits.get(index).map(shown),
    }
}

impl fmt::Display for TabletOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}: ", self.number, self.tablets)?;
        match (&self.after_row, &self.end_row) {
            (Some(after), Some(end)) => write!(f, "after {after}, up to {end}"),
            (None, Some(end)) => write!(f, "the rows before, up to {end}"),
            (Some(after), None) => write!(f, "after {after}, to the end of the table"),
            (None, None) => f.write_str("the whole table"),
        }
    }
}
