//! The spec: a file with the wanted designs and tablets of a table.

mod key_design;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fluo_recipes::{
    DesignError, DesignErrorKind, HashScheme, KeyDesign, MaxSkew, OtherRows, RowHasher,
    TableOptimizations, TableRequirement,
};
use fluo_table::Bytes;
use serde::Deserialize;
use toml::Spanned;

use self::key_design::KeyDesignSpec;
use crate::atomic_file;
use crate::text::shortened;

/// The content of the file, in TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    #[serde(default)]
    row_hasher: Vec<RowHasherSpec>,
    #[serde(default)]
    key_design: Vec<KeyDesignSpec>,
    max_skew: Option<Spanned<Number>>,
    #[serde(default)]
    other_rows: OtherRowsSpec,
}

/// A number, with or without a decimal point.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Fraction(f64),
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

/// A hasher of rows in the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowHasherSpec {
    prefix: String,
    tablets: u32,
    #[serde(default)]
    scheme: HashScheme,
}

/// A design of rows in the table, and the layout of their tablets.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) design: KeyDesign,
    pub(crate) layout: Layout,
    /// The earlier designs of its rows, oldest first.
    pub(crate) before: Vec<KeyDesign>,
}

/// The layout of tablets.
#[derive(Debug)]
pub(crate) enum Layout {
    /// This number of equal tablets.
    Tablets(u32),
    /// Tablets with these split points.
    At(Vec<Bytes>),
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
        using(&self.spec, parse)
    }

    /// Refuses an output file that is the spec itself.
    pub(crate) fn check_is_not(&self, out: &Path) -> Result<()> {
        atomic_file::check_is_another(out, &self.spec, "the spec")
    }
}

/// Reads the optimizations of a file.
pub(crate) fn read(path: &Path) -> Result<TableOptimizations> {
    let (optimizations, _) = using(path, parse)?;
    Ok(optimizations)
}

/// Reads the designs of a file.
pub(crate) fn recipes(path: &Path) -> Result<Vec<Recipe>> {
    using(path, |text| {
        let (recipes, _) = parse_recipes(text)?;
        let recipes: Vec<_> = recipes.into_iter().map(|(_, recipe)| recipe).collect();
        check_overlap(&recipes)?;
        Ok(recipes)
    })
}

/// Refuses recipes that cannot share a table, regardless of their split points.
fn check_overlap(recipes: &[Recipe]) -> Result<()> {
    let mut all = TableOptimizations::default();
    for recipe in recipes {
        let requirement = TableRequirement::for_key_design_at(&recipe.design, [])?;
        all = all.merge(requirement.into())?;
    }
    Ok(())
}

fn using<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let name = path.display();
    let bytes = atomic_file::read(path).with_context(|| format!("cannot read the spec {name}"))?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("the spec {name} is not UTF-8 text"))?;
    parse(text).with_context(|| format!("the spec {name} cannot be used"))
}

fn parse(text: &str) -> Result<(TableOptimizations, Expected)> {
    let (recipes, expected) = parse_recipes(text)?;
    let mut all = TableOptimizations::default();
    for (place, recipe) in recipes {
        let requirement = recipe.requirement().context(place)?;
        all = all.merge(requirement.into())?;
    }
    Ok((all, expected))
}

/// Reads the recipes of a spec, each with its place in the file, and the expectations about the
/// rows.
fn parse_recipes(text: &str) -> Result<(Vec<(String, Recipe)>, Expected)> {
    let spec: Spec = toml::from_str(text).map_err(|error| located(text, &error))?;
    let expected = spec.expected(text)?;
    if spec.row_hasher.is_empty() && spec.key_design.is_empty() {
        bail!(
            "it names no recipe; write at least one [[row_hasher]] with a prefix and a number of tablets, or one \
             [[key_design]]"
        );
    }
    let hashers = numbered("row_hasher", &spec.row_hasher).map(|(place, hasher)| {
        let recipe = hasher.recipe().context(place.clone())?;
        Ok((place, recipe))
    });
    let designs = numbered("key_design", &spec.key_design).map(|(place, design)| {
        let recipe = match design.recipe() {
            Ok(recipe) => recipe,
            Err((Some(span), error)) => return Err(error.context(place_of(text, &span))),
            Err((None, error)) => return Err(error.context(place)),
        };
        Ok((place, recipe))
    });
    let recipes = hashers.chain(designs).collect::<Result<_>>()?;
    Ok((recipes, expected))
}

