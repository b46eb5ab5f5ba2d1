//! `fluo key explain`.

use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::Table;
use fluo_core::{Bytes, Escaped};
use fluo_recipes::{RowHasher, SplitFormula};
use serde::Serialize;

use crate::arguments::DesignArguments;
use crate::encoding::Encoding;
use crate::output;

/// What each part of a key is, and the tablet it falls in.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key explain --prefix p --tablets 20 p:1yl0:org.wikipedia/accumulo")]
pub(crate) struct Explain {
    #[command(flatten)]
    design: DesignArguments,
    /// How many tablets the keys are spread over
    #[arg(long, allow_negative_numbers = true)]
    tablets: Option<u32>,
    /// How the keys are written
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Print JSON, bytes that are not printable ASCII escaped as \xNN
    #[arg(long)]
    json: bool,
    /// The keys
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<OsString>,
}

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

/// The tablet of a key, counted from 1. The bounds are escaped.
#[derive(Serialize)]
struct TabletOf {
    number: usize,
    tablets: usize,
    after_row: Option<String>,
    end_row: String,
}

impl Explain {
    pub(crate) fn run(&self) -> Result<()> {
        let hasher = self.design.hasher()?;
        let splits = self
            .tablets
            .map(|tablets| hasher.splits(tablets))
            .transpose()?;
        let explained: Result<Vec<_>> = self
            .keys
            .iter()
            .map(|key| self.explain(&hasher, splits.as_deref(), key))
            .collect();
        if self.json {
            return output::print_json(&explained?);
        }
        for explanation in explained? {
            output::print(&drawn(&explanation))?;
        }
        self.tell_formula(&hasher)
    }

    fn explain(
        &self,
        hasher: &RowHasher,
        splits: Option<&[Bytes]>,
        key: &OsStr,
    ) -> Result<Explanation> {
        let written = key.as_encoded_bytes();
        let bytes = self
            .encoding
            .decode(written)
            .with_context(|| format!("key `{}`", Escaped(written)))?;
        let parts = hasher.parts(&bytes)?;
        Ok(Explanation {
            key: Escaped(&bytes).to_string(),
            prefix: Escaped(parts.prefix.as_bytes()).to_string(),
            hash: Escaped(&parts.hash).to_string(),
            hash_number: parts.number,
            hash_space: hasher.scheme().space(),
            scheme: hasher.scheme().to_string(),
            row: Escaped(parts.row).to_string(),
            tablet: splits.and_then(|splits| tablet_of(splits, &bytes)),
        })
    }

    fn tell_formula(&self, hasher: &RowHasher) -> Result<()> {
        if let Some(tablets) = self.tablets
            && hasher.split_formula(tablets)? == SplitFormula::Even
            && hasher.scheme() == fluo_recipes::HashScheme::default()
        {
            output::say(&format!(
                "note: at {tablets} tablets Fluo's split formula would leave the last one too small; the even \
                 formula is used"
            ));
        }
        Ok(())
    }
}

fn tablet_of(splits: &[Bytes], key: &[u8]) -> Option<TabletOf> {
    let index = splits.partition_point(|end_row| end_row.as_ref() < key);
    let shown = |row: &Bytes| Escaped(row).to_string();
    Some(TabletOf {
        number: index + 1,
        tablets: splits.len(),
        after_row: index
            .checked_sub(1)
            .and_then(|before| splits.get(before))
            .map(shown),
        end_row: splits.get(index).map(shown)?,
    })
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
        output::grouped((*hash_number).into()),
        output::grouped((*hash_space).into()),
    );
    table.add_row([
        "hash".to_owned(),
        format!("{hash}  ({scheme}: number {number} of {space})"),
    ]);
    table.add_row(["row".to_owned(), row.clone()]);
    if let Some(TabletOf {
        number,
        tablets,
        after_row,
        end_row,
    }) = tablet
    {
        let after = after_row
            .as_ref()
            .map_or("the rows before".to_owned(), |row| format!("after {row}"));
        table.add_row([
            "tablet".to_owned(),
            format!("{number} of {tablets}: {after}, up to {end_row}"),
        ]);
    }
    table.trim_fmt()
}
