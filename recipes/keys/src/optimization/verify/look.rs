//! The state of the table, and the standard of comparison.

use fluo_table::{Tablet, Tablets};

use super::super::TableOptimizations;
use super::super::requirement::TableRequirement;
use super::load::TabletLoad;
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

    /// Checks whether loads are judged: some recipe has rows that stay.
    pub(super) fn compares(&self) -> bool {
        let mut requirements = self.optimizations.requirements().iter();
        requirements.any(|requirement| !requirement.is_transient)
    }

    /// Checks whether the rows of a recipe are part of the loads of the table and the servers.
    /// Transient rows are not, unless there are no others.
    pub(super) fn includes(&self, requirement: &TableRequirement) -> bool {
        !requirement.is_transient || !self.compares()
    }

    /// Returns a load of the table as judged, or without a judgement if loads are not judged.
    pub(super) fn judged(&self, load: TabletLoad) -> TabletLoad {
        match self.compares() {
            true => load,
            false => load.not_compared(),
        }
    }

    /// Returns the number of tablets that share the table: the planned ones, or those that are not
    /// empty if there are more. `counts` are the included contents of the tablets.
    pub(super) fn places(&self, counts: &[u64]) -> usize {
        let filled = counts.iter().filter(|count| **count > 0).count();
        let requirements = self.optimizations.requirements().iter();
        let included = requirements.filter(|requirement| self.includes(requirement));
        let planned: usize = included.map(TableRequirement::planned_tablets).sum();
        planned.max(filled)
    }

    /// Returns the included contents of the tablets: without those of tablets that only transient
    /// rows can fill.
    pub(super) fn included(&self, counts: &[u64]) -> Vec<u64> {
        let mut included = counts.to_vec();
        let requirements = self.optimizations.requirements().iter();
        let (kept, left_out): (Vec<_>, Vec<_>) =
            requirements.partition(|requirement| self.includes(requirement));
        for requirement in left_out {
            if let Some(own) = included.get_mut(requirement.tablets_in(self.tablets)) {
                own.fill(0);
            }
        }
        for requirement in kept {
            let own = requirement.tablets_in(self.tablets);
            let own = (included.get_mut(own.clone()), counts.get(own));
            if let (Some(included), Some(counts)) = own {
                included.copy_from_slice(counts);
            }
        }
        included
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
