//! The file that says what a table should be like.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use fluo_recipes::{HashScheme, RowHasher, TableOptimizations};
use serde::Deserialize;

use crate::document;

/// The file, in TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    #[serde(default)]
    row_hasher: Vec<RowHasherSpec>,
}

/// One hasher whose rows are in the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowHasherSpec {
    prefix: String,
    tablets: u32,
    #[serde(default)]
    scheme: HashScheme,
}

/// The argument that names the file.
#[derive(clap::Args, Debug)]
pub(crate) struct SpecArguments {
    /// What the table should be like, in TOML: one row_hasher table for each hasher, with prefix, tablets and,
    /// optionally, scheme
    #[arg(long, value_name = "FILE.toml")]
    spec: PathBuf,
}

impl SpecArguments {
    pub(crate) fn read(&self) -> Result<TableOptimizations> {
        read(&self.spec)
    }
}

/// Reads the optimizations that a file asks for.
pub(crate) fn read(path: &Path) -> Result<TableOptimizations> {
    let name = path.display();
    let bytes = document::read(path).with_context(|| format!("cannot read the spec {name}"))?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("the spec {name} is not UTF-8 text"))?;
    parse(text).with_context(|| format!("the spec {name} cannot be used"))
}

fn parse(text: &str) -> Result<TableOptimizations> {
    let spec: Spec = toml::from_str(text).map_err(|error| located(text, &error))?;
    if spec.row_hasher.is_empty() {
        bail!(
            "it names no recipe; write at least one [[row_hasher]] with a prefix and a number of tablets"
        );
    }
    let mut all = TableOptimizations::default();
    for (index, recipe) in spec.row_hasher.iter().enumerate() {
        let optimizations = recipe
            .optimizations()
            .with_context(|| format!("[[row_hasher]] number {}", index + 1))?;
        all = all.merge(optimizations)?;
    }
    Ok(all)
}

/// The error in one line, with its place: the parser's own text shows the whole line of the file.
fn located(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let message = error.message();
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            anyhow!("line {line}, column {column}: {message}")
        }
        None => anyhow!("{message}"),
    }
}

impl RowHasherSpec {
    fn optimizations(&self) -> Result<TableOptimizations> {
        let hasher = RowHasher::builder(&self.prefix)
            .scheme(self.scheme)
            .build()?;
        TableOptimizations::of_row_hasher(&hasher, self.tablets)
            .with_context(|| format!("row hasher `{}`", self.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        format!("{:#}", parse(text).unwrap_err())
    }

    #[test]
    fn a_spec_is_read() {
        let text = "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\nscheme = \"sha1-base32\"\n\
                    [[row_hasher]]\nprefix = \"q\"\ntablets = 1\n";
        assert_eq!(parse(text).unwrap().splits().len(), 21);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert!(message("").starts_with("it names no recipe"));
        assert!(message("[[row_hasher]]\nprefix = \"p\"\n").contains("missing field `tablets`"));
        let unknown = message("[[row_hasher]]\nprefix = \"p\"\ntablets = 2\ntablet = 3\n");
        assert!(
            unknown.starts_with("line 4, column 1: unknown field `tablet`"),
            "{unknown}"
        );
        assert!(message("[[row_hasher]]\nprefix = \"p\"\ntablets = -1\n").contains("line 3"));
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
