//! `cargo xtask measure`: the sizes of files and functions, documentation and tests, per crate.
//!
//! The product is the code of the crates outside of `tests/`, without modules of tests. Benchmarks
//! and examples are neither product nor tests.

mod functions;
mod lines;
mod table;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::functions::Functions;
use self::lines::Lines;
use crate::api;
use crate::cargo::{print, workspace};
use crate::source::{self, Crate};

/// The folder of the packages that contain only tests, and of this tool.
const TESTS: &str = "tests";
/// Folders below `tests` without tests of the product.
const TOOLS: [&str; 2] = ["tests/xtask", "tests/benches"];

/// The measures of a crate, or of several.
#[derive(Clone, Debug, Default)]
struct Measures {
    /// The lines of each file of the product.
    file_lines: Vec<usize>,
    lines: Lines,
    functions: Functions,
    /// The number of names at the crate root; `None` for a program.
    root_names: Option<usize>,
    test_lines: usize,
    tests: usize,
}

impl Measures {
    fn add(&mut self, other: &Measures) {
        self.file_lines.extend(&other.file_lines);
        self.lines.add(other.lines);
        self.functions.add(&other.functions);
        self.test_lines += other.test_lines;
        self.tests += other.tests;
    }
}

/// Prints the measures of all crates as a Markdown table.
pub(crate) fn measure() -> Result<()> {
    let root = workspace();
    let mut columns = Vec::new();
    let mut all = Measures::default();
    for one in source::crates(&root)?.iter().filter(|one| one.is_product()) {
        let measures = measure_crate(&root, one)?;
        all.add(&measures);
        columns.push((one.name.clone(), measures));
    }
    let mut tests = Measures::default();
    tests.add_tests(&root.join(TESTS), &root)?;
    all.add(&tests);
    columns.push((TESTS.to_owned(), tests));
    columns.push(("all".to_owned(), all));
    print(&table::markdown(&columns));
    Ok(())
}

fn measure_crate(root: &Path, one: &Crate) -> Result<Measures> {
    let mut measures = Measures {
        root_names: one.is_library.then(|| api::root_names(one)),
        ..Measures::default()
    };
    for file in &one.files {
        let product = lines::product(&file.text);
        measures.file_lines.push(product.lines().count());
        measures.lines.add(Lines::new(product));
        measures.functions.add_items(&file.items);
    }
    let in_product: usize = measures.file_lines.iter().sum();
    let folder = root.join(&one.folder);
    measures.add_tests(&folder.join("src"), root)?;
    measures.test_lines = measures.test_lines.saturating_sub(in_product);
    measures.add_tests(&folder.join("tests"), root)?;
    Ok(measures)
}

impl Measures {
    /// Adds the lines and the tests of all files of a folder, if there is one.
    fn add_tests(&mut self, path: &Path, root: &Path) -> Result<()> {
        if !path.exists() {
            return Ok(());
        }
        let is_left_out = |file: &Path| TOOLS.iter().any(|tool| file.starts_with(root.join(tool)));
        for file in source::rust_files(path)? {
            if !is_left_out(&file) {
                let text = fs::read_to_string(&file)
                    .with_context(|| format!("`{}` cannot be read", file.display()))?;
                self.test_lines += text.lines().count();
                self.tests += lines::tests(&text);
            }
        }
        Ok(())
    }
}
