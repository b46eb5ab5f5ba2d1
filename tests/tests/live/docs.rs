//! The commands of the page on a real Accumulo are run on one, in order, and must print what the page says.

use std::fs;
use std::path::Path;

use fluo_tests::ConsoleCommand;

use crate::cli;
use crate::cluster::cluster;

const PAGE: &str = include_str!("../../../docs/accumulo.md");
/// The address on the page.
const ADDRESS: &str = "localhost:42424";
const SPEC: &str = "[[row_hasher]]\nprefix = \"a\"\ntablets = 10\n\n[[row_hasher]]\nprefix = \"b\"\ntablets = 10\n";

#[test]
fn the_page_prints_what_it_says() {
    let Some(cluster) = cluster() else { return };
    let address = cluster.proxy().unwrap().address();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.txt"), cli::ROWS).unwrap();
    fs::write(directory.path().join("pages.toml"), SPEC).unwrap();
    let binaries: &Path = cli::binary().parent().unwrap();
    let environment = [
        ("FLUO_USER", cluster.user()),
        ("FLUO_PASSWORD", cluster.password()),
    ];
    let commands = ConsoleCommand::of_page(&PAGE.replace(ADDRESS, &address));
    assert!(commands.len() > 6, "the page has lost its commands");
    for command in commands {
        let printed = command
            .run(directory.path(), binaries, &environment)
            .unwrap();
        assert!(
            command.expects(&printed),
            "{command:#?}\nprinted:\n{printed}"
        );
    }
}
