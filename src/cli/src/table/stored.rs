//! The table that a command reads, and the rows of its keys.

use std::ffi::OsStr;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use fluo_keys::{KeyDesign, KeyMigration, RowSelection, Unsalted};
use fluo_table::{Authorizations, Bytes, Cell, Span, Table, TableAdmin, Tablets};
use futures::future::OptionFuture;

use crate::chosen_design::{CHOICE, ChosenDesign, DesignArguments};
use crate::encoding::Written;
use crate::progress;
use crate::scan::{Record, RecordKind};
use crate::selection::SelectionArguments;
use crate::target::TargetArguments;

#[derive(Args, Debug)]
#[command(mut_group(CHOICE, |choice| choice.required(false)))]
pub(super) struct StoredTable {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    pub(super) name: String,
    #[command(flatten)]
    design: DesignArguments,
    /// Label of visibilities to read with; repeat it for each. Other cells are ignored
    #[arg(long = "authorization", value_name = "LABEL", value_parser = NonEmptyStringValueParser::new())]
    authorizations: Vec<String>,
}

/// An open table. An embedded directory stays open until all of this is dropped.
#[derive(Debug)]
pub(super) struct OpenTable {
    tables: Arc<dyn TableAdmin>,
    name: String,
    pub(super) table: Arc<dyn Table>,
}

/// The rows of the stored keys: those of a design, or the keys themselves.
#[derive(Debug)]
pub(super) struct StoredRows(Option<ChosenDesign>);

impl StoredTable {
    pub(super) fn rows(&self) -> Result<StoredRows> {
        let chosen = (!self.design.is_empty()).then(|| self.design.choose()).transpose()?;
        Ok(StoredRows(chosen))
    }

    pub(super) async fn open(&self) -> Result<OpenTable> {
        let tables = self.target.open_to_read(&self.name).await?;
        let labels: Authorizations = self.authorizations.iter().cloned().collect();
        let table = tables.open_table(&self.name, labels).await?;
        Ok(OpenTable { tables, name: self.name.clone(), table })
    }
}

impl OpenTable {
    /// Returns the tablets for a progress line; none if no line shows how much of these spans is
    /// read.
    pub(super) async fn tablets_to_show(&self, spans: &[Span]) -> Tablets {
        let whole = progress::is_shown() && *spans == [Span::all()];
        let tablets = whole.then(|| self.tables.tablets(&self.name));
        // A user who may read the rows may not be allowed to see the tablets.
        OptionFuture::from(tablets).await.and_then(Result::ok).unwrap_or_default()
    }
}

impl StoredRows {
    pub(super) fn kind(&self) -> RecordKind {
        if self.0.is_some() { RecordKind::Decoded } else { RecordKind::Cell }
    }

    /// Returns the pieces of the table that hold the selected rows: the whole table, keys that are
    /// not of the design included, if no rows are selected.
    pub(super) fn spans(
        &self,
        selection: &SelectionArguments,
        decode: impl Fn(&OsStr) -> Result<Bytes>,
    ) -> Result<Vec<Span>> {
        let unsalted = KeyDesign::new(Unsalted {})?;
        let design = self.0.as_ref().map_or(&unsalted, |chosen| &chosen.design);
        match selection.rows(design, decode)? {
            RowSelection::All => Ok(vec![Span::all()]),
            rows => {
                let spans = self.spans_of(&rows)?;
                selection.say_if_empty(&spans);
                Ok(spans)
            }
        }
    }

    pub(super) fn spans_of(&self, rows: &RowSelection) -> Result<Vec<Span>> {
        Ok(match &self.0 {
            Some(ChosenDesign { migration: Some(epochs), .. }) => epochs.spans(rows)?.concat(),
            Some(ChosenDesign { design, .. }) => design.spans(rows)?,
            None => KeyDesign::new(Unsalted {})?.spans(rows)?,
        })
    }

    /// Returns the row of a key, or `None` if it is not a key of the design.
    pub(super) fn row(&self, key: &[u8]) -> Option<Bytes> {
        match &self.0 {
            Some(ChosenDesign { migration: Some(epochs), .. }) => row_of(epochs, key),
            Some(ChosenDesign { design, .. }) => design.decode_key(key).ok(),
            None => Some(Bytes::copy_from_slice(key)),
        }
    }

    pub(super) fn record(&self, cell: &Cell, written: Written) -> Record {
        match self.0 {
            Some(_) => Record::decoded(cell, self.row(&cell.key.row).as_deref(), written),
            None => Record::of_cell(cell, written),
        }
    }
}

fn row_of(epochs: &KeyMigration, key: &[u8]) -> Option<Bytes> {
    let mut row = Vec::new();
    epochs.decode_key_to(key, &mut row).ok().map(|_| row.into())
}
