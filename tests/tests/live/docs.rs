//! Runs the live commands of the pages on a real Accumulo, as a reader pastes them, and compares
//! their output with the pages.

use std::thread;

use fluo_cluster::free_ports;
use fluo_tests::{Page, unused_name};

use crate::cli::{self, programs};
use crate::cluster::cluster;

/// Kind of the blocks that are run on a live Accumulo.
const LIVE: &str = "console live";

#[test]
fn live_commands_print_what_the_pages_show() {
    let Some(cluster) = cluster() else { return };
    let environment = [("FLUO_USER", cluster.user()), ("FLUO_PASSWORD", cluster.password())];
    let pages = Page::all(LIVE).unwrap();
    let names: Vec<_> = pages.iter().map(Page::name).collect();
    assert_eq!(
        names,
        ["docs/accumulo.md", "docs/operate-application.md"],
        "a page has lost its commands, or is new"
    );
    programs(&["--package", "fluo-rs", "--example", "22_words"]);
    let programs = cli::binary().parent().unwrap();
    let zookeepers = format!("{}/{}", cluster.site().zookeepers, unused_name("operate"));
    let ports: [u16; 4] = free_ports().unwrap();
    // Places on the pages, and those of the test.
    let places = [
        ("localhost:42424", cluster.proxy().unwrap().address()),
        ("localhost:2181/fluo", zookeepers),
        ("9464", ports[0].to_string()),
        ("9466", ports[1].to_string()),
        ("9467", ports[2].to_string()),
        ("9468", ports[3].to_string()),
        ("$PWD/../debug", programs.display().to_string()),
    ];
    let rewrite = |command: &str| {
        places.iter().fold(command.to_owned(), |command, (shown, own)| command.replace(shown, own))
    };
    thread::scope(|scope| {
        let run = |page: &Page| page.first_difference(programs, &environment, rewrite).unwrap();
        let running: Vec<_> =
            pages.iter().map(|page| (page.name(), scope.spawn(move || run(page)))).collect();
        for (name, difference) in running {
            assert_eq!(difference.join().unwrap(), None, "{name}");
        }
    });
}
