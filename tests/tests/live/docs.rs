//! Runs the live commands of the pages on a real Accumulo, as a reader pastes them, and compares
//! their output with the pages.

use fluo_tests::Page;

use crate::cli;
use crate::cluster::cluster;

/// Kind of the blocks that are run on a live Accumulo.
const LIVE: &str = "console live";
/// Address on the pages.
const ADDRESS: &str = "localhost:42424";

#[test]
fn live_commands_print_what_the_pages_show() {
    let Some(cluster) = cluster() else { return };
    let address = cluster.proxy().unwrap().address();
    let environment = [("FLUO_USER", cluster.user()), ("FLUO_PASSWORD", cluster.password())];
    let pages = Page::all(LIVE).unwrap();
    let names: Vec<_> = pages.iter().map(Page::name).collect();
    assert_eq!(names, ["docs/accumulo.md"], "a page has lost its commands, or is new");
    // One after the other, because they use the same table.
    for page in pages {
        let programs = cli::binary().parent().unwrap();
        let rewrite = |command: &str| command.replace(ADDRESS, &address);
        let difference = page.first_difference(programs, &environment, rewrite);
        assert_eq!(difference.unwrap(), None, "{}", page.name());
    }
}
