//! The judgment of a table, from what is found on it.

use fluo_table::{Bytes, ErrorKind, Escaped, Result, TableAdmin, Tablets};

use super::super::TableOptimizations;
use super::super::table_state::TableState;
use super::census::Census;
use super::difference::Difference;
use super::groups::{self, GroupVerdict};
use super::load::{LoadStanding, Scale};
use super::options::{OtherRows, VerifyOptions};
use super::properties::{self, PropertyVerdict};
use super::rows::RowsVerdict;
use super::stray_splits;
use super::unproved::Unproved;
use super::verdict::Verdict;

/// The table without its rows.
pub(super) struct Found<'a> {
    table: &'a str,
    optimizations: &'a TableOptimizations,
    state: TableState,
    servers: Vec<String>,
    pub(super) tablets: Tablets,
    properties: Vec<PropertyVerdict>,
    /// The differences of the balancer.
    balancer: Vec<Difference>,
}

impl<'a> Found<'a> {
    pub(super) async fn read(
        admin: &dyn TableAdmin,
        table: &'a str,
        optimizations: &'a TableOptimizations,
    ) -> Result<Self> {
        let state = TableState::read(admin, table).await?;
        let servers = admin.servers().await?;
        let tablets = admin.tablets(table).await?;
        let found = &state.properties;
        let (properties, balancer) =
            properties::compare(admin, table, optimizations, found, &tablets).await?;
        Ok(Self { table, optimizations, state, servers, tablets, properties, balancer })
    }

    /// Judges the table by the entries of its tablets.
    pub(super) fn by_entries(&self, options: &VerifyOptions) -> Result<Verdict> {
        self.judge(options, &Census::of_entries(self.optimizations, &self.tablets))
    }

    /// Judges the table by its rows, or by the entries of its tablets if the user may not read the
    /// rows or sees none.
    pub(super) async fn by_rows(
        &self,
        admin: &dyn TableAdmin,
        options: &VerifyOptions,
        progress: &mut (impl FnMut(u64) + Send),
    ) -> Result<Verdict> {
        match self.count(admin, options, progress).await {
            Ok(census) if census.total == 0 && self.tablets.entries() > 0 => {
                self.by_entries(options)
            }
            Ok(census) => self.judge(options, &census),
            Err(denial) if denial.kind() == ErrorKind::Denied => {
                let mut verdict = self.by_entries(options)?;
                let cause = denial.to_string();
                verdict.add(Difference::RowsDenied { cause });
                Ok(verdict)
            }
            Err(error) => Err(error),
        }
    }

    async fn count(
        &self,
        admin: &dyn TableAdmin,
        options: &VerifyOptions,
        progress: &mut (impl FnMut(u64) + Send),
    ) -> Result<Census<'_>> {
        let authorizations = options.authorizations.clone();
        let table = admin.open_table(self.table, authorizations).await?;
        Census::of_rows(self.optimizations, &self.tablets, &*table, progress).await
    }

    fn judge(&self, options: &VerifyOptions, census: &Census<'_>) -> Result<Verdict> {
        let scale = Scale { max_skew: options.max_skew, counted: census.counted };
        let recipes = census.recipes.iter();
        let rows: Vec<_> = recipes.map(|tally| tally.verdict(scale)).collect();
        let rows_per_server = census.rows_per_server(&self.servers);
        let (wanted, found) = (self.optimizations.splits(), &self.state.splits);
        let pattern = self.optimizations.group_pattern();
        let mut verdict = Verdict {
            table: self.table.to_owned(),
            ok: false,
            differences: Vec::new(),
            unproved: unproved(census, &rows),
            wanted_splits: wanted.len(),
            missing_splits: shown(wanted.difference(found)),
            extra_splits: shown(found.difference(&wanted)),
            properties: self.properties.clone(),
            groups: groups::count(pattern.as_deref(), &self.tablets, &self.servers)?,
            counted: census.counted,
            rows,
            other_rows: census.other_rows(),
            max_skew: options.max_skew,
            servers: census.load_of_servers(&rows_per_server, scale),
            rows_per_server,
        };
        let mut differences = self.layout_differences(&verdict, options)?;
        differences.extend(verdict.row_differences(options, census, scale));
        verdict.ok = differences.is_empty();
        verdict.differences = differences;
        Ok(verdict)
    }

    fn layout_differences(
        &self,
        verdict: &Verdict,
        options: &VerifyOptions,
    ) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        if !verdict.missing_splits.is_empty() {
            let splits = verdict.missing_splits.clone();
            differences.push(Difference::MissingSplits { splits });
        }
        differences.extend(self.balancer.iter().cloned());
        let groups = verdict.groups.iter();
        differences.extend(groups.flat_map(GroupVerdict::differences));
        differences.extend(stray_splits::find(self.optimizations, &self.tablets)?);
        if !verdict.extra_splits.is_empty() && !options.allow_extra_splits {
            let splits = verdict.extra_splits.clone();
            differences.push(Difference::ExtraSplits { splits });
        }
        Ok(differences)
    }
}

impl Verdict {
    fn row_differences(
        &self,
        options: &VerifyOptions,
        census: &Census<'_>,
        scale: Scale,
    ) -> Vec<Difference> {
        let mut differences = Vec::new();
        if let Some(first) = census.first_other.clone()
            && options.other_rows == OtherRows::Refused
        {
            let (rows, total) = (self.other_rows, census.total);
            differences.push(Difference::OtherRows { rows, total, first });
        }
        let load = census.load_of_others(scale);
        if load.is_too_full() {
            differences.push(Difference::HotTablet { recipe: None, load });
        }
        differences.extend(self.rows.iter().flat_map(RowsVerdict::differences));
        if self.servers.is_too_full() {
            let load = self.servers.clone();
            differences.push(Difference::HotServer { load });
        }
        if let Some(because) = self.unproved.clone()
            && options.require_rows
        {
            differences.push(Difference::Unproved { because });
        }
        differences
    }
}

/// Returns the first reason why evenness is not proved, or `None` if it is, or nothing is compared.
fn unproved(census: &Census<'_>, recipes: &[RowsVerdict]) -> Option<Unproved> {
    if census.is_transient {
        return None;
    }
    if !census.counted {
        return Some(Unproved::RowsNotCounted);
    }
    if census.total == 0 {
        return Some(Unproved::NoRows);
    }
    let few = |recipe: &&RowsVerdict| recipe.load.standing == LoadStanding::TooFewToTell;
    recipes.iter().find(few).map(|recipe| Unproved::TooFewRows {
        recipe: recipe.recipe.clone(),
        rows: recipe.load.total,
    })
}

fn shown<'a>(rows: impl Iterator<Item = &'a Bytes>) -> Vec<String> {
    rows.map(|row| Escaped(row).to_string()).collect()
}
