//! The state of the table, and the standard of comparison.

use fluo_table::{Tablet, Tablets};

use super::super::TableOptimizations;
use super::super::requirement::TableRequirement;
use super::scale::Scale;

/// The state of the table, the optimizations, and the scale for its loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'a> {
    pub(super) optimizations: &'a TableOptimizations,
    pub(super) tablets: &'a Tablets,
    pub(super) servers: &'a [String],
    pub(super) scale: Scale,
}

impl<'a> Look<'a> {
    /// Returns the same look, judged by entries or cells.
    pub(super) fn by_entries(self) -> Self {
        let scale = Scale {
            counts_rows: false,
            ..self.scale
        };
        Self { scale, ..self }
    }

    /// Returns the number of tablets that the recipes request.
    pub(super) fn planned(&self) -> usize {
        let requirements = self.optimizations.requirements().iter();
        requirements.map(TableRequirement::planned_tablets).sum()
    }

    /// Returns the number of tablets that share the table: the planned ones, or those that are not
    /// empty if there are more. `counts` are the contents of the tablets.
    pub(super) fn places(&self, counts: &[u64]) -> usize {
        let filled = counts.iter().filter(|count| **count > 0).count();
        self.planned().max(filled)
    }

    /// Returns each tablet with its count.
    pub(super) fn with_counts(&self, counts: &[u64]) -> impl Iterator<Item = (&'a Tablet, u64)> {
        self.tablets.as_slice().iter().zip(counts.iter().copied())
    }

    /// Returns the number of stored entries of each tablet.
    pub(super) fn entries(&self) -> Vec<u64> {
        let tablets = self.tablets.as_slice().iter();
        tablets.map(|tablet| tablet.entries).collect()
    }
}
