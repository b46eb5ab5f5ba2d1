//! The commands of pages on a real Accumulo are run on one, as a reader pastes them, and must print what the pages say.

use fluo_tests::Page;

use crate::cli;
use crate::cluster::cluster;

/// The kind of the blocks that are run on a live Accumulo.
const LIVE: &str = "console live";
/// The address on the pages.
const ADDRESS: &str = "localhost:42424";

#[test]
fn the_pages_print_what_they_say() {
    let Some(cluster) = cluster() else { return };
    let address = cluster.proxy().unwrap().address();
    let environment = [
        ("FLUO_USER", cluster.user()),
        ("FLUO_PASSWORD", cluster.password()),
    ];
    let pages = Page::all(LIVE).unwrap();
    let names: Vec<_> = pages.iter().map(Page::name).collect();
    assert_eq!(
        names,
        ["docs/accumulo.md", "docs/table-optimization.md"],
        "a page has lost its commands, or is new"
    );
    // One after the other: they name the same table.
    for page in pages {
        let programs = cli::binary().parent().unwrap();
        let rewrite = |command: &str| command.replace(ADDRESS, &address);
        let difference = page.first_difference(programs, &environment, rewrite);
        assert_eq!(difference.unwrap(), None, "{}", page.name());
    }
}
