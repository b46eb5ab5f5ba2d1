//! The verdict about a table.

use std::collections::BTreeMap;
use std::fmt;

use fluo_table::{Error, Result};
use serde::Serialize;

use super::{Difference, GroupVerdict, Load, MaxSkew, PropertyVerdict, RowsVerdict, Unproved};

/// The figures of a table, and its differences from the optimizations. Split points are escaped
/// text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The table.
    pub table: String,
    /// `true` if there are no differences.
    pub ok: bool,
    /// The differences. Those of the layout come first, because others can follow from them.
    pub differences: Vec<Difference>,
    /// The reason why evenness is not proved, if it is not. A table without differences can have
    /// one.
    pub unproved: Option<Unproved>,
    /// The number of requested split points.
    pub wanted_splits: usize,
    /// The requested split points that do not exist.
    pub missing_splits: Vec<String>,
    /// The existing split points that are not requested.
    pub extra_splits: Vec<String>,
    /// The properties of the balancer.
    pub properties: Vec<PropertyVerdict>,
    /// The groups, in the order of the table.
    pub groups: Vec<GroupVerdict>,
    /// `true` if rows were counted. If not, the figures are the tablets' entries: cells, versions
    /// and delete markers.
    pub counted: bool,
    /// The rows of each recipe, in the order of the optimizations.
    pub rows: Vec<RowsVerdict>,
    /// The number of rows that belong to no recipe, or of entries in tablets that can hold no row
    /// of a recipe.
    pub other_rows: u64,
    /// The limit of the fullest tablets and servers.
    pub max_skew: MaxSkew,
    /// The load of the servers, without [transient](crate::TableRequirementBuilder::transient) rows
    /// unless there are no others.
    pub servers: Load,
    /// The number of these rows on each server, including servers without any.
    pub rows_per_server: BTreeMap<String, u64>,
}

impl Verdict {
    /// Checks whether the split points, the balancer and the placement of the tablets match the
    /// optimizations, whatever the rows are.
    pub fn is_laid_out(&self) -> bool {
        !self.differences.iter().any(Difference::is_of_layout)
    }

    /// Returns the verdict if there are no differences.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) with the first difference, if there are
    /// differences.
    pub fn into_result(self) -> Result<Self> {
        if self.ok { Ok(self) } else { Err(Error::invalid(self.to_string())) }
    }

    /// Adds a difference as the first one.
    pub fn add(&mut self, difference: Difference) {
        self.differences.insert(0, difference);
        self.ok = false;
    }

    /// Returns the differences that an earlier verdict on the table does not have. A difference
    /// with other figures is the same.
    pub fn differences_since<'a>(
        &'a self,
        earlier: &'a Self,
    ) -> impl Iterator<Item = &'a Difference> {
        let is_new =
            |one: &&Difference| !earlier.differences.iter().any(|other| other.is_same(one));
        self.differences.iter().filter(is_new)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        match (self.differences.first(), &self.unproved) {
            (Some(first), _) => write!(f, "NOT OK: table {table}: {first}"),
            (None, Some(reason)) => {
                write!(f, "OK: table {table}; {reason}, so evenness is not proved")
            }
            (None, None) => write!(f, "OK: table {table}"),
        }
    }
}
