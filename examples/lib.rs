//! The examples are the files beside this one; their README gives the reading order.
//!
//! Documentation tests of this crate compile and run the programs in the project's README and in its pages; the tour is
//! an example, and a test compares the two.

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
#[doc = include_str!("../docs/protocol.md")]
struct Protocol;

#[cfg(test)]
mod tests {
    const PAGE: &str = include_str!("../docs/tour.md");
    const PROGRAM: &str = include_str!("12_tour.rs");

    /// Whoever types the page along has the program.
    #[test]
    fn the_tour_is_the_example() {
        let blocks = PAGE.split("```rust,ignore\n").skip(1);
        let blocks: Vec<&str> = blocks
            .filter_map(|block| block.split("```").next())
            .collect();
        let Some((_, program)) = PROGRAM.split_once("\n\n") else {
            panic!("the example begins with a line of its own");
        };
        assert_eq!(blocks.join("\n"), program);
    }
}
