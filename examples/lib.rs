//! The examples are the files beside this one; their README gives the reading order.
//!
//! Documentation tests of this crate compile and run the program in the project's README.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeOfTheProject;

#[cfg(doctest)]
#[doc = include_str!("../docs/table-optimization.md")]
struct TableOptimization;

#[cfg(doctest)]
#[doc = include_str!("../docs/key-designs.md")]
struct KeyDesigns;
