//! References from pages to the sources: files and names in backticks must exist.
//!
//! A path of a file begins at the root of the repository, at the folder of the page, at its crate,
//! or at a folder that the same paragraph names before. In the documentation of a module it may
//! also begin at the module, and drawings are read too, such as a map of its files.
//!
//! Names of other projects are not checked where a reader sees that they are foreign: in full
//! (`java.util.List`), and in the column of a table with the heading Java or Fluo.

use std::path::{Path, PathBuf};

use super::lines::Line;
use super::names::Names;

/// The ends of paths.
const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".sh", ".patch"];
/// The folders at the root of the repository.
const FOLDERS: [&str; 5] = ["src/", "recipes/", "docs/", "tests/", "examples/"];
/// The headings of columns with names of other projects.
const FOREIGN: [&str; 2] = ["Java", "Fluo"];

/// Returns the references of a page, or of the documentation of a module, that lead nowhere.
pub(super) fn find(root: &Path, file: &str, lines: &[Line<'_>], names: &Names) -> Vec<String> {
    let mut page = Page {
        root,
        file,
        names,
        folders: folders(root, file),
        named: Vec::new(),
        findings: Vec::new(),
    };
    page.read(lines);
    page.findings
}

/// A page that is being checked.
struct Page<'a> {
    root: &'a Path,
    file: &'a str,
    names: &'a Names,
    /// The folders at which paths begin.
    folders: Vec<PathBuf>,
    /// The folders that the current paragraph names.
    named: Vec<PathBuf>,
    findings: Vec<String>,
}

impl Page<'_> {
    fn read(&mut self, lines: &[Line<'_>]) {
        let is_page = |line: &&Line<'_>| line.is_page;
        let mut lines = lines.iter().filter(is_page).peekable();
        while let Some(line) = lines.next() {
            self.named.clear();
            if line.code == Some("text") && self.file.ends_with(".rs") {
                self.read_map(line);
            } else if is_table(line) {
                self.read_row(line, &[]);
                let heading = std::mem::take(&mut self.named);
                let foreign = foreign_columns(line.text);
                while let Some(row) = lines.next_if(|line| is_table(line)) {
                    self.named.clone_from(&heading);
                    self.read_row(row, &foreign);
                }
            } else if is_prose(line) {
                let mut paragraph = line.text.to_owned();
                while let Some(next) = lines.next_if(|line| is_prose(line) && !is_table(line)) {
                    paragraph = paragraph + "\n" + next.text;
                }
                self.read_spans(line.number, &paragraph);
            }
        }
    }

    fn read_row(&mut self, row: &Line<'_>, foreign: &[usize]) {
        for (column, cell) in row.text.split('|').enumerate() {
            if !foreign.contains(&column) {
                self.read_spans(row.number, cell);
            }
        }
    }

    /// Reads the words of a line in a drawing, such as the map of a module.
    fn read_map(&mut self, line: &Line<'_>) {
        for word in line.text.split_whitespace() {
            self.read_file(line.number, word.trim_end_matches([',', ';']));
        }
    }

    /// Reads the code in backticks of a paragraph that begins at a line.
    fn read_spans(&mut self, first: usize, text: &str) {
        for (start, span) in spans(text) {
            let before = text.get(..start).unwrap_or_default();
            let number = first + before.matches('\n').count();
            if !self.read_file(number, span) {
                self.read_names(number, span);
            }
        }
    }

    /// Checks a file or folder, and returns false if the text is not a path of one.
    fn read_file(&mut self, number: usize, text: &str) -> bool {
        if !is_file(text) {
            return false;
        }
        let mut folders = self.folders.iter().chain(&self.named);
        match folders.find(|folder| self.root.join(folder).join(text).exists()) {
            Some(folder) => {
                let found = folder.join(text);
                let is_folder = self.root.join(&found).is_dir();
                let parent = found.parent().unwrap_or(Path::new("")).to_owned();
                self.named.push(if is_folder { found } else { parent });
            }
            None => self.findings.push(format!(
                "{}:{number}: file `{text}` does not exist; write a path from the root",
                self.file
            )),
        }
        true
    }

    fn read_names(&mut self, number: usize, span: &str) {
        for path in paths(span) {
            if !self.names.contain(&path) {
                self.findings.push(format!(
                    "{}:{number}: `{}` is not defined in any crate; correct it, or qualify a \
                     foreign name",
                    self.file,
                    path.join("::")
                ));
            }
        }
    }
}

fn is_table(line: &Line<'_>) -> bool {
    is_prose(line) && line.text.starts_with('|')
}

fn is_prose(line: &Line<'_>) -> bool {
    line.code.is_none() && !line.text.is_empty()
}

/// Returns the columns of a table with names of other projects, from its first row.
fn foreign_columns(heading: &str) -> Vec<usize> {
    let columns = heading.split('|').enumerate();
    let is_foreign = |(_, cell): &(usize, &str)| FOREIGN.contains(&cell.trim());
    columns.filter(is_foreign).map(|(column, _)| column).collect()
}

/// Returns the folders at which the paths of a page begin.
fn folders(root: &Path, file: &str) -> Vec<PathBuf> {
    let path = Path::new(file);
    let mut folders = vec![PathBuf::new()];
    for folder in path.ancestors().skip(1) {
        let is_crate = root.join(folder).join("Cargo.toml").is_file();
        if folders.len() == 1 || is_crate {
            folders.push(folder.to_owned());
        }
        if is_crate && file.ends_with(".rs") {
            folders.push(folder.join("src"));
            break;
        }
    }
    folders.push(path.with_extension(""));
    folders
}

