//! The examples are the files beside this one; their README gives the reading order.
//!
//! Documentation tests of this crate compile and run the programs in the project's README and in
//! its pages. Other tests compare the program of the tour, and the programs of the page on
//! inspecting an application, with the examples.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeOfTheProject;

#[cfg(doctest)]
#[doc = include_str!("../docs/table-optimization.md")]
struct TableOptimization;

#[cfg(doctest)]
#[doc = include_str!("../docs/key-designs.md")]
struct KeyDesigns;

#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from-fluo.md")]
struct ComingFromFluo;

#[cfg(doctest)]
#[doc = include_str!("../docs/recipes.md")]
struct RecipesPage;

#[cfg(doctest)]
#[doc = include_str!("../docs/protocol.md")]
struct Protocol;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Output};

    const PAGE: &str = include_str!("../docs/tour.md");
    const TOOL: &str = include_str!("../docs/transactions-tool.md");
    const TOOL_PROGRAMS: [&str; 2] = [
        include_str!("14_load_pages.rs"),
        include_str!("15_count_words.rs"),
    ];
    const PROGRAM: &str = include_str!("12_tour.rs");
    const MANIFEST: &str = include_str!("../Cargo.toml");

    #[test]
    fn the_code_of_the_tour_is_the_example() {
        let Some((_, program)) = PROGRAM.split_once("\n\n") else {
            panic!("the example begins with a line of its own");
        };
        assert_eq!(blocks(PAGE, "rust,ignore").join("\n"), program);
    }

    /// The page once showed programs without a complete source.
    #[test]
    fn the_page_on_the_tool_shows_its_programs() {
        let shown = blocks(TOOL, "rust");
        assert_eq!(shown.len(), TOOL_PROGRAMS.len());
        for (block, program) in shown.into_iter().zip(TOOL_PROGRAMS) {
            assert!(program.contains(block), "not in the example:\n{block}");
        }
    }

    #[test]
    fn the_tour_prints_the_output_on_the_page() {
        let output = run("12_tour");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            blocks(PAGE, "text"),
            [String::from_utf8(output.stdout).unwrap_or_default()]
        );
    }

    /// Compares versions with the workspace, and paths with a clone in `../fluo`.
    #[test]
    fn the_dependencies_of_the_tour_are_those_of_the_workspace() {
        let dependencies = blocks(PAGE, "toml").join("");
        let lines = dependencies.lines().skip(1);
        let mut count = 0;
        for line in lines {
            let Some((name, rest)) = line.split_once(" = ") else {
                panic!("not a dependency: {line}");
            };
            let Some(value) = rest.split('"').nth(1) else {
                panic!("neither version nor path: {line}");
            };
            let is_right = match value.strip_prefix("../fluo/") {
                Some(path) => Path::new("..").join(path).join("Cargo.toml").exists(),
                None => [
                    format!("\n{name} = \"{value}"),
                    format!("\n{name} = {{ version = \"{value}"),
                ]
                .iter()
                .any(|start| MANIFEST.contains(start)),
            };
            assert!(is_right, "{line}");
            count += 1;
        }
        assert_eq!(count, 7);
    }

    /// Runs an example: from the folder of built programs `FLUO_PROGRAMS`, or with cargo.
    fn run(example: &str) -> Output {
        let mut command = match std::env::var_os("FLUO_PROGRAMS") {
            Some(folder) => Command::new(Path::new(&folder).join("examples").join(example)),
            None => {
                let mut cargo = Command::new(env!("CARGO"));
                cargo.args(["run", "--quiet", "--package", "fluo-examples", "--example"]);
                cargo.arg(example);
                cargo
            }
        };
        match command.output() {
            Ok(output) => output,
            Err(error) => panic!("{example}: {error}"),
        }
    }

    /// Returns the contents of all blocks of one kind in a page.
    fn blocks(page: &'static str, kind: &str) -> Vec<&'static str> {
        let start = format!("```{kind}\n");
        let (mut found, mut rest) = (Vec::new(), page);
        while let Some((_, after)) = rest.split_once(start.as_str()) {
            let Some((block, after)) = after.split_once("```") else {
                panic!("a block of {kind} does not end");
            };
            found.push(block);
            rest = after;
        }
        found
    }
}
