//! A check that `docs/proxy-calls.md` agrees with the interface, the source and the tests about
//! each call: the method that makes it, whether it is retried, and its live test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test panics where it fails"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A row of the document.
struct Row {
    call: String,
    method: String,
    sent_again: String,
    limit: String,
    test: String,
}

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rows() -> Vec<Row> {
    let document = read("../../docs/proxy-calls.md");
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let mut cells = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('`', ""));
        let mut cell = || cells.next().unwrap();
        Row {
            call: cell(),
            method: cell(),
            sent_again: cell(),
            limit: cell(),
            test: cell(),
        }
    })
    .collect()
}

/// Returns the calls of the interface, from the names of its request structures.
fn calls() -> BTreeSet<String> {
    let interface = read("idl/proxy.thrift");
    let requests = interface
        .lines()
        .filter_map(|line| line.strip_prefix("struct ")?.strip_suffix("Request {"));
    requests
        .map(|name| {
            let (first, rest) = name.split_at(1);
            first.to_lowercase() + rest
        })
        .collect()
}

#[test]
fn every_call_has_one_row() {
    let rows = rows();
    let documented: BTreeSet<_> = rows.iter().map(|row| row.call.clone()).collect();
    assert_eq!(documented, calls());
    assert_eq!((rows.len(), documented.len()), (100, 100));
}

/// Returns the rules of each call in the source: its retry rule and its time limit.
fn rules() -> BTreeMap<String, (String, String)> {
    let source = read("src/wire/interface/calls.rs");
    let lines = source
        .lines()
        .filter(|line| line.trim_start().starts_with('"'));
    let rules = lines.map(|line| {
        let words: Vec<_> = line
            .split([' ', ',', '"', '(', ')'])
            .filter(|word| !word.is_empty())
            .collect();
        (
            words[0].to_owned(),
            (words[3].to_owned(), words[4].to_owned()),
        )
    });
    rules.collect()
}

#[test]
fn retry_rules_and_limits_match_the_source() {
    let rules = rules();
    for row in rows() {
        let (again, limit) = match row.call.as_str() {
            // The login has its own code.
            "login" => ("no: one attempt", "connect_timeout"),
            "update" => ("no: one-way", "call_timeout"),
            call => {
                let (resend, patience) = &rules[call];
                (sent_again(resend), limit(patience))
            }
        };
        assert_eq!(
            (row.sent_again.as_str(), row.limit.as_str()),
            (again, limit),
            "{}",
            row.call
        );
    }
}

fn sent_again(resend: &str) -> &'static str {
    match resend {
        "Read" => "yes: changes nothing",
        "Repeat" => "yes: idempotent",
        "Once" => "no",
        other => panic!("{other}"),
    }
}

fn limit(patience: &str) -> &'static str {
    match patience {
        "Call" => "call_timeout",
        "Wait" => "wait_timeout",
        other => panic!("{other}"),
    }
}

#[test]
fn every_method_exists_and_names_its_call() {
    let source = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for row in rows() {
        let (owner, method) = row.method.split_once("::").unwrap();
        let block = format!("impl {owner}");
        let in_block = source.iter().filter(|file| file.contains(&block));
        let signature = [format!("fn {method}("), format!("fn {method}<")];
        let is_there = |file: &&String| signature.iter().any(|signature| file.contains(signature));
        let files: Vec<_> = in_block.filter(is_there).collect();
        assert!(!files.is_empty(), "no {}", row.method);
        if row.call != "login" {
            let named = [
                format!("(`{}`)", row.call),
                format!("(`{}`, one-way)", row.call),
            ];
            let is_named = files
                .iter()
                .any(|file| named.iter().any(|name| file.contains(name)));
            assert!(is_named, "{} does not name {}", row.method, row.call);
        }
    }
}

fn sources(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(read(path));
        }
    }
    files
}

#[test]
fn every_test_exists() {
    for row in rows() {
        let (file, test) = row.test.split_once("::").unwrap();
        let source = read(format!("../../tests/tests/live/{file}.rs"));
        assert!(
            source.contains(&format!("async fn {test}()")),
            "no test {}",
            row.test
        );
        let (_, method) = row.method.split_once("::").unwrap();
        let is_called = [format!(".{method}("), format!("::{method}(")];
        assert!(
            is_called.iter().any(|call| source.contains(call)),
            "{} is not called",
            row.method
        );
    }
}

/// Returns the calls with recorded frames in one of the folders.
fn recorded(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/frames")
        .join(folder);
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
