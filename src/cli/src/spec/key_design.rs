//! `[[key_design]]`: a design by name, with its settings.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result, anyhow};
use fluo_recipes::KeyDesign;
use fluo_table::{Bytes, unescape};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Layout, Recipe};
use crate::design::settings::{self, Refusal};

/// A design of rows in the table. Everything but the layout is a setting of the design.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct KeyDesignSpec(BTreeMap<Spanned<String>, Spanned<Value>>);

/// An error, with its place in the file if it has one.
type Misplaced = (Option<Range<usize>>, anyhow::Error);

const TABLETS: &str = "tablets";
const SPLIT_POINTS: &str = "split_points";
const BEFORE: &str = "before";

impl KeyDesignSpec {
    pub(super) fn recipe(&self) -> Result<Recipe, Misplaced> {
        let design = self.design()?;
        let (layout, before) = (self.layout()?, self.before()?);
        Ok(Recipe {
            design,
            layout,
            before,
        })
    }

    /// Reads the designs of earlier epochs, which are tables of settings like this one.
    fn before(&self) -> Result<Vec<KeyDesign>, Misplaced> {
        let Some(before) = self.0.get(BEFORE) else {
            return Ok(Vec::new());
        };
        let misplaced = |error| (Some(before.span()), error);
        let tables = before.as_ref().as_array().ok_or_else(|| {
            misplaced(anyhow!(
                "before is an array of designs, oldest first: write [[key_design.before]] for each"
            ))
        })?;
        let design = |(index, table): (usize, &Value)| {
            let settings = table
                .as_table()
                .ok_or_else(|| anyhow!("it is not a table of settings"))?;
            let settings = settings
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()));
            let design = settings::read(&settings.collect())
                .map_err(anyhow::Error::from)
                .and_then(|settings| Ok(KeyDesign::new(settings)?));
            design.with_context(|| format!("[[key_design.before]] number {}", index + 1))
        };
        tables
            .iter()
            .enumerate()
            .map(design)
            .collect::<Result<_>>()
            .map_err(misplaced)
    }

    fn design(&self) -> Result<KeyDesign, Misplaced> {
        let settings = self
            .0
            .iter()
            .filter(|(key, _)| ![TABLETS, SPLIT_POINTS, BEFORE].contains(&key.as_ref().as_str()))
            .map(|(key, value)| (key.as_ref().clone(), value.as_ref().clone()))
            .collect();
        let settings = settings::read(&settings)
            .map_err(|refusal| (self.place_of(&refusal), refusal.into()))?;
        KeyDesign::new(settings).map_err(|error| (None, error.into()))
    }

    fn layout(&self) -> Result<Layout, Misplaced> {
        match (self.0.get(TABLETS), self.0.get(SPLIT_POINTS)) {
            (Some(tablets), None) => {
                let count = tablets.as_ref().as_integer();
                let count = count.and_then(|count| u32::try_from(count).ok());
                let count = count.filter(|count| (1..=KeyDesign::MOST_TABLETS).contains(count));
                count.map(Layout::Tablets).ok_or_else(|| {
                    let message =
                        anyhow!("tablets is a number from 1 to {}", KeyDesign::MOST_TABLETS);
                    (Some(tablets.span()), message)
                })
            }
            (None, Some(points)) => match points_of(points.as_ref()) {
                Ok(points) => Ok(Layout::At(points)),
                Err(error) => Err((Some(points.span()), error)),
            },
            (Some(_), Some(points)) => Err((
                Some(points.span()),
                anyhow!(
                    "tablets says how many split points to make, and split_points which: give one of them"
                ),
            )),
            (None, None) => Err((
                None,
                anyhow!(
                    "give the number of tablets, or the split_points, such as split_points = [\"g\", \"p\"]; \
                     split_points = [] is one tablet"
                ),
            )),
        }
    }

    /// Returns the place of a refused setting: that of its name if the setting is unknown,
    /// otherwise that of its value.
    fn place_of(&self, refusal: &Refusal) -> Option<Range<usize>> {
        let (key, value) = self.0.get_key_value(refusal.setting.as_deref()?)?;
        Some(if refusal.is_unknown {
            key.span()
        } else {
            value.span()
        })
    }
}

/// Reads rows as escaped text.
fn points_of(value: &Value) -> Result<Vec<Bytes>> {
    let what =
        "split_points is an array of rows as text, bytes that are not printable ASCII as \\xNN";
    let Some(points) = value.as_array() else {
        return Err(anyhow!("{what}"));
    };
    let point = |point: &Value| {
        let text = point.as_str().ok_or_else(|| anyhow!("{what}"))?;
        unescape(text).map_err(|error| anyhow!("the split point `{text}`: {error}; {what}"))
    };
    points.iter().map(point).collect()
}
