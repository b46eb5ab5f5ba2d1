//! The spec: a file with the wanted designs and tablets of a table.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow};
use fluo_keys::{
    KeyDesign, KeyMigration, MaxSkew, RecipeErrorKind, TableOptimizations, TableRequirement,
    VerifyOptions,
};
use fluo_table::{Bytes, Versions, unescape};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;
use toml::de::{DeString, DeTable};

use crate::design::{Name, Place, Source, read_design};
use crate::{atomic_file, exit, lines};

/// The names of the settings of a spec. The first two are arrays of tables.
const SETTINGS: [&str; 4] = ["row_hasher", "key_design", "max_skew", "other_rows"];

/// The settings of a recipe that are not those of its design.
const LAYOUT: [&str; 3] = ["tablets", "split_points", "before"];

#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) design: KeyDesign,
    pub(crate) layout: Layout,
    /// All designs of its rows, if it has earlier ones.
    pub(crate) migration: Option<KeyMigration>,
}

#[derive(Debug)]
pub(crate) enum Layout {
    Tablets(u32),
    At(Vec<Bytes>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Expected {
    #[serde(deserialize_with = "max_skew", skip_serializing_if = "is_default")]
    pub(crate) max_skew: MaxSkew,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) other_rows: OtherRows,
}

impl Expected {
    pub(crate) fn verify_options(self) -> VerifyOptions {
        VerifyOptions::new()
            .max_skew(self.max_skew)
            .allow_other_rows(self.other_rows == OtherRows::Allowed)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OtherRows {
    #[default]
    Refused,
    Allowed,
}

pub(crate) fn read(path: &Path) -> Result<(TableOptimizations, Expected)> {
    let (recipes, expected) = parts(path)?;
    Ok((merged(&recipes, Recipe::requirement)?, expected))
}

/// Returns the name of a spec in messages.
pub(crate) fn name_of(path: &Path) -> String {
    match lines::is_standard_input(path) {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Reads the recipes of a file. Refuses recipes that cannot share a table, regardless of their
/// split points.
pub(crate) fn recipes(path: &Path) -> Result<Vec<Recipe>> {
    Ok(recipes_and_expected(path)?.0)
}

pub(crate) fn recipes_and_expected(path: &Path) -> Result<(Vec<Recipe>, Expected)> {
    let (recipes, expected) = parts(path)?;
    merged(&recipes, |recipe| {
        recipe.after_earlier(TableRequirement::for_key_design_at(&recipe.design, [])?)
    })?;
    Ok((recipes.into_iter().map(|(_, recipe)| recipe).collect(), expected))
}

/// Checks a spec before it is written as a file of this name.
pub(crate) fn check(name: &str, text: &str) -> Result<()> {
    let (mut recipes, _) = parsed(name, text.as_bytes())?;
    // The file has no lines yet.
    let whole = Source::File { name, text, others: &[] }.place(None);
    recipes.iter_mut().for_each(|(place, _)| place.clone_from(&whole));
    merged(&recipes, Recipe::requirement)?;
    Ok(())
}

fn parts(path: &Path) -> Result<(Vec<(Place, Recipe)>, Expected)> {
    let name = name_of(path);
    let bytes = atomic_file::read(path).with_context(|| format!("cannot read the spec {name}"))?;
    parsed(&name, &bytes)
}

/// Returns the recipes, each with the place of an error of it, and the expectations.
fn parsed(name: &str, bytes: &[u8]) -> Result<(Vec<(Place, Recipe)>, Expected)> {
    let start = bytes.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default();
    let source = Source::File { name, text: start, others: &[] };
    let text = str::from_utf8(bytes)
        .map_err(|_| source.error(Some(start.len()..start.len()), "the spec is not UTF-8 text"))?;
    let mut table = source.parse(text)?;
    let known = |name: &&Spanned<DeString<'_>>| SETTINGS.contains(&name.as_ref().as_ref());
    if let Some(unknown) = table.get_ref().keys().find(|name| !known(name)) {
        return Err(source.unknown(unknown.span(), unknown.as_ref(), &SETTINGS));
    }
    let mut recipes = Vec::new();
    for (array, design) in [("row_hasher", Some(Name::RowHasher)), ("key_design", None)] {
        for table in source.take_tables(table.get_mut(), array, array)? {
            let place = source.place(Some(table.span()));
            recipes.push((place, Recipe::read(source, table, array, design)?));
        }
    }
    if recipes.is_empty() {
        let message = format!(
            "the spec {name} has no recipe; write [[row_hasher]] with `prefix` and `tablets`, or [[key_design]]"
        );
        return Err(exit::marked(message, None));
    }
    Ok((recipes, source.read(table)?))
}

fn merged(
    recipes: &[(Place, Recipe)],
    requirement: impl Fn(&Recipe) -> Result<TableRequirement>,
) -> Result<TableOptimizations> {
    let mut all = TableOptimizations::default();
    for (place, recipe) in recipes {
        let requirement = requirement(recipe).map_err(|error| place.error(error))?;
        all = all.merge(requirement.into()).map_err(|error| place.error(error))?;
    }
    Ok(all)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn max_skew<'de, D: Deserializer<'de>>(number: D) -> Result<MaxSkew, D::Error> {
    MaxSkew::new(f64::deserialize(number)?).map_err(D::Error::custom)
}

impl Recipe {
    /// Reads a table of a spec. Everything but the layout and the earlier designs is a setting of
    /// the design, which `name` names unless the table does. `array` is the name of the array.
    fn read<'a>(
        source: Source<'a>,
        mut table: Spanned<DeTable<'a>>,
        array: &str,
        name: Option<Name>,
    ) -> Result<Self> {
        let span = table.span();
        let layout = Layout::take(source, &mut table)?;
        let before = source.take_tables(table.get_mut(), "before", &format!("{array}.before"))?;
        let before = before.into_iter();
        let before = before.map(|table| read_design(source, table, None));
        let mut designs = before.collect::<Result<Vec<_>>>()?;
        let design = read_design(source.with_others(&LAYOUT), table, name)?;
        // A wrong name of a setting has precedence.
        let layout = layout.ok_or_else(|| Layout::missing(source, span.clone()))?;
        let is_migrated = !designs.is_empty();
        designs.push(design.clone());
        // Nothing is merged before the table is known, and with it the number of versions.
        let migration = is_migrated.then(|| KeyMigration::new(designs, Versions::All)).transpose();
        let migration = migration.map_err(|error| source.error(Some(span), error))?;
        Ok(Self { design, layout, migration })
    }

    fn requirement(&self) -> Result<TableRequirement> {
        self.after_earlier(self.layout.requirement(&self.design)?)
    }

    /// Returns the earlier designs, oldest first.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &KeyDesign> {
        self.migration.iter().flat_map(|migration| {
            let designs = migration.designs();
            let earlier = designs.len().saturating_sub(1);
            designs.take(earlier)
        })
    }

    fn after_earlier(&self, requirement: TableRequirement) -> Result<TableRequirement> {
        Ok(requirement.after(self.earlier().cloned())?)
    }

    pub(crate) fn name(&self) -> String {
        match self.design.row_hasher() {
            Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
            None => format!("key design {}", self.design.name()),
        }
    }
}

impl Layout {
    /// Removes the layout from a recipe; `None` if it is not given.
    fn take<'a>(source: Source<'a>, table: &mut Spanned<DeTable<'a>>) -> Result<Option<Self>> {
        let (span, table) = (table.span(), table.get_mut());
        let tablets = source.take::<u32>(table, "tablets")?;
        let points = source.take::<Vec<Spanned<String>>>(table, "split_points")?;
        let point = |text: Spanned<String>| {
            unescape(text.get_ref()).map_err(|error| {
                source.error(Some(text.span()), format!("{error}, in `split_points`"))
            })
        };
        match (tablets, points) {
            (Some(tablets), None) => Ok(Some(Self::Tablets(tablets))),
            (None, Some(points)) => {
                let points = points.into_iter().map(point).collect::<Result<_>>()?;
                Ok(Some(Self::At(points)))
            }
            (Some(_), Some(_)) => {
                Err(source.error(Some(span), "`tablets` and `split_points` exclude each other"))
            }
            (None, None) => Ok(None),
        }
    }

    fn missing(source: Source<'_>, span: Range<usize>) -> Error {
        let error = source.error(Some(span), "the setting `tablets` or `split_points` is missing");
        let advice = "give a number of tablets, or points such as [\"g\", \"p\"]";
        exit::advised(error, advice)
    }

    pub(crate) fn requirement(&self, design: &KeyDesign) -> Result<TableRequirement> {
        Ok(match self {
            Self::Tablets(tablets) => {
                // The advice is the command that takes a sample.
                TableRequirement::for_key_design(design, *tablets).map_err(|error| {
                    match error.kind() {
                        RecipeErrorKind::NoEvenSplits => anyhow!("{error} with `fluo advise`"),
                        _ => error.into(),
                    }
                })?
            }
            Self::At(points) => {
                TableRequirement::for_key_design_at(design, points.iter().cloned())?
            }
        })
    }
}
