//! Proof that the optimizations are in force: everything is read back, and compared in figures.

mod cells;
mod census;
mod evenness;
mod finding;
mod groups;
mod load;
mod max_skew;
mod options;
mod other_rows;
mod properties;
mod rows;
mod scale;
mod sentences;
mod splits;
mod strays;
mod tally;
mod unproved;
mod unseen;

use fluo_core::{Result, TableAdmin, Tablets};
use serde::Serialize;

use self::census::Census;
use self::finding::{Finding, Stage};
use self::scale::Scale;
use super::TableOptimizations;
use super::contribution::Contribution;
use super::state::TableState;
use crate::number::{count, share};

pub use self::cells::{CellsOfRecipe, CellsVerdict};
pub(crate) use self::evenness::{LEAST_P_VALUE, chi_square};
pub use self::groups::{GroupVerdict, groups};
pub use self::load::{FullestTablet, Load, LoadStanding, ServerLoad, TabletLoad};
pub use self::max_skew::{MaxSkew, MaxSkewError};
pub use self::options::{OtherRows, VerifyOptions};
pub use self::other_rows::OtherRowsVerdict;
pub use self::properties::{FoundBalancer, PropertyVerdict, UnrequestedProperty};
pub use self::rows::{EvennessOf, HotPart, RowCounting, RowsVerdict};
pub use self::splits::SplitsVerdict;
pub use self::strays::StraySplit;
pub use self::unproved::Unproved;
pub use self::unseen::UnseenVerdict;

/// Most reasons that the sentence about a table names.
const MOST_REASONS: usize = 3;

/// What was found, in figures, and what of it is not as it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The table.
    pub table: String,
    /// Whether there are no differences.
    pub ok: bool,
    /// What is not as it should be, a sentence each. The first explains the most.
    pub differences: Vec<String>,
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

/// Reads back the split points, the balancer, where the tablets are and, if asked to, the rows; and compares
/// each with what the optimizations ask for. Writes nothing.
///
/// `progress` is told how many rows were counted so far.
///
/// # Errors
/// [`NotFound`](fluo_core::ErrorKind::NotFound) without the table; [`Invalid`](fluo_core::ErrorKind::Invalid) for
/// optimizations that ask for nothing; and what the port answers. A difference is not an error: it is in the verdict.
/// So are servers that load no group balancer, which [`plan`](super::plan()) cannot do without.
pub async fn verify(
    admin: &dyn TableAdmin,
    table: &str,
    optimizations: &TableOptimizations,
    options: &VerifyOptions,
    progress: impl FnMut(u64) + Send,
) -> Result<Verdict> {
    let state = TableState::read(admin, table).await?;
    let servers = admin.servers().await?;
    let tablets = admin.tablets(table).await?;
    let properties =
        properties::read(admin, table, optimizations, &state.properties, &tablets).await?;

    let splits = SplitsVerdict::compare(optimizations, &state.splits, options.allow_extra_splits)?;
    let pattern = optimizations.group_pattern();
    let mut groups = groups::count(pattern.as_deref(), &tablets, &servers)?;

    let scale = Scale {
        max_skew: options.max_skew,
        counts_rows: options.rows.is_for(&tablets),
    };
    let (census, cells) = if scale.counts_rows {
        let authorizations = options.authorizations.clone();
        let handle = admin.open_table(table, authorizations).await?;
        let rows = Census::of_rows(&*handle, optimizations, &tablets, scale, progress).await?;
        let counted = (&rows, scale);
        let cells =
            CellsVerdict::count(&*handle, optimizations, &tablets, &servers, counted).await?;
        (rows, cells)
    } else {
        (Census::of_entries(optimizations, &tablets, scale), None)
    };
    let contributions = optimizations.contributions().iter();
    let planned = contributions.map(Contribution::planned_tablets).sum();
    let whole = (scale, census.places(planned));
    groups::add_loads(
        &mut groups,
        pattern.as_deref(),
        &optimizations.splits(),
        &tablets,
        &census,
        whole,
    )?;
    let counts = tablets.as_slice().iter().zip(census.all.iter().copied());
    let mut unproved = Unproved::of(&census, planned, servers.len());
    unproved.extend(cells.as_ref().and_then(CellsVerdict::unproved));
    let verdict = Verdict {
        table: table.to_owned(),
        ok: false,
        differences: Vec::new(),
        unproved,
        splits,
        properties,
        groups,
        counted: scale.counts_rows,
        max_skew: options.max_skew,
        tablets: scale.of_tablets(whole.1, census.total(), counts),
        servers: scale.of_servers(&tablets, &census.all, &servers),
        other_rows: OtherRowsVerdict::new(options.other_rows, &census, &tablets, whole),
        unseen: UnseenVerdict::new(&census, &tablets, planned, scale),
        rows: census.rows.clone(),
        cells,
    };
    let mut findings = verdict.layout_findings(&tablets);
    findings.extend(verdict.load_findings(optimizations, &census));
    findings.extend(verdict.required_rows(options.require_rows));
    Ok(Verdict {
        ok: findings.is_empty(),
        differences: finding::in_order(findings),
        ..verdict
    })
}

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
        format!(
            "OK: table {table} is as the spec says{}.",
            self.reservation()
        )
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

    fn layout_findings(&self, tablets: &Tablets) -> Vec<Finding> {
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
        optimizations: &TableOptimizations,
        census: &Census,
    ) -> impl Iterator<Item = Finding> {
        let unseen = self.unseen.as_ref().and_then(UnseenVerdict::finding);
        let recipes = self.rows.iter().zip(optimizations.contributions());
        let recipes = recipes
            .flat_map(|(rows, contribution)| rows.findings(contribution, census.total()))
            .collect::<Vec<_>>();
        // One tablet that is too full is told once, as that of its recipe or of other rows.
        let is_told = |group: &&GroupVerdict| {
            let others = std::iter::once(&self.other_rows.load);
            let loads = self.rows.iter().map(|rows| &rows.load).chain(others);
            let mut told = loads.filter(|load| load.load.is_too_full());
            let fullest = group.load.as_ref().map(|load| &load.fullest);
            told.any(|load| Some(&load.fullest) == fullest)
        };
        let groups = self.groups.iter().filter(|group| !is_told(group));
        let groups = groups
            .filter_map(|group| group.too_full(census))
            .collect::<Vec<_>>();
        // Where tablets are not spread, that is told.
        let is_spread = self.groups.iter().all(GroupVerdict::is_spread);
        let servers = self.servers.finding(census.counts_rows);
        let servers = servers.filter(|_| is_spread);
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

    fn required_rows(&self, are_required: bool) -> Option<Finding> {
        let mut wanting = self.unproved.iter();
        let reason = wanting.find(|reason| are_required && reason.is_for_want_of_rows())?;
        let told = format!("evenness is not proved, as is required: {reason}");
        Some(Finding::new(Stage::Unproved, 0.0, told))
    }
}