impl Spec {
    fn expected(&self, text: &str) -> Result<Expected> {
        let max_skew = match &self.max_skew {
            None => MaxSkew::default(),
            Some(written) => written
                .as_ref()
                .max_skew()
                .ok_or_else(|| anyhow!("max_skew is a number from 1 to 1,000,000, such as 2"))
                .with_context(|| place_of(text, &written.span()))?,
        };
        let other_rows = match self.other_rows {
            OtherRowsSpec::Refused => OtherRows::Refused,
            OtherRowsSpec::Allowed => OtherRows::Allowed,
        };
        Ok(Expected {
            max_skew,
            other_rows,
        })
    }
}

impl Number {
    fn max_skew(self) -> Option<MaxSkew> {
        let number = match self {
            Self::Whole(number) => f64::from(u32::try_from(number).ok()?),
            Self::Fraction(number) => number,
        };
        MaxSkew::new(number).ok()
    }
}

fn numbered<'a, T>(kind: &str, all: &'a [T]) -> impl Iterator<Item = (String, &'a T)> {
    let place = move |index| format!("[[{kind}]] number {}", index + 1);
    all.iter()
        .enumerate()
        .map(move |(index, one)| (place(index), one))
}

/// Formats a parser error on one line, with its place. The parser's own text repeats the whole line
/// of the file.
fn located(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let message = error.message();
    match error.span() {
        Some(span) => {
            let written = text.get(span.clone()).unwrap_or_default();
            let message = in_words(message, written);
            anyhow!("{}: {message}", place_of(text, &span))
        }
        None => anyhow!("{message}"),
    }
}

/// Rewrites a message of the parser without the names of its own types.
fn in_words(message: &str, written: &str) -> String {
    let is_number = message.contains("integer `");
    match message.rsplit_once(", expected ") {
        Some((_, "u32")) => format!(
            "{} is not a number from 1 to {}",
            shortened(written),
            u32::MAX
        ),
        _ if message.contains("untagged enum Number") => {
            "max_skew is a number from 1 to 1,000,000, such as 2".to_owned()
        }
        Some((_, "a string")) => format!("{} is not text in quotes", shortened(written)),
        Some((_, "a sequence")) => {
            "one bracket where there are two: write [[row_hasher]] or [[key_design]]".to_owned()
        }
        Some((_, "a map" | "struct RowHasherSpec")) => {
            format!("{} is not a table of settings", shortened(written))
        }
        Some(_) if is_number => format!("{} is a number that is too large", shortened(written)),
        None if message.contains("overflow") => {
            format!("{} is a number that is too large", shortened(written))
        }
        None if message.starts_with("wanted string") => {
            format!("{} is not a name in quotes", shortened(written))
        }
        _ => message.to_owned(),
    }
}

fn place_of(text: &str, span: &Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}

impl RowHasherSpec {
    fn recipe(&self) -> Result<Recipe> {
        let hasher = RowHasher::builder(&self.prefix)
            .scheme(self.scheme)
            .build()?;
        Ok(Recipe {
            design: KeyDesign::from(&hasher),
            layout: Layout::Tablets(self.tablets),
            before: Vec::new(),
        })
    }
}

/// Adds the command that takes a sample to the error of a design without even split points.
pub(crate) fn with_advice(error: DesignError) -> anyhow::Error {
    match error.kind() {
        DesignErrorKind::NoEvenSplits => anyhow!("{error} with `fluo advise`"),
        _ => error.into(),
    }
}

