//! A recipe of a spec: a design, the layout of its tablets, and its earlier designs.

use anyhow::{Result, anyhow, bail};
use fluo_keys::{KeyDesign, KeyMigration, RecipeError, RecipeErrorKind, TableRequirement};
use fluo_table::{Bytes, EscapeError, Versions, unescape};
use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use crate::design::{Name, Source, read_design};

/// A design of rows in the table, and the layout of their tablets.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) design: KeyDesign,
    pub(crate) layout: Layout,
    /// All designs of its rows, if it has earlier ones.
    pub(crate) migration: Option<KeyMigration>,
}

/// Adds the command that takes a sample to the error of a design without even split points.
pub(crate) fn with_advice(error: RecipeError) -> anyhow::Error {
    match error.kind() {
        RecipeErrorKind::NoEvenSplits => anyhow!("{error} with `fluo advise`"),
        _ => error.into(),
    }
}

#[derive(Debug)]
pub(crate) enum Layout {
    Tablets(u32),
    At(Vec<Bytes>),
}

/// A row as text, with bytes that are not printable ASCII written `\xNN`.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct SplitPoint(Bytes);

impl TryFrom<String> for SplitPoint {
    type Error = EscapeError;

    fn try_from(text: String) -> Result<Self, EscapeError> {
        unescape(&text).map(Self)
    }
}

impl Recipe {
    /// Reads a table of a spec. Everything but the layout and the earlier designs is a setting of
    /// the design, which `name` names unless the table does.
    pub(super) fn read<'a>(
        source: Source<'a>,
        mut table: Spanned<DeTable<'a>>,
        name: Option<Name>,
    ) -> Result<Self> {
        let span = table.span();
        let layout = Layout::take(source, &mut table)?;
        let before = source.take_tables(table.get_mut(), "before")?.into_iter();
        let before = before.map(|table| read_design(source, table, None));
        let mut designs = before.collect::<Result<Vec<_>>>()?;
        let design = read_design(source, table, name)?;
        let migration = if designs.is_empty() {
            None
        } else {
            designs.push(design.clone());
            // Nothing is merged before the table is known, and with it the number of versions.
            let migration = KeyMigration::new(designs, Versions::All);
            Some(migration.map_err(|error| source.error(Some(span), error))?)
        };
        Ok(Self { design, layout, migration })
    }

    fn earlier(&self) -> impl Iterator<Item = KeyDesign> {
        self.migration.iter().flat_map(|migration| {
            let designs = migration.designs();
            let earlier = designs.len().saturating_sub(1);
            designs.take(earlier).cloned()
        })
    }

    pub(super) fn requirement(&self) -> Result<TableRequirement> {
        let requirement = match &self.layout {
            Layout::Tablets(tablets) => {
                TableRequirement::for_key_design(&self.design, *tablets).map_err(with_advice)?
            }
            Layout::At(points) => {
                TableRequirement::for_key_design_at(&self.design, points.iter().cloned())?
            }
        };
        Ok(requirement.after(self.earlier()))
    }

    pub(crate) fn name(&self) -> String {
        match self.design.row_hasher() {
            Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
            None => format!("key design {}", self.design.name()),
        }
    }
}

impl Layout {
    fn take<'a>(source: Source<'a>, table: &mut Spanned<DeTable<'a>>) -> Result<Self> {
        let (span, table) = (table.span(), table.get_mut());
        let tablets = source.take::<u32>(table, "tablets")?;
        let points = source.take::<Vec<SplitPoint>>(table, "split_points")?;
        match (tablets, points) {
            (Some(tablets), None) => Ok(Self::Tablets(tablets)),
            (None, Some(points)) => Ok(Self::At(points.into_iter().map(|point| point.0).collect())),
            (Some(_), Some(_)) => {
                let cause = "`tablets` and `split_points` exclude each other";
                Err(source.error(Some(span), cause))
            }
            (None, None) => {
                let error = source.error(Some(span), "missing field `tablets` or `split_points`");
                bail!("{error}; give a number of tablets, or points such as [\"g\", \"p\"]")
            }
        }
    }
}
