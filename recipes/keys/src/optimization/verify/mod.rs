//! The proof that the optimizations are in force: `verify` reads everything back and compares it in
//! figures.

mod by_design;
mod cells;
mod census;
mod changes;
mod copies;
mod difference;
mod evenness;
mod group_loads;
mod groups;
mod load;
mod look;
mod max_skew;
mod options;
mod other_rows;
mod parts;
mod properties;
mod row_counting;
mod row_counts;
mod rows;
mod scale;
mod sentences;
mod servers;
mod splits;
mod unexpected_splits;
mod unproved;
mod unseen;
mod verdict;
mod verifying;

use fluo_table::{Error, ErrorKind, Result, TableAdmin, Tablets};

use self::census::Census;
use self::look::Look;
use self::scale::Scale;
use super::TableOptimizations;
use super::table_state::TableState;

pub use self::cells::{CellsOfRecipe, CellsVerdict};
pub use self::changes::VerdictChanges;
pub use self::difference::{Difference, DifferenceKind};
pub use self::groups::{GroupVerdict, groups};
pub use self::load::{FullestTablet, Load, LoadStanding, TabletLoad};
pub use self::max_skew::MaxSkew;
pub use self::options::{OtherRows, VerifyOptions};
pub use self::other_rows::OtherRowsVerdict;
pub use self::properties::{FoundBalancer, PropertyVerdict, UnrequestedProperty};
pub use self::row_counting::RowCounting;
pub use self::rows::{HotPart, RowsVerdict, UniformityTest};
pub use self::servers::{NarrowRecipe, ServerLoad};
pub use self::splits::SplitsVerdict;
pub use self::unexpected_splits::StraySplit;
pub use self::unproved::Unproved;
pub use self::unseen::UnseenVerdict;
pub use self::verdict::{Verdict, VerdictError};
pub use self::verifying::Verifying;

/// The table without its rows.
struct Found<'a> {
    table: &'a str,
    optimizations: &'a TableOptimizations,
    state: TableState,
    servers: Vec<String>,
    tablets: Tablets,
    properties: Vec<PropertyVerdict>,
}

/// The contents of the tablets.
struct Contents {
    census: Census,
    cells: Option<CellsVerdict>,
    /// The reason why the rows could not be read.
    denial: Option<Error>,
}

impl<'a> Found<'a> {
    async fn read(
        admin: &dyn TableAdmin,
        table: &'a str,
        optimizations: &'a TableOptimizations,
    ) -> Result<Self> {
        let state = TableState::read(admin, table).await?;
        let servers = admin.servers().await?;
        let tablets = admin.tablets(table).await?;
        let found = &state.properties;
        let properties = properties::read(admin, table, optimizations, found, &tablets).await?;
        Ok(Self {
            table,
            optimizations,
            state,
            servers,
            tablets,
            properties,
        })
    }

    async fn verdict(
        &self,
        admin: &dyn TableAdmin,
        options: &VerifyOptions,
        counts_rows: bool,
        progress: &mut (impl FnMut(u64) + Send),
    ) -> Result<Verdict> {
        let mut look = Look {
            optimizations: self.optimizations,
            tablets: &self.tablets,
            servers: &self.servers,
            scale: Scale {
                max_skew: options.max_skew,
                counts_rows,
            },
        };
        let contents = if counts_rows {
            self.count(admin, options, &look, progress).await?
        } else {
            Contents::of_entries(&look, None)
        };
        look.scale.counts_rows = contents.census.counts_rows;
        self.judge(options, &look, contents)
    }

    /// Counts the rows. If the user may not read them, uses the tablets' own counts of entries.
    async fn count(
        &self,
        admin: &dyn TableAdmin,
        options: &VerifyOptions,
        look: &Look<'_>,
        progress: &mut (impl FnMut(u64) + Send),
    ) -> Result<Contents> {
        let counted = async {
            let authorizations = options.authorizations.clone();
            let table = admin.open_table(self.table, authorizations).await?;
            let census = Census::of_rows(&*table, look, progress).await?;
            let cells = CellsVerdict::count(&*table, look, &census).await?;
            Ok(Contents {
                census,
                cells,
                denial: None,
            })
        };
        match counted.await {
            Err(denial) if ErrorKind::Denied == Error::kind(&denial) => {
                Ok(Contents::of_entries(look, Some(denial)))
            }
            counted => counted,
        }
    }

    fn judge(
        &self,
        options: &VerifyOptions,
        look: &Look<'_>,
        contents: Contents,
    ) -> Result<Verdict> {
        let Contents {
            census,
            cells,
            denial,
        } = contents;
        let pattern = self.optimizations.group_pattern();
        let names = groups::names(pattern.as_deref(), &self.tablets)?;
        let mut groups = groups::count(&names, &self.tablets, &self.servers);
        group_loads::add(&mut groups, &names, look, &census)?;
        let splits = &self.state.splits;
        let servers = ServerLoad::new(look, &census);
        let mut unproved = Unproved::of(look, &census, &servers);
        unproved.extend(cells.as_ref().and_then(CellsVerdict::unproved));
        let mut verdict = Verdict {
            table: self.table.to_owned(),
            ok: false,
            differences: Vec::new(),
            unproved,
            splits: SplitsVerdict::compare(self.optimizations, splits, options.allow_extra_splits)?,
            properties: self.properties.clone(),
            groups,
            counted: census.counts_rows,
            max_skew: options.max_skew,
            tablets: {
                let counts = look.with_counts(&census.included);
                look.judged(look.scale.of_even_tablets(census.whole(look), counts))
            },
            servers,
            other_rows: OtherRowsVerdict::new(options.other_rows, look, &census),
            unseen: UnseenVerdict::new(look, &census),
            rows: census.rows.clone(),
            cells,
        };
        verdict.add(verdict.findings(look, &census, &names, options));
        verdict.add(denial.map(|denial| {
            let sentence = format!("the rows could not be counted: {denial}");
            Difference::new(DifferenceKind::RowsDenied, self.table, 0.0, sentence)
        }));
        Ok(verdict)
    }
}

impl Contents {
    fn of_entries(look: &Look<'_>, denial: Option<Error>) -> Self {
        Self {
            census: Census::of_entries(look),
            cells: None,
            denial,
        }
    }
}
