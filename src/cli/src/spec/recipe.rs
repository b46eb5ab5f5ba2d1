//! A recipe of a spec: a design, the layout of its tablets, and its earlier designs.

use anyhow::{Result, anyhow};
use fluo_keys::{KeyDesign, KeyMigration, RecipeError, RecipeErrorKind, TableRequirement};
use fluo_table::{Bytes, Versions, unescape};
use toml::Spanned;

use crate::design::{ROW_HASHER, read_design};
use crate::settings::Section;

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

/// The layout of tablets.
#[derive(Debug)]
pub(crate) enum Layout {
    /// This number of equal tablets.
    Tablets(u32),
    /// Tablets with these split points.
    At(Vec<Bytes>),
}

const TABLETS: &str = "tablets";
const SPLIT_POINTS: &str = "split_points";
const BEFORE: &str = "before";

impl Recipe {
    /// Reads a table `[[row_hasher]]`.
    pub(super) fn of_row_hasher(mut section: Section<'_>) -> Result<Self> {
        let Some(layout) = Layout::tablets(&mut section)? else {
            return Err(section.error("the row hasher needs `tablets`", &about_tablets()));
        };
        let (source, span) = (section.source(), section.span());
        let settings = ROW_HASHER.read_settings(section, &[TABLETS])?;
        let design = KeyDesign::new(settings);
        Ok(Self {
            design: design.map_err(|error| source.error(Some(span), error, ""))?,
            layout,
            migration: None,
        })
    }

    /// Reads a table `[[key_design]]`. Everything but the layout and the earlier designs is a
    /// setting of the design.
    pub(super) fn of_key_design(mut section: Section<'_>) -> Result<Self> {
        let layout = Layout::take(&mut section)?;
        let before = section.take_sections(BEFORE)?.into_iter();
        let before = before.map(|section| read_design(section, &[]));
        let mut designs = before.collect::<Result<Vec<_>>>()?;
        let (source, span) = (section.source(), section.span());
        let design = read_design(section, &[TABLETS, SPLIT_POINTS, BEFORE])?;
        let migration = if designs.is_empty() {
            None
        } else {
            designs.push(design.clone());
            // Nothing is merged before the table is known, and with it the number of versions.
            let migration = KeyMigration::new(designs, Versions::All);
            Some(migration.map_err(|error| source.error(Some(span), error, ""))?)
        };
        Ok(Self {
            design,
            layout,
            migration,
        })
    }

    /// Returns the earlier designs, oldest first.
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

    /// Returns the name of the recipe in messages.
    pub(crate) fn name(&self) -> String {
        match self.design.row_hasher() {
            Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
            None => format!("key design {}", self.design.name()),
        }
    }
}

impl Layout {
    fn take(section: &mut Section<'_>) -> Result<Self> {
        match (Self::tablets(section)?, Self::points(section)?) {
            (Some(layout), None) | (None, Some(layout)) => Ok(layout),
            (Some(_), Some(_)) => Err(section.error(
                "tablets is the number of split points to make, and split_points has the points",
                "give one of them",
            )),
            (None, None) => Err(section.error(
                "the design has no tablets",
                "give their number, as in tablets = 16, or split_points = [\"g\", \"p\"]; split_points = [] is one \
                 tablet",
            )),
        }
    }

    fn tablets(section: &mut Section<'_>) -> Result<Option<Self>> {
        let about = about_tablets();
        let Some(tablets) = section.take::<Spanned<i64>>(TABLETS, &about)? else {
            return Ok(None);
        };
        let count = u32::try_from(*tablets.as_ref()).ok();
        match count.filter(|count| (1..=KeyDesign::MOST_TABLETS).contains(count)) {
            Some(count) => Ok(Some(Self::Tablets(count))),
            None => Err(section.error_at(
                tablets.span(),
                &format!("a table cannot have {} tablets", tablets.as_ref()),
                &format!("`{TABLETS}` is {about}"),
            )),
        }
    }

    fn points(section: &mut Section<'_>) -> Result<Option<Self>> {
        let about =
            "an array of rows as text, with bytes that are not printable ASCII written \\xNN";
        let points = section.take::<Vec<Spanned<String>>>(SPLIT_POINTS, about)?;
        let Some(points) = points else {
            return Ok(None);
        };
        let point = |point: &Spanned<String>| {
            unescape(point.as_ref()).map_err(|error| {
                let cause = format!("the split point `{}`: {error}", point.as_ref());
                section.error_at(
                    point.span(),
                    &cause,
                    &format!("`{SPLIT_POINTS}` is {about}"),
                )
            })
        };
        let points = points.iter().map(point).collect::<Result<_>>()?;
        Ok(Some(Self::At(points)))
    }
}

fn about_tablets() -> String {
    format!("a number from 1 to {}", KeyDesign::MOST_TABLETS)
}
