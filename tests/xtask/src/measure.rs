//! `cargo xtask measure`: the sizes of files and functions, documentation and tests, per crate.
//!
//! The product is the code of the crates outside of `tests/`, without modules of tests. Benchmarks
//! and examples are neither product nor tests.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, TraitItemFn};

use crate::cargo::{print, workspace};
use crate::source::{self, Crate};
use crate::{api, metadata};

/// Folders below `tests` without tests of the product.
const TOOLS: [&str; 2] = ["tests/xtask", "tests/benches"];

const ROWS: [&str; 12] = [
    "files",
    "lines without tests",
    "of it lines of code",
    "lines of a file: p25/median/p75/p90/max",
    "files of at most 500 / 250 lines",
    "functions",
    "lines of a function: median/p95/max",
    "share of doc comments",
    "`# Errors`/`# Panics`/`# Examples`",
    "names at the crate root",
    "lines of tests",
    "tests",
];

/// The measures of a crate, or of several.
#[derive(Clone, Debug, Default)]
struct Measures {
    /// The lines of each file of the product.
    file_lines: Vec<usize>,
    /// The lines of each function with a body.
    function_lines: Vec<usize>,
    code_lines: usize,
    doc_lines: usize,
    /// The headings `# Errors`, `# Panics` and `# Examples`.
    headings: [usize; 3],
    root_names: Option<usize>,
    /// The lines of all files, with those of tests.
    all_lines: usize,
    tests: usize,
}

/// Prints the measures of all crates as a Markdown table.
pub(crate) fn measure() -> Result<()> {
    let crates = source::crates(&metadata::of_workspace()?)?;
    let mut columns = BTreeMap::new();
    let mut all = Measures::default();
    for one in crates.iter().filter(|one| one.is_product) {
        let column: &mut Measures = columns.entry(one.name.as_str()).or_default();
        column.root_names = one.is_library.then(|| api::root_names(one));
        column.add_crate(one);
        all.add_crate(one);
    }
    for folder in ["src", "recipes", "tests"] {
        for file in source::files(&workspace().join(folder), "rs")? {
            let path = file.strip_prefix(workspace()).unwrap_or(&file);
            let owners = crates.iter().filter(|one| path.starts_with(&one.folder));
            let owner = owners.max_by_key(|one| one.folder.as_os_str().len());
            let parts = owner.and_then(|one| path.strip_prefix(&one.folder).ok());
            if parts.is_some_and(|parts| parts.starts_with("examples")) {
                continue;
            }
            let column = match owner.filter(|one| one.is_product) {
                Some(one) => &one.name,
                None if TOOLS.iter().any(|tool| path.starts_with(tool)) => continue,
                None => "tests",
            };
            let text = fs::read_to_string(&file)
                .with_context(|| format!("`{}` cannot be read", file.display()))?;
            for measures in [columns.entry(column).or_default(), &mut all] {
                measures.all_lines += text.lines().count();
                measures.tests += tests(&text);
            }
        }
    }
    let columns: Vec<_> = columns.into_iter().chain([("all", all)]).collect();
    print(&table(&columns));
    Ok(())
}

/// Returns a table with a column for each of these measures.
fn table(columns: &[(&str, Measures)]) -> String {
    let names: String = columns.iter().map(|(name, _)| format!(" {name} |")).collect();
    let mut lines = vec![format!("| |{names}"), format!("|---|{}", "---|".repeat(columns.len()))];
    let columns: Vec<_> = columns.iter().map(|(_, measures)| measures.cells()).collect();
    for (row, name) in ROWS.iter().enumerate() {
        let cells = columns.iter().filter_map(|cells| cells.get(row));
        let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
        lines.push(format!("| {name} |{cells}"));
    }
    lines.join("\n")
}

impl Measures {
    fn add_crate(&mut self, one: &Crate) {
        for file in &one.files {
            self.add_file(product(&file.text));
            file.items.iter().for_each(|item| self.visit_item(item));
        }
    }

    fn add_file(&mut self, text: &str) {
        self.file_lines.push(text.lines().count());
        for line in text.lines().map(str::trim_start) {
            if let Some(doc) = line.strip_prefix("///").or(line.strip_prefix("//!")) {
                self.doc_lines += 1;
                let headings = ["# Errors", "# Panics", "# Examples"];
                for (count, heading) in self.headings.iter_mut().zip(headings) {
                    *count += usize::from(doc.trim() == heading);
                }
            } else if !line.is_empty() && !line.starts_with("//") {
                self.code_lines += 1;
            }
        }
    }