/// Returns the pieces of code in a paragraph, each with its start.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut spans = Vec::new();
    let mut at = 0;
    let run = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let start = at + rest.find('`')?;
        let ticks = text.get(start..)?;
        Some((start, ticks.len() - ticks.trim_start_matches('`').len()))
    };
    while let Some((open, ticks)) = run(at) {
        let start = open + ticks;
        at = start;
        let mut next = run(start);
        while let Some((close, found)) = next {
            if found == ticks {
                spans.extend(text.get(start..close).map(|span| (start, span.trim())));
                at = close + found;
                break;
            }
            next = run(close + found);
        }
    }
    spans
}

/// Checks whether code is the path of a file or folder of the project, outside of its builds.
fn is_file(text: &str) -> bool {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let is_folder = text.ends_with('/') && !text.contains('.') && !text.starts_with("target/");
    text.chars().all(is_path)
        && (is_folder
            || ENDINGS.iter().any(|ending| text.ends_with(ending))
            || FOLDERS.iter().any(|folder| text.starts_with(folder)))
}

/// Returns the paths of Rust in code: all with `::`, and a type in front.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut paths: Vec<_> =
        code.split(|c| !is_part(c)).filter(|word| word.contains("::")).filter_map(path).collect();
    let code = code.trim_start_matches('&');
    let end = code.find(['(', '<', '[', '{', '!']).unwrap_or(code.len());
    let first = code.get(..end).unwrap_or_default();
    if is_type(first) {
        paths.push(vec![first]);
    }
    paths
}

/// Returns the parts of a path, without a case of a test that `rstest` numbers.
fn path(word: &str) -> Option<Vec<&str>> {
    let mut parts: Vec<_> = word.trim_matches(':').split("::").collect();
    if parts.last().is_some_and(|part| part.starts_with("case_")) {
        parts.pop();
    }
    let is_name = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    parts.iter().all(is_name).then_some(parts)
}

fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && word.chars().any(|c| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::lines::lines;
    use super::*;
    use crate::source::tests::folder;

    const PAGE: &str = "docs/a.md";
    const MODULE: &str = "one/src/store/mod.rs";
    const MAP: &str = "//! ```text\n//! Disk  a disk  disk.rs\n//! Tape  a tape  tape.rs, rolls/\n";
    const TABLE: &str = "| Java | here |\n|---|---|\n| `Tape` | `Reel` |";

    #[test]
    fn names_the_place_and_the_remedy() {
        let names = Names::default();
        let text = "One `a`\nand `Gone`, `docs/gone.md`.";
        assert_eq!(
            find(Path::new("."), "a.md", &lines("a.md", text), &names),
            [
                "a.md:2: `Gone` is not defined in any crate; correct it, or qualify a foreign name",
                "a.md:2: file `docs/gone.md` does not exist; write a path from the root",
            ]
        );
    }

    #[rstest]
    #[case::from_the_root(PAGE, "`one/src/store/mod.rs`, `disk.rs`, and `tour.md` of `docs/`.", &[])]
    #[case::from_a_heading(PAGE, "| in `one/src/` |\n|---|\n| `store/`: `disk.rs` |", &[])]
    #[case::no_file(PAGE, "`disk.rs`", &["disk.rs"])]
    #[case::another_paragraph(PAGE, "`one/src/lib.rs`\n\n`store/disk.rs`", &["store/disk.rs"])]
    #[case::no_file_of_a_folder(PAGE, "`one/src/store/tape.rs`", &["one/src/store/tape.rs"])]
    #[case::no_folder(PAGE, "`docs/tours`, `tests/gone/`", &["docs/tours", "tests/gone/"])]
    #[case::no_path(PAGE, "`example.com/` `target/gone/` `$HOME/a.toml` `*.rs`", &[])]
    #[case::of_a_module(MODULE, "//! `disk.rs`, `src/lib.rs`, `store/disk.rs`, `docs/tour.md`", &[])]
    #[case::not_of_a_module(MODULE, "//! `tape.rs`\n/// `gone.rs`", &["tape.rs"])]
    #[case::a_map(MODULE, MAP, &["tape.rs", "rolls/"])]
    #[case::a_name(PAGE, "`Store`, `&Store<Tape>`, `store::Store::get(..)`, `a = Store::get()`", &[])]
    #[case::no_type(PAGE, "`Tape`", &["Tape"])]
    #[case::no_method(PAGE, "`Store::put(key)`", &["Store::put"])]
    #[case::in_double_backticks(PAGE, "``if a { Store::put(`key`) }``", &["Store::put"])]
    #[case::over_two_lines(PAGE, "A span `over\ntwo` lines, `Tape`", &["Tape"])]
    #[case::no_name(PAGE, "`NAME` `java.util.List` `0::1` `store::Store::case_01` Tape", &[])]
    #[case::a_block(PAGE, "```rust\nlet a = `Tape`;\n```", &[])]
    #[case::a_foreign_column(PAGE, TABLE, &["Reel"])]
    #[case::a_table_after_text(PAGE, "A paragraph:\n| Fluo |\n|---|\n| `Tape` |", &[])]
    fn finds_files_and_names_that_do_not_exist(
        #[case] file: &str,
        #[case] text: &str,
        #[case] expected: &[&str],
    ) {
        let root = folder(&[
            ("one/Cargo.toml", ""),
            ("one/src/lib.rs", ""),
            ("one/src/store/mod.rs", ""),
            ("one/src/store/disk.rs", ""),
            ("docs/tour.md", ""),
        ]);
        let mut names = Names::default();
        let source = "mod store { struct Store; impl Store { fn get() {} } }";
        names.add("a.rs", source).unwrap();
        let findings = find(root.path(), file, &lines(file, text), &names);
        let found = findings.iter().filter_map(|finding| finding.split('`').nth(1));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
