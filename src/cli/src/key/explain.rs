//! `fluo key explain`.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

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

/// A key of a row hasher.
#[derive(Serialize)]
struct Explanation {
    key: String,
    prefix: String,
    hash: String,
    hash_number: u32,
    hash_space: u32,
    scheme: String,
    row: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tablet: Option<TabletOf>,
}

/// A key of any other design, with its parts.
#[derive(Serialize)]
struct Pieces {
    key: String,
    design: &'static str,
    fields: Vec<Piece>,
    row: String,
    /// Present if the table may hold rows of several designs.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<EpochOf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tablet: Option<TabletOf>,
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
    pub(crate) fn run(&self) -> Result<()> {
        let chosen = self.design.choose()?;
        let (design, epochs) = (&chosen.design, &chosen.migration);
        let splits = points_of(design, self.tablets, chosen.layout.as_ref())?;
        match (epochs, design.row_hasher()) {
            (Some(epochs), _) => self.tell(
                |key| pieces_of_epochs(epochs, splits.as_deref(), key),
                drawn_pieces,
            ),
            (None, Some(hasher)) => {
                self.tell(|key| explanation_of(hasher, splits.as_deref(), key), drawn)?;
                tell_formula(hasher, splits.as_deref())
            }
            (None, None) => self.tell(
                |key| pieces_of(design, splits.as_deref(), key),
                drawn_pieces,
            ),
        }
    }

    /// Explains every key and prints the explanations; prints nothing if one of them is not a key.
    fn tell<T: Serialize>(
        &self,
        explain: impl Fn(&[u8]) -> Result<T>,
        draw: impl Fn(&T) -> String,
    ) -> Result<()> {
        let explained = self.keys.iter().map(|key| explain(&self.bytes_of(key)?));
        let explained = explained.collect::<Result<Vec<_>>>()?;
        if self.json {
            return output::print_json(&explained);
        }
        explained
            .iter()
            .try_for_each(|one| output::print(&draw(one)))
    }

    fn bytes_of<'a>(&self, key: &'a OsStr) -> Result<Cow<'a, [u8]>> {
        let written = key.as_encoded_bytes();
        let bytes = self.encoding.decode(written);
        bytes.with_context(|| format!("key `{}`", masking::masked(written)))
    }
}

fn explanation_of(hasher: &RowHasher, splits: Option<&[Bytes]>, key: &[u8]) -> Result<Explanation> {
    let parts = hasher.parts(key)?;
    Ok(Explanation {
        key: Escaped(key).to_string(),
        prefix: Escaped(parts.prefix.as_bytes()).to_string(),
        hash: Escaped(&parts.hash).to_string(),
        hash_number: parts.number,
        hash_space: hasher.scheme().space(),
        scheme: hasher.scheme().to_string(),
        row: Escaped(parts.row).to_string(),
        // No key is after the last split point.
        tablet: splits.map(|splits| tablet_of(splits, splits.len(), key)),
    })
}

fn pieces_of(design: &KeyDesign, splits: Option<&[Bytes]>, key: &[u8]) -> Result<Pieces> {
    let row = design.decode_key(key)?;
    let fields = design.explain(key)?;
    let piece = |field: fluo_keys::KeyField| Piece {
        name: field.name,
        stored: Escaped(&field.stored).to_string(),
        meaning: field.meaning,
    };
    Ok(Pieces {
        key: Escaped(key).to_string(),
        design: design.name(),
        fields: fields.into_iter().map(piece).collect(),
        row: Escaped(&row).to_string(),
        epoch: None,
        tablet: splits.map(|splits| tablet_of(splits, splits.len() + 1, key)),
    })
}

/// Explains a key as readers of the table see it. The split points are those of the newest design,
/// because a table has only one set of them.
fn pieces_of_epochs(epochs: &KeyMigration, splits: Option<&[Bytes]>, key: &[u8]) -> Result<Pieces> {
    let mut row = Vec::new();
    let index = row_of(epochs, key, &mut row)?;
    Ok(Pieces {
        epoch: Some(EpochOf::new(epochs, index, key, &row)?),
        ..pieces_of(design_at(epochs, index)?, splits, key)?
    })
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

fn drawn(explanation: &Explanation) -> String {
    let Explanation {
        key,
        prefix,
        hash,
        hash_number,
        hash_space,
        scheme,
        row,
        tablet,
    } = explanation;
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.add_row(["key".to_owned(), key.clone()]);
    table.add_row(["prefix".to_owned(), prefix.clone()]);
    let (number, space) = (
        Grouped((*hash_number).into()),
        Grouped((*hash_space).into()),
    );
    table.add_row([
        "hash".to_owned(),
        format!("{hash}  ({scheme}: number {number} of {space})"),
    ]);
    table.add_row(["row".to_owned(), row.clone()]);
    draw_tablet(&mut table, tablet.as_ref());
    table.trim_fmt()
}

fn drawn_pieces(pieces: &Pieces) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.add_row(["key".to_owned(), pieces.key.clone()]);
    for Piece {
        name,
        stored,
        meaning,
    } in &pieces.fields
    {
        table.add_row([name.clone(), format!("{stored}  ({meaning})")]);
    }
    if !pieces.fields.iter().any(|field| field.name == "row") {
        table.add_row(["row".to_owned(), pieces.row.clone()]);
    }
    if let Some(epoch) = &pieces.epoch {
        table.add_row(["epoch".to_owned(), epoch.told()]);
    }
    draw_tablet(&mut table, pieces.tablet.as_ref());
    table.trim_fmt()
}

fn draw_tablet(table: &mut Table, tablet: Option<&TabletOf>) {
    let Some(tablet) = tablet else { return };
    let (number, tablets) = (tablet.number, tablet.tablets);
    let after = match &tablet.after_row {
        Some(row) => format!("after {row}"),
        None => "the rows before".to_owned(),
    };
    let place = match (&tablet.after_row, &tablet.end_row) {
        (_, Some(end_row)) => format!("{after}, up to {end_row}"),
        (Some(_), None) => format!("{after}, to the end of the table"),
        (None, None) => "the whole table".to_owned(),
    };
    table.add_row([
        "tablet".to_owned(),
        format!("{number} of {tablets}: {place}"),
    ]);
}
