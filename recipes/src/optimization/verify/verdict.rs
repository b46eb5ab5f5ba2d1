//! The verdict about a table.

use std::collections::HashSet;
use std::fmt;

use fluo_core::Tablets;
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

/// Most reasons that the sentence about a table names.
const MOST_REASONS: usize = 3;

/// What was found, in figures, and what of it is not as it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The table.
    pub table: String,
    /// Whether there are no differences.
    pub ok: bool,
    /// What is not as it should be. The first explains the most.
    pub differences: Vec<Difference>,
    /// Why evenness is not proved, if it is not. A table can be as it should be all the same.
    pub unproved: Vec<Unproved>,
    /// The split points.
    pub splits: SplitsVerdict,
    /// The balancer and its properties.
    pub properties: Vec<PropertyVerdict>,
    /// Each group, in the order of the table.
    pub groups: Vec<GroupVerdict>,
    /// Each recipe's rows, in the order of the optimizations.
    pub rows: Vec<RowsVerdict>,
    /// Whether rows were counted. If not, the figures are the tablets' entries: cells, versions and delete markers.
    pub counted: bool,
    /// The limit that the fullest tablets and servers are held against.
    pub max_skew: MaxSkew,
    /// All tablets. Tablets of a large recipe are fuller than the mean by design, so this is a figure only: recipes,
    /// groups and other rows are judged.
    pub tablets: TabletLoad,
    /// The servers.
    pub servers: ServerLoad,
    /// Rows that belong to no recipe.
    pub other_rows: OtherRowsVerdict,
    /// Entries of tablets of which no row was seen, or `None` if rows were not counted.
    pub unseen: Option<UnseenVerdict>,
    /// The cells, which are counted if the rows are more even than the tablets' entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellsVerdict>,
}

/// A verdict with differences, as an error.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct VerdictError(pub Box<Verdict>);

impl Verdict {
    /// Checks whether the split points, the balancer and the places of the tablets are as they should be, whatever the
    /// rows are.
    pub fn is_laid_out(&self) -> bool {
        let spread = self.groups.iter().all(GroupVerdict::is_spread);
        let balanced = self.properties.iter().all(PropertyVerdict::is_as_expected);
        self.splits.findings().next().is_none() && spread && balanced
    }

    /// Returns the verdict in a sentence. It says so if evenness is not proved.
    pub fn summary(&self) -> String {
        let table = &self.table;
        if let Some(cause) = self.differences.first() {
            return format!("NOT OK: table {table}: {cause}");
        }
        let told = self.reservation();
        match self.is_hot_by_design() {
            true => format!("HOT: table {table} is as the spec says{told}."),
            false => format!("OK: table {table} is as the spec says{told}."),
        }
    }

    /// Checks whether a tablet or a server is too full.
    pub(super) fn is_hot(&self) -> bool {
        let differences = self.differences.iter();
        let mut loads = differences.filter(|difference| difference.kind.is_load());
        loads.next().is_some() || self.is_hot_by_design()
    }

    /// Checks whether a server is too full although the table is as it should be: the optimizations ask for fewer tablets
    /// than there are servers.
    pub fn is_hot_by_design(&self) -> bool {
        self.servers.hot_by_design().is_some()
    }

    /// Returns the verdict if the table is as it should be.
    ///
    /// # Errors
    /// The verdict, whose text is its main cause, if there are differences.
    pub fn into_result(self) -> Result<Self, VerdictError> {
        if self.ok {
            Ok(self)
        } else {
            Err(VerdictError(Box::new(self)))
        }
    }

    /// Adds differences, of which the table then has at least these.
    pub fn add(&mut self, differences: impl IntoIterator<Item = Difference>) {
        self.differences.extend(differences);
        difference::sort(&mut self.differences);
        self.ok = self.differences.is_empty();
    }

    /// Returns the differences as sentences, main cause first.
    pub fn sentences(&self) -> Vec<String> {
        self.differences.iter().map(ToString::to_string).collect()
    }

    /// Returns why evenness is not proved, as the end of a sentence; nothing if it is.
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
        let recipes = self.rows.iter().zip(look.optimizations.contributions());
        let recipes = recipes
            .flat_map(|(rows, contribution)| rows.findings(contribution, census.total()))
            .collect::<Vec<_>>();
        // One tablet that is too full is told once, as that of its recipe or of other rows.
        let others = std::iter::once(&self.other_rows.load);
        let loads = self.rows.iter().map(|rows| &rows.load).chain(others);
        let told = loads.filter(|load| load.load.is_too_full());
        let told: HashSet<_> = told.map(|load| &load.fullest).collect();
        let is_told = |group: &&GroupVerdict| {
            group
                .load
                .as_ref()
                .is_some_and(|load| told.contains(&load.fullest))
        };
        let groups = self.groups.iter().filter(|group| !is_told(group));
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
        let told = format!("evenness is not proved, as is required: {reason}");
        let kind = DifferenceKind::Unproved;
        Some(Difference::new(kind, &self.table, 0.0, told))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}
