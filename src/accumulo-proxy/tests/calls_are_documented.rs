//! Checks that `docs/proxy-calls.md` lists the calls of the real service, that each has a live
//! test, and that the page is right about recorded frames and versions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The live tests of the calls.
const LIVE_TESTS: [&str; 3] = ["calls_by_handle", "calls_of_tables", "calls_of_the_instance"];

/// The calls that have no method, because they lose writes.
const NO_METHOD: [&str; 4] = ["createWriter", "update", "flush", "closeWriter"];

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the methods of the page by their calls, for each group.
fn groups() -> Vec<(String, BTreeMap<String, String>)> {
    let page = read("../../docs/proxy-calls.md");
    let groups = page.split("\n## ").skip(1);
    let groups = groups.map(|group| {
        let rows = group.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows = rows.map(|row| {
            let mut cells = row.split('`');
            (cells.next().unwrap().to_owned(), cells.nth(1).unwrap().to_owned())
        });
        (group.lines().next().unwrap().to_owned(), rows.collect())
    });
    groups.collect()
}

#[test]
fn every_call_of_the_service_has_a_row_unless_it_loses_writes() {
    let service = service("proxy_1x.thrift", "(1: binary login");
    let names = service.iter().map(|call| {
        let (before, _) = call.split_once('(').unwrap();
        before.split_whitespace().last().unwrap().to_owned()
    });
    let mut names: BTreeSet<_> = names.collect();
    assert_eq!(names.len(), 100);
    for name in NO_METHOD {
        assert!(names.remove(name), "{name}");
    }
    let documented: BTreeSet<_> = groups().into_iter().flat_map(|(_, rows)| rows).collect();
    assert_eq!(names, documented.into_iter().map(|(call, _)| call).collect());
}

#[test]
fn every_method_has_a_live_test() {
    let files = LIVE_TESTS.map(|file| read(format!("../../tests/tests/live/{file}.rs")));
    let tests = files.concat();
    for (title, rows) in groups() {
        for method in rows.values() {
            let is_called = [format!(".{method}("), format!("::{method}(")];
            assert!(
                is_called.iter().any(|call| tests.contains(call)),
                "{title}: {method} is not called in the live tests"
            );
        }
    }
}

/// Returns the calls with recorded frames in one of the folders.
fn recorded(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames").join(folder);
    let files = fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names
        .map(|name| {
            let exchange = name.strip_suffix(".txt").unwrap();
            exchange.split('-').next().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn the_number_of_recorded_calls_is_documented() {
    let count = recorded("2x-compact").len();
    for folder in ["1x-binary", "1x-compact", "2x-binary"] {
        assert_eq!(recorded(folder), recorded("2x-compact"), "{folder}");
    }
    let sentence = format!("or {count} of the calls, requests and replies are compared with");
    for page in ["README.md", "../../docs/proxy-calls.md"] {
        let text: Vec<_> = read(page).split_whitespace().map(str::to_owned).collect();
        assert!(text.join(" ").contains(&sentence), "{page}: {sentence}");
    }
    assert!(recorded("2x-compact").contains("compactTable"));
}

/// Returns the calls of one of the services, without their first argument.
fn service(file: &str, first: &str) -> BTreeSet<String> {
    let interface = read(Path::new("tests/frames").join(file));
    let (_, service) = interface.split_once("service AccumuloProxy {").unwrap();
    let calls = service.lines().filter(|line| line.contains('('));
    calls.map(|call| call.replacen(first, "(", 1)).collect()
}

#[test]
fn the_versions_differ_as_documented() {
    let one = service("proxy_1x.thrift", "(1: binary login");
    let two = service("proxy_2x.thrift", "(1: string sharedSecret");
    assert_eq!(one.len(), 100);
    let differing: Vec<_> = one.symmetric_difference(&two).collect();
    let named = |name: &str| differing.iter().filter(|call| call.contains(name)).count();
    assert_eq!(
        (named(" compactTable("), named(" login("), differing.len()),
        (2, 1, 3),
        "{differing:#?}"
    );
}
