//! Proof that the optimizations are in force: everything is read back, and compared in figures.

mod evenness;
mod groups;
mod properties;
mod rows;
mod splits;
mod strays;
mod tally;

use fluo_core::{Authorizations, Result, TableAdmin};
use serde::Serialize;

pub(crate) use self::evenness::{LEAST_P_VALUE, chi_square};
pub use self::groups::{GroupVerdict, groups};
pub use self::properties::{FoundBalancer, PropertyVerdict, UnrequestedProperty};
pub use self::rows::{EvennessOf, RowCounting, RowsVerdict};
pub use self::splits::SplitsVerdict;
pub use self::strays::StraySplit;

use super::TableOptimizations;
use super::state::TableState;

/// What [`verify`] looks at.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Whether split points that no recipe asked for are fine.
    pub allow_extra_splits: bool,
    /// How rows are counted.
    pub rows: RowCounting,
    /// What the counting scan may see. Rows all of whose cells need other authorizations are not counted.
    pub authorizations: Authorizations,
}

/// What was found, in figures, and what of it is not as it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The table.
    pub table: String,
    /// Whether there are no differences.
    pub ok: bool,
    /// What is not as it should be, a sentence each.
    pub differences: Vec<String>,
    /// The split points.
    pub splits: SplitsVerdict,
    /// The balancer and its properties.
    pub properties: Vec<PropertyVerdict>,
    /// Each group, in the order of the table.
    pub groups: Vec<GroupVerdict>,
    /// Each recipe's rows, in the order of the optimizations.
    pub rows: Vec<RowsVerdict>,
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
    let groups = groups::count(optimizations.group_pattern().as_deref(), &tablets, &servers)?;
    let rows = rows::count(admin, table, optimizations, &tablets, options, progress).await?;

    let differences: Vec<String> = splits
        .differences()
        .chain(properties.iter().filter_map(PropertyVerdict::difference))
        .chain(groups.iter().flat_map(GroupVerdict::differences))
        .chain(
            rows.iter()
                .zip(optimizations.contributions())
                .flat_map(|(rows, contribution)| rows.differences(contribution)),
        )
        .collect();
    let ok = differences.is_empty();
    Ok(Verdict {
        table: table.to_owned(),
        ok,
        differences,
        splits,
        properties,
        groups,
        rows,
    })
}
