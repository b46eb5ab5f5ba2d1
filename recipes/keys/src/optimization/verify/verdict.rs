//! The verdict about a table.

use std::collections::HashSet;
use std::fmt;

use fluo_table::Tablets;
use serde::Serialize;
use thiserror::Error;

use super::cells::CellsVerdict;
use super::census::Census;
use super::difference::{self, Difference, DifferenceKind};
use super::groups::GroupVerdict;
use super::load::TabletLoad;
use super::look::Look;
use super::max_skew::MaxSkew;
use super::options::VerifyOptions;
use super::other_rows::OtherRowsVerdict;
use super::properties::PropertyVerdict;
use super::rows::RowsVerdict;
use super::servers::ServerLoad;
use super::splits::SplitsVerdict;
use super::unproved::Unproved;
use super::unseen::UnseenVerdict;
use crate::number::{count, share};

/// Maximum number of reasons that the summary names.
const MOST_REASONS: usize = 3;

/// The figures of a table, and its differences from the optimizations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The table.
    pub table: String,
    /// `true` if there are no differences.
    pub ok: bool,
    /// The differences. The first explains the most.
    pub differences: Vec<Difference>,
    /// The reasons why evenness is not proved, empty if it is. A table without differences can have
    /// such reasons.
    pub unproved: Vec<Unproved>,
    /// The split points.
    pub splits: SplitsVerdict,
    /// The properties of the balancer.
    pub properties: Vec<PropertyVerdict>,
    /// The groups, in the order of the table.
    pub groups: Vec<GroupVerdict>,
    /// The rows of each recipe, in the order of the optimizations.
    pub rows: Vec<RowsVerdict>,
    /// `true` if rows were counted. If not, the figures are the tablets' entries: cells, versions
    /// and delete markers.
    pub counted: bool,
    /// The limit of the fullest tablets and servers.
    pub max_skew: MaxSkew,
    /// The load of all tablets, with the same rows as the load of the servers. Tablets of a large
    /// recipe are fuller than the mean by design, so this is not judged; recipes, groups and other
    /// rows are.
    pub tablets: TabletLoad,
    /// The load of the servers.
    pub servers: ServerLoad,
    /// Rows that belong to no recipe.
    pub other_rows: OtherRowsVerdict,
    /// Entries of tablets whose rows were not seen, or `None` if rows were not counted.
    pub unseen: Option<UnseenVerdict>,
    /// The cells. They are counted only if the rows are more even than the tablets' entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsVerdict>,
}

/// A verdict with differences, as an error.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct VerdictError(pub Box<Verdict>);

impl Verdict {
    /// Checks whether the split points, the balancer and the placement of the tablets match the
    /// optimizations, whatever the rows are.
    pub fn is_laid_out(&self) -> bool {
        let spread = self.groups.iter().all(GroupVerdict::is_spread);
        let balanced = self.properties.iter().all(PropertyVerdict::is_as_expected);
        self.splits.findings().next().is_none() && spread && balanced
    }

    /// Returns the verdict as a sentence, which also says whether evenness is not proved.
    pub fn summary(&self) -> String {
        let table = &self.table;
        if let Some(cause) = self.differences.first() {
            return format!("NOT OK: table {table}: {cause}");
        }
        let reservation = self.reservation();
        match self.is_hot_by_design() {
            true => format!("HOT: table {table} is as the spec says{reservation}."),
            false => format!("OK: table {table} is as the spec says{reservation}."),
        }
    }

    /// Checks whether a tablet or a server is too full.
    pub(super) fn is_hot(&self) -> bool {
        let differences = self.differences.iter();
        let mut loads = differences.filter(|difference| difference.kind.is_load());
        loads.next().is_some() || self.is_hot_by_design()
    }

    /// Checks whether a server is too full although there are no differences, because the
    /// optimizations request fewer tablets than there are servers.
    pub fn is_hot_by_design(&self) -> bool {
        self.servers.hot_by_design().is_some()
    }

