//! The call that verifies a table: [`TableOptimizations::verify`].

use std::collections::BTreeSet;
use std::fmt;
use std::iter::once;

use fluo_table::{Bytes, ErrorKind, Escaped, Result, TableAdmin, Tablets};

use super::census::Census;
use super::load::Scale;
use super::properties::Properties;
use super::{
    Difference, GroupVerdict, Load, LoadStanding, RowCounting, RowsVerdict, Unproved, Verdict,
    VerifyOptions, groups, properties,
};
use crate::optimization::TableOptimizations;
use crate::optimization::step::properties_of;

/// A function that is called with the number of rows counted so far, and the last of them.
type Progress<'a> = Box<dyn FnMut(u64, &Bytes) + Send + 'a>;

/// A call of [`TableOptimizations::verify`]: its options, and the call itself when it is awaited.
#[must_use = "a table is verified when this is awaited"]
pub struct Verifying<'a> {
    pub(in crate::optimization) optimizations: &'a TableOptimizations,
    pub(in crate::optimization) tables: &'a dyn TableAdmin,
    pub(in crate::optimization) table: &'a str,
    pub(in crate::optimization) options: VerifyOptions,
    layout: Option<(&'a Tablets, &'a [String])>,
    progress: Progress<'a>,
}

impl TableOptimizations {
    /// Reads back the split points, the balancer, the places of the tablets and, by default, the
    /// rows, and compares each with the optimizations. Writes nothing.
    ///
    /// A difference is not an error but part of the verdict;
    /// [`into_result`](Verdict::into_result) turns it into one. If the user may not read the rows,
    /// that is a difference, and the verdict covers the rest.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the table does not exist;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the optimizations ask for nothing; and the
    /// errors of the port. Servers that load no group balancer are a difference here, and an error
    /// of [`plan`](Self::plan).
    pub fn verify<'a>(&'a self, tables: &'a dyn TableAdmin, table: &'a str) -> Verifying<'a> {
        let options = VerifyOptions::new();
        let progress = Box::new(|_, _: &Bytes| ());
        Verifying { optimizations: self, tables, table, options, layout: None, progress }
    }
}

impl<'a> Verifying<'a> {
    /// Sets the options.
    pub fn options(self, options: &VerifyOptions) -> Self {
        Self { options: options.clone(), ..self }
    }

    /// Sets the tablets of this table, and the servers of its instance, which the caller has just
    /// read. The verdict is wrong for tablets of another table, and does not cover what has changed
    /// since they were read. Default: both are read.
    pub fn layout(self, tablets: &'a Tablets, servers: &'a [String]) -> Self {
        Self { layout: Some((tablets, servers)), ..self }
    }

    /// Sets a function that is called with the number of rows counted so far, and the last of them.
    /// Rows are counted in their order. Default: none.
    pub fn on_progress(self, progress: impl FnMut(u64, &Bytes) + Send + 'a) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    async fn run(self) -> Result<Verdict> {
        let Self { optimizations, tables, table, options, layout, progress } = self;
        let read;
        let (tablets, servers) = match layout {
            Some(layout) => layout,
            None => {
                read = (tables.tablets(table).await?, tables.servers().await?);
                (&read.0, &*read.1)
            }
        };
        let values = properties_of(tables, table).await?;
        let properties =
            properties::compare(tables, table, optimizations, &values, tablets).await?;
        let entries = tablets.entries();
        let options = &options;
        let found = Found { table, optimizations, options, servers, tablets, properties };
        let by_entries = || found.judge(&Census::of_entries(optimizations, tablets));
        let is_counted = match options.rows {
            RowCounting::All => true,
            RowCounting::UpTo(most) => entries <= most,
            RowCounting::IfUneven(most) => entries <= most && found.uneven_entries().is_some(),
            RowCounting::Skip => false,
        };
        if !is_counted {
            return by_entries();
        }
        let counted = async {
            let table = tables.open_table(table, options.authorizations.clone()).await?;
            Census::of_rows(optimizations, tablets, &*table, progress).await
        };
        match counted.await {
            // The user sees none of the rows.
            Ok(census) if census.total == 0 && entries > 0 => by_entries(),
            Ok(census) => found.judge(&census),
            Err(denial) if denial.kind() == ErrorKind::Denied => {
                let mut verdict = by_entries()?;
                verdict.add(Difference::RowsDenied { cause: denial.to_string() });
                Ok(verdict)
            }
            Err(error) => Err(error),
        }
    }
}

