//! The source of a scan over one design.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fluo_table::{Bytes, Span, row_successor};

use super::cursor::Mark;
use super::fetch::Selection;
use super::key_owner::only;
use super::merge::{MergeRequest, PieceRows, piece_rows};
use super::plan::ScanPlan;
use super::request::ScanSource;
use super::settings::MergeSettings;
use super::stream::SaltedRows;
use crate::error::RecipeError;
use crate::key_design::{KeyDesign, RowSelection};

/// One design, and the pieces of the table that can contain the rows of a scan.
pub(super) struct OneDesign {
    design: KeyDesign,
    spans: Vec<Span>,
}

impl OneDesign {
    pub(super) fn new(design: &KeyDesign, rows: &RowSelection) -> Result<Self, RecipeError> {
        Ok(Self {
            spans: design.spans(rows)?,
            design: design.clone(),
        })
    }

    fn head_len(&self) -> usize {
        self.design
            .head_of(self.spans.first().map_or(&[], |span| &span.start().row))
            .len()
    }

    /// Returns the pieces that remain after a stored key.
    fn pieces(&self, after: Option<&Bytes>) -> Vec<PieceRows> {
        let pieces = self.spans.iter().map(piece_rows);
        let Some(after) = after else {
            return pieces.collect();
        };
        let unsalted = after.get(self.head_len()..).unwrap_or_default();
        let rest = pieces.map(|(start, end)| {
            let head = self.design.head_of(&start);
            // Among equal unsalted keys, those up to the salt of the last row have been read.
            let same = Bytes::from([head, unsalted].concat());
            let next = if same <= *after {
                row_successor(&same)
            } else {
                same
            };
            (start.max(next), end)
        });
        rest.filter(|(start, end)| end.as_ref().is_none_or(|end| start < end))
            .collect()
    }
}

impl ScanSource for OneDesign {
    fn can_resume_after(&self, key: &Bytes) -> bool {
        let is_in =
            |span: &Span| *key >= span.start().row && span.end().is_none_or(|end| *key < end.row);
        self.spans.iter().any(is_in)
    }

    fn plan(&self, after: Option<&Bytes>, settings: MergeSettings) -> ScanPlan {
        let design = self.design.to_string();
        let pieces = self.pieces(after);
        let all = pieces.len();
        ScanPlan::new(design, self.design.order(), (pieces, all), settings)
    }

    fn run(
        &self,
        after: Option<&Bytes>,
        selection: Selection,
        settings: MergeSettings,
        mark: Mark,
    ) -> SaltedRows {
        let request = MergeRequest {
            pieces: self.pieces(after),
            head_len: self.head_len(),
            owner_of: only(&self.design),
            settings,
            mark,
        };
        SaltedRows::new(request, selection, Arc::new(AtomicU64::new(0)))
    }
}