    fn add_function(&mut self, first: &impl Spanned, body: &Block) {
        let (first, last) = (first.span().start().line, body.span().end().line);
        self.function_lines.push(last.saturating_sub(first) + 1);
    }

    /// Returns the cells of a column, in the order of [`ROWS`].
    fn cells(&self) -> [String; 12] {
        let lines: usize = self.file_lines.iter().sum();
        let share = |most| {
            let files = self.file_lines.iter().filter(|lines| **lines <= most);
            percent(files.count(), self.file_lines.len())
        };
        let root_names = self.root_names.map(|names| names.to_string());
        [
            self.file_lines.len().to_string(),
            lines.to_string(),
            self.code_lines.to_string(),
            quantiles(&self.file_lines, &[25, 50, 75, 90, 100]),
            format!("{} / {}", share(500), share(250)),
            self.function_lines.len().to_string(),
            quantiles(&self.function_lines, &[50, 95, 100]),
            percent(self.doc_lines, lines),
            self.headings.map(|count| count.to_string()).join("/"),
            root_names.unwrap_or_else(|| "-".to_owned()),
            self.all_lines.saturating_sub(lines).to_string(),
            self.tests.to_string(),
        ]
    }
}

impl<'a> Visit<'a> for Measures {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.add_function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.add_function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(body) = &item.default {
            self.add_function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// Returns the part of a file above its module of tests.
pub(crate) fn product(text: &str) -> &str {
    let mut end = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_test = line.trim_end() == "#[cfg(test)]";
        let is_body = |next: &&str| next.contains("mod ") && next.trim_end().ends_with('{');
        if is_test && lines.peek().is_some_and(is_body) {
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or(text).trim_end()
}

/// Returns the number of tests that a file declares.
fn tests(text: &str) -> usize {
    let markers = ["#[test]", "#[tokio::test", "#[rstest]"];
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| markers.iter().any(|marker| line.starts_with(marker))).count()
}

/// Returns quantiles in percent; `-` of nothing.
fn quantiles(values: &[usize], percents: &[usize]) -> String {
    let mut values = values.to_vec();
    values.sort_unstable();
    let last = values.len().saturating_sub(1);
    let quantile = |percent: &usize| values.get(last * percent / 100);
    let quantiles = percents.iter().map(quantile);
    let texts = quantiles.map(|it| it.map_or_else(|| "-".to_owned(), ToString::to_string));
    texts.collect::<Vec<_>>().join("/")
}

fn percent(part: usize, whole: usize) -> String {
    let percent = (part * 100 + whole / 2).checked_div(whole);
    percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"))
}

#[cfg(test)]
mod tests_of_measures {
    use super::*;

    const TEXT: &str = "\
//! A file.

/// Returns one.
///
/// # Errors
///
/// Never.
// Why.
fn one() {}

#[cfg(test)]
mod more;

trait Two { // At the end.
    fn two() {
        fn inner() {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn passes() {}
    #[tokio::test(flavor = \"current_thread\")]
    async fn passes_too() {}
}
";

    #[test]
    fn counts_lines_and_functions_of_the_product() {
        let mut measures = Measures::default();
        let text = product(TEXT);
        measures.add_file(text);
        let items = syn::parse_file(text).unwrap().items;
        items.iter().for_each(|item| measures.visit_item(item));
        measures.tests = tests(TEXT);
        let table = table(&[("a", measures), ("b", Measures::default())]);
        let expected = "\
| | a | b |
|---|---|---|
| files | 1 | 0 |
| lines without tests | 18 | 0 |
| of it lines of code | 8 | 0 |
| lines of a file: p25/median/p75/p90/max | 18/18/18/18/18 | -/-/-/-/- |
| files of at most 500 / 250 lines | 100 % / 100 % | - / - |
| functions | 3 | 0 |
| lines of a function: median/p95/max | 1/1/3 | -/-/- |
| share of doc comments | 33 % | - |
| `# Errors`/`# Panics`/`# Examples` | 1/0/0 | 0/0/0 |
| names at the crate root | - | - |
| lines of tests | 0 | 0 |
| tests | 2 | 0 |";
        assert_eq!(table, expected);
    }
}
