//! The commands of pages on a real Accumulo are run on one, in order, and must print what the pages say.

use std::fs;
use std::path::Path;

use fluo_cluster::Cluster;
use fluo_tests::ConsoleCommand;

use crate::cli;
use crate::cluster::cluster;

const ACCUMULO: &str = include_str!("../../../docs/accumulo.md");
const TABLE_OPTIMIZATION: &str = include_str!("../../../docs/table-optimization.md");
/// How a block begins that is run on a live Accumulo, on a page whose other blocks are run on a directory.
const LIVE: &str = "```console live\n";
const CONSOLE: &str = "```console\n";
/// The address on the page.
const ADDRESS: &str = "localhost:42424";
const SPEC: &str = "[[row_hasher]]\nprefix = \"a\"\ntablets = 10\n\n[[row_hasher]]\nprefix = \"b\"\ntablets = 10\n";

#[test]
fn the_pages_print_what_they_say() {
    let Some(cluster) = cluster() else { return };
    // One after the other: they name the same table.
    let commands = ConsoleCommand::of_page(ACCUMULO);
    print_what_they_say(cluster, &commands, 7);
    let live = TABLE_OPTIMIZATION
        .replace(CONSOLE, "```text\n")
        .replace(LIVE, CONSOLE);
    print_what_they_say(cluster, &ConsoleCommand::of_page(&live), 5);
}

fn print_what_they_say(cluster: &Cluster, commands: &[ConsoleCommand], least: usize) {
    let address = cluster.proxy().unwrap().address();
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.txt"), cli::ROWS).unwrap();
    fs::write(directory.path().join("pages.toml"), SPEC).unwrap();
    let binaries: &Path = cli::binary().parent().unwrap();
    let environment = [
        ("FLUO_USER", cluster.user()),
        ("FLUO_PASSWORD", cluster.password()),
    ];
    assert!(commands.len() >= least, "the page has lost its commands");
    for command in commands {
        let command = ConsoleCommand {
            command: command.command.replace(ADDRESS, &address),
            expected: command.expected.clone(),
        };
        let printed = command
            .run(directory.path(), binaries, &environment)
            .unwrap();
        assert!(
            command.expects(&printed),
            "{command:#?}\nprinted:\n{printed}"
        );
    }
}
