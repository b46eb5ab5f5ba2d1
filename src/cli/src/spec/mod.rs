//! The spec: a file with the wanted designs and tablets of a table.

mod recipe;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fluo_keys::{MaxSkew, OtherRows, TableOptimizations, TableRequirement};
use serde::Deserialize;
use toml::Spanned;

pub(crate) use self::recipe::{Layout, Recipe, with_advice};
use crate::atomic_file;
use crate::settings::{Section, Source};

/// The content of a spec.
struct Spec {
    source: Source,
    /// The recipes, each with its place in the file.
    recipes: Vec<(Range<usize>, Recipe)>,
    expected: Expected,
}

/// The setting `other_rows`, for rows that belong to no recipe.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OtherRowsSpec {
    #[default]
    Refused,
    Allowed,
}

/// The expectations of a spec about the rows of its table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    pub(crate) max_skew: MaxSkew,
    pub(crate) other_rows: OtherRows,
}

/// The argument for the spec.
#[derive(clap::Args, Debug)]
pub(crate) struct SpecArguments {
    /// Wanted state of the table, in TOML: a row_hasher table for each hasher, with prefix, tablets
    /// and an optional scheme; or a key_design table with design, its settings, and tablets or
    /// split_points. Optional at the top: max_skew = 2 and other_rows = "allowed"
    #[arg(long, value_name = "FILE.toml")]
    spec: PathBuf,
}

impl SpecArguments {
    pub(crate) fn read(&self) -> Result<TableOptimizations> {
        read(&self.spec)
    }

    /// Reads the optimizations, and the expectations about the rows.
    pub(crate) fn read_expected(&self) -> Result<(TableOptimizations, Expected)> {
        Spec::read(&self.spec)?.optimizations()
    }

    /// Refuses an output file that is the spec itself.
    pub(crate) fn check_is_not(&self, out: &Path) -> Result<()> {
        atomic_file::check_is_another(out, &self.spec, "the spec")
    }
}

/// Reads the optimizations of a file.
pub(crate) fn read(path: &Path) -> Result<TableOptimizations> {
    let (optimizations, _) = Spec::read(path)?.optimizations()?;
    Ok(optimizations)
}

/// Reads the designs of a file.
pub(crate) fn recipes(path: &Path) -> Result<Vec<Recipe>> {
    let spec = Spec::read(path)?;
    spec.check_overlap()?;
    Ok(spec.recipes.into_iter().map(|(_, recipe)| recipe).collect())
}

const ROW_HASHER: &str = "row_hasher";
const KEY_DESIGN: &str = "key_design";
const MAX_SKEW: &str = "max_skew";
const OTHER_ROWS: &str = "other_rows";

impl Spec {
    fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let bytes =
            atomic_file::read(path).with_context(|| format!("cannot read the spec {name}"))?;
        let text = String::from_utf8(bytes)
            .with_context(|| format!("the spec {name} is not UTF-8 text"))?;
        Self::parse(Source::File { name, text })
    }

    fn parse(source: Source) -> Result<Self> {
        let mut section = Section::parse(&source)?;
        let mut recipes = Vec::new();
        for section in section.take_sections(ROW_HASHER)? {
            recipes.push((section.span(), Recipe::of_row_hasher(section)?));
        }
        for section in section.take_sections(KEY_DESIGN)? {
            recipes.push((section.span(), Recipe::of_key_design(section)?));
        }
        let expected = Expected::take(&mut section)?;
        section.check_names("a spec", &[ROW_HASHER, KEY_DESIGN, MAX_SKEW, OTHER_ROWS])?;
        if recipes.is_empty() {
            return Err(source.error(
                None,
                "there is no recipe",
                "write at least one [[row_hasher]] with a prefix and a number of tablets, or one [[key_design]]",
            ));
        }
        Ok(Self {
            source,
            recipes,
            expected,
        })
    }

    /// Returns the optimizations, and the expectations about the rows.
    fn optimizations(&self) -> Result<(TableOptimizations, Expected)> {
        let mut all = TableOptimizations::default();
        for (span, recipe) in &self.recipes {
            let requirement = recipe.requirement();
            let requirement =
                requirement.map_err(|error| self.source.error(Some(span.clone()), error, ""))?;
            all = self.merge(all, requirement)?;
        }
        Ok((all, self.expected))
    }

    /// Refuses recipes that cannot share a table, regardless of their split points.
    fn check_overlap(&self) -> Result<()> {
        let mut all = TableOptimizations::default();
        for (_, recipe) in &self.recipes {
            let requirement = TableRequirement::for_key_design_at(&recipe.design, [])?;
            all = self.merge(all, requirement)?;
        }
        Ok(())
    }

    fn merge(
        &self,
        all: TableOptimizations,
        requirement: TableRequirement,
    ) -> Result<TableOptimizations> {
        let merged = all.merge(requirement.into());
        merged.map_err(|error| self.source.error(None, error, ""))
    }
}