    /// Returns the verdict if there are no differences.
    ///
    /// # Errors
    ///
    /// The verdict, whose text is its main cause, if there are differences.
    pub fn into_result(self) -> Result<Self, VerdictError> {
        if self.ok {
            Ok(self)
        } else {
            Err(VerdictError(Box::new(self)))
        }
    }

    /// Adds differences, and updates `ok`.
    pub fn add(&mut self, differences: impl IntoIterator<Item = Difference>) {
        self.differences.extend(differences);
        difference::sort(&mut self.differences);
        self.ok = self.differences.is_empty();
    }

    /// Returns the differences as sentences, main cause first.
    pub fn sentences(&self) -> Vec<String> {
        self.differences.iter().map(ToString::to_string).collect()
    }

    /// Returns the reasons why evenness is not proved, as the end of a sentence; empty if it is.
    pub fn reservation(&self) -> String {
        let mut reasons: Vec<_> = self.unproved.iter().map(ToString::to_string).collect();
        if reasons.is_empty() {
            return String::new();
        }
        if reasons.len() > MOST_REASONS {
            let more = reasons.len() - MOST_REASONS;
            reasons.truncate(MOST_REASONS);
            reasons.push(format!("and {more} more"));
        }
        format!("; {}, so evenness is not proved", reasons.join(", "))
    }

    /// Returns the differences, main cause first.
    pub(super) fn findings(
        &self,
        look: &Look<'_>,
        census: &Census,
        names: &[String],
        options: &VerifyOptions,
    ) -> Vec<Difference> {
        let mut findings = self.layout_findings(look.tablets);
        findings.extend(self.load_findings(look, census, names));
        findings.extend(self.required_rows(options.require_rows));
        findings
    }

    fn layout_findings(&self, tablets: &Tablets) -> Vec<Difference> {
        let all = tablets.as_slice().len();
        let displaced: usize = self.groups.iter().map(GroupVerdict::to_move).sum();
        let displaced = share(count(displaced), count(all));
        let properties = self.properties.iter();
        let groups = self.groups.iter();
        self.splits
            .findings()
            .chain(properties.filter_map(|property| property.finding(displaced)))
            .chain(groups.flat_map(|group| group.findings(all)))
            .collect()
    }

    fn load_findings(
        &self,
        look: &Look<'_>,
        census: &Census,
        names: &[String],
    ) -> impl Iterator<Item = Difference> {
        let unseen = self.unseen.as_ref().and_then(UnseenVerdict::finding);
        let recipes = self.rows.iter().zip(look.optimizations.requirements());
        let recipes = recipes
            .flat_map(|(rows, requirement)| rows.findings(requirement, census.total()))
            .collect::<Vec<_>>();
        // A tablet that is too full is reported once, as that of its recipe or of other rows.
        let others = std::iter::once(&self.other_rows.load);
        let loads = self.rows.iter().map(|rows| &rows.load).chain(others);
        let reported = loads.filter(|load| load.load.is_too_full());
        let reported: HashSet<_> = reported.map(|load| &load.fullest).collect();
        let is_reported = |group: &&GroupVerdict| {
            group
                .load
                .as_ref()
                .is_some_and(|load| reported.contains(&load.fullest))
        };
        let groups = self.groups.iter().filter(|group| !is_reported(group));
        let groups = groups
            .filter_map(|group| group.too_full(census))
            .collect::<Vec<_>>();
        let is_explained = self
            .servers
            .is_explained_by(&self.groups, names, look, census);
        let servers = self.servers.finding(census.counts_rows);
        let servers = servers.filter(|_| !is_explained);
        let cells = self.cells.iter();
        let cells = cells.flat_map(CellsVerdict::findings);
        unseen
            .into_iter()
            .chain(self.other_rows.finding(&self.rows))
            .chain(recipes)
            .chain(groups)
            .chain(servers)
            .chain(cells)
    }

    fn required_rows(&self, are_required: bool) -> Option<Difference> {
        let mut wanting = self.unproved.iter();
        let reason = wanting.find(|reason| are_required && reason.is_refused_if_required())?;
        let sentence = format!("evenness is required, but not proved: {reason}");
        let kind = DifferenceKind::Unproved;
        Some(Difference::new(kind, &self.table, 0.0, sentence))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}