call_when_awaited!(Verifying => Result<Verdict>);

impl fmt::Debug for Verifying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifying").field("table", &self.table).finish_non_exhaustive()
    }
}

struct Found<'a> {
    table: &'a str,
    optimizations: &'a TableOptimizations,
    options: &'a VerifyOptions,
    servers: &'a [String],
    tablets: &'a Tablets,
    properties: Properties,
}

impl Found<'_> {
    /// Returns the first load of entries that is too high.
    fn uneven_entries(&self) -> Option<Load> {
        let census = Census::of_entries(self.optimizations, self.tablets);
        let scale = Scale { max_skew: self.options.max_skew, counted: census.counted };
        let recipes = census.recipes.iter();
        let recipes = recipes.map(|tally| tally.verdict(self.tablets, scale).load);
        let servers = census.rows_per_server(self.servers);
        let servers = census.load_of_servers(&servers, scale);
        let mut loads = once(census.load_of_others(scale)).chain(recipes).chain([servers]);
        loads.find(Load::is_too_full)
    }

    fn judge(&self, census: &Census<'_>) -> Result<Verdict> {
        let scale = Scale { max_skew: self.options.max_skew, counted: census.counted };
        let recipes = census.recipes.iter();
        let rows: Vec<_> = recipes.map(|tally| tally.verdict(self.tablets, scale)).collect();
        let rows_per_server = census.rows_per_server(self.servers);
        let wanted = self.optimizations.splits();
        let found = self.tablets.as_slice().iter().filter_map(|tablet| tablet.end_row.clone());
        let found: BTreeSet<_> = found.collect();
        let pattern = self.optimizations.group_pattern();
        let mut verdict = Verdict {
            table: self.table.to_owned(),
            ok: false,
            differences: Vec::new(),
            unproved: unproved(census, &rows),
            wanted_splits: wanted.len(),
            missing_splits: shown(wanted.difference(&found)),
            extra_splits: shown(found.difference(&wanted)),
            properties: self.properties.0.clone(),
            groups: groups::count(pattern.as_deref(), self.tablets, self.servers)?,
            counted: census.counted,
            rows,
            other_rows: census.other_rows(),
            max_skew: self.options.max_skew,
            servers: census.load_of_servers(&rows_per_server, scale),
            rows_per_server,
        };
        verdict.differences = self.differences(&verdict, census, scale)?;
        if verdict.unproved.is_none()
            && census.counted
            && !verdict.differences.iter().any(Difference::is_hot)
            && let Some(Load { fullest: Some(place), largest: entries, total, .. }) =
                self.uneven_entries()
        {
            verdict.unproved = Some(Unproved::UnevenEntries { place, entries, total });
        }
        if let Some(because) = verdict.unproved.clone()
            && self.options.require_rows
        {
            verdict.differences.push(Difference::Unproved { because });
        }
        verdict.ok = verdict.differences.is_empty();
        Ok(verdict)
    }

    /// Returns the differences, those of the layout first.
    fn differences(
        &self,
        verdict: &Verdict,
        census: &Census<'_>,
        scale: Scale,
    ) -> Result<Vec<Difference>> {
        let options = self.options;
        let mut differences = Vec::new();
        if !verdict.missing_splits.is_empty() {
            let splits = verdict.missing_splits.clone();
            differences.push(Difference::MissingSplits { splits });
        }
        differences.extend(self.properties.1.iter().cloned());
        differences.extend(verdict.groups.iter().flat_map(GroupVerdict::differences));
        differences.extend(groups::stray_splits(self.optimizations, self.tablets)?);
        if !verdict.extra_splits.is_empty() && !options.allow_extra_splits {
            let splits = verdict.extra_splits.clone();
            differences.push(Difference::ExtraSplits { splits });
        }
        if let Some(first) = census.first_other.clone()
            && !options.allow_other_rows
        {
            let (rows, total) = (verdict.other_rows, census.total);
            differences.push(Difference::OtherRows { rows, total, first });
        }
        let load = census.load_of_others(scale);
        if load.is_too_full() {
            differences.push(Difference::HotTablet { recipe: None, load });
        }
        differences.extend(verdict.rows.iter().flat_map(RowsVerdict::differences));
        if verdict.servers.is_too_full() {
            differences.push(Difference::HotServer { load: verdict.servers.clone() });
        }
        Ok(differences)
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