impl Recipe {
    fn requirement(&self) -> Result<TableRequirement> {
        let requirement = match &self.layout {
            Layout::Tablets(tablets) => TableRequirement::for_key_design(&self.design, *tablets)
                .map_err(with_advice)
                .with_context(|| self.name())?,
            Layout::At(points) => {
                TableRequirement::for_key_design_at(&self.design, points.iter().cloned())?
            }
        };
        Ok(requirement.after(self.before.iter().cloned()))
    }

    /// Returns the name of the recipe in messages.
    pub(crate) fn name(&self) -> String {
        match self.design.row_hasher() {
            Some(hasher) => format!("row hasher `{}`", hasher.prefix()),
            None => format!("key design {}", self.design.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let text = format!("max_skew = {wrong}\n{recipe}");
            assert_eq!(
                message(&text),
                "line 1, column 12: max_skew is a number from 1 to 1,000,000, such as 2",
                "{wrong}"
            );
        }
        assert_eq!(
            message(&format!("other_rows = \"fine\"\n{recipe}")),
            "line 1, column 14: unknown variant `fine`, expected `refused` or `allowed`"
        );
    }

    #[test]
    fn reports_errors_with_their_place() {
        assert!(message("").starts_with("it names no recipe"));
        assert!(message("[[row_hasher]]\nprefix = \"p\"\n").contains("missing field `tablets`"));
        let unknown = message("[[row_hasher]]\nprefix = \"p\"\ntablets = 2\ntablet = 3\n");
        assert!(
            unknown.starts_with("line 4, column 1: unknown field `tablet`"),
            "{unknown}"
        );
        for (setting, right) in [
            ("-1", "not a number from 1 to 4294967295"),
            ("\"2\"", "not a number from 1 to 4294967295"),
            ("99999999999999999999", "not a number from 1 to 4294967295"),
            (
                "999999999999999999999999999999999999999999",
                "a number that is too large",
            ),
        ] {
            let text = format!("[[row_hasher]]\nprefix = \"p\"\ntablets = {setting}\n");
            assert_eq!(
                message(&text),
                format!("line 3, column 11: {setting} is {right}")
            );
        }
        let of_design = "[[key_design]]\ndesign = \"modulo\"\ntablets = 99999999999999999999\n";
        assert_eq!(
            message(of_design),
            "line 3, column 11: 99999999999999999999 is a number that is too large"
        );
        for (text, right) in [
            (
                "[[row_hasher]]\nprefix = 3\n",
                "line 2, column 10: 3 is not text in quotes",
            ),
            (
                "[[row_hasher]]\nscheme = 3\n",
                "line 2, column 10: 3 is not a name in quotes",
            ),
            (
                "[row_hasher]\nprefix = \"p\"\n",
                "line 1, column 1: one bracket where there are two: write [[row_hasher]] or [[key_design]]",
            ),
            (
                "key_design = [3]\n",
                "line 1, column 15: 3 is not a table of settings",
            ),
        ] {
            assert_eq!(message(text), right);
        }
        assert!(
            message("[[row_hasher]]\nprefix = \"p\"\ntablets = 0\n").contains("row hasher `p`")
        );
        assert_eq!(
            message(
                "[[row_hasher]]\nprefix = \"p\"\ntablets = 1\n[[row_hasher]]\nprefix = \"\"\ntablets = 1\n"
            ),
            "[[row_hasher]] number 2: the prefix of a row hasher is empty: give at least one character, such as `p`"
        );
        assert_eq!(
            message("[[row_hasher]]\nprefix = \"é\" é"),
            "line 2, column 14: unexpected key or value, expected newline, `#`"
        );
        let twice = "[[row_hasher]]\nprefix = \"p\"\ntablets = 1\n".repeat(2);
        assert!(message(&twice).contains("row hasher `p` and row hasher `p` overlap"));
    }
}