impl Expected {
    fn take(section: &mut Section<'_>) -> Result<Self> {
        let about = "a number from 1 to 1,000,000, such as 2";
        let max_skew = match section.take::<Spanned<f64>>(MAX_SKEW, about)? {
            None => MaxSkew::default(),
            Some(number) => MaxSkew::new(*number.as_ref()).map_err(|_| {
                let cause = format!("the skew cannot be {}", number.as_ref());
                section.error_at(number.span(), &cause, &format!("`{MAX_SKEW}` is {about}"))
            })?,
        };
        let other_rows = section.take(OTHER_ROWS, "refused, unless given, or allowed")?;
        Ok(Self {
            max_skew,
            other_rows: match other_rows.unwrap_or_default() {
                OtherRowsSpec::Refused => OtherRows::Refused,
                OtherRowsSpec::Allowed => OtherRows::Allowed,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(TableOptimizations, Expected)> {
        let source = Source::File {
            name: "s.toml".to_owned(),
            text: text.to_owned(),
        };
        Spec::parse(source)?.optimizations()
    }

    fn message(text: &str) -> String {
        format!("{:#}", parse(text).unwrap_err())
    }

    #[test]
    fn reads_a_spec() {
        let text = "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\nscheme = \"sha1-base32\"\n\
                    [[row_hasher]]\nprefix = \"q\"\ntablets = 1\n";
        let (optimizations, expected) = parse(text).unwrap();
        assert_eq!(optimizations.splits().len(), 21);
        assert_eq!(expected, Expected::default());
    }

    #[test]
    fn reads_the_expectations_about_the_rows() {
        let recipe = "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n";
        let expected = |text: &str| parse(&format!("{text}\n{recipe}")).unwrap().1;
        for (text, max_skew) in [("max_skew = 3", 3.0), ("max_skew = 1.5", 1.5)] {
            assert_eq!(expected(text).max_skew.get(), max_skew);
        }
        assert_eq!(
            expected("other_rows = \"allowed\"").other_rows,
            OtherRows::Allowed
        );
        for wrong in ["0.5", "0", "-1", "nan", "inf", "\"2\""] {
            let message = message(&format!("max_skew = {wrong}\n{recipe}"));
            let place = ", at line 1, column 12 of s.toml: `max_skew` is a number from 1 to 1,000,000, such as 2";
            assert!(message.ends_with(place), "{message}");
        }
        assert_eq!(
            message(&format!("other_rows = \"fine\"\n{recipe}")),
            "unknown variant `fine`, expected `refused` or `allowed`, at line 1, column 14 of s.toml: `other_rows` is \
             refused, unless given, or allowed"
        );
    }

    #[test]
    fn reports_errors_with_their_place() {
        for (text, right) in [
            (
                "[[row_hasher]]\nprefix = 3\ntablets = 2\n",
                "invalid type: integer `3`, expected a string, at line 2, column 10 of s.toml: `prefix` is the start of \
                 every key, before the first `:`",
            ),
            (
                "[[row_hasher]]\nscheme = 3\nprefix = \"p\"\ntablets = 2\n",
                "at line 2, column 10 of s.toml: `scheme` is the hash of the rows: ",
            ),
            (
                "key_design = [3]\n",
                "`key_design` is not an array of tables, at line 1, column 15 of s.toml: ",
            ),
            (
                "[[row_hasher]]\nprefix = \"é\" é",
                "unexpected key or value, expected newline, `#`, at line 2, column 14 of s.toml",
            ),
        ] {
            let message = message(text);
            assert!(message.contains(right), "{message}");
        }
        let twice = "[[row_hasher]]\nprefix = \"p\"\ntablets = 1\n".repeat(2);
        assert!(message(&twice).contains("row hasher `p` and row hasher `p` overlap"));
    }
}
