//! Runs the commands of the documentation pages as a reader pastes them, and compares the output
//! with the pages.
//!
//! A page claimed that all its commands run as they stand, but named a file and two programs that
//! only this test had. Each page now gets only an empty folder of the clone and `fluo`, and must
//! say how to get the rest.

#![cfg(all(test, unix))]

use std::path::Path;
use std::thread;

use fluo_tests::Page;

#[test]
fn every_page_shows_the_actual_output() {
    let pages = Page::all("console").unwrap();
    let names: Vec<_> = pages.iter().map(Page::name).collect();
    assert_eq!(
        names,
        [
            "docs/key-designs.md",
            "docs/monitoring.md",
            "docs/table-optimization.md",
            "docs/transactions-tool.md"
        ],
        "a page has lost its commands, or is new"
    );
    let fluo = Path::new(env!("CARGO_BIN_EXE_fluo")).parent().unwrap();
    thread::scope(|scope| {
        let run = |page: &Page| page.first_difference(fluo, &[], with_built_examples).unwrap();
        let running: Vec<_> =
            pages.iter().map(|page| (page.name(), scope.spawn(move || run(page)))).collect();
        for (name, difference) in running {
            let difference = difference.join().unwrap();
            assert_eq!(difference, None, "{name}");
        }
    });
}

/// Replaces `cargo run` of an example by the program that is already built in the folder
/// `FLUO_PROGRAMS`. Cargo alone would compile most packages again, because the features of a build
/// of one package are not those of a build of all.
fn with_built_examples(command: &str) -> String {
    let Ok(programs) = std::env::var("FLUO_PROGRAMS") else {
        return command.to_owned();
    };
    let run = "cargo run --quiet --example ";
    match command.strip_prefix(run).and_then(|rest| rest.split_once(" -- ")) {
        Some((example, arguments)) => format!("{programs}/examples/{example} {arguments}"),
        None => command.to_owned(),
    }
}
