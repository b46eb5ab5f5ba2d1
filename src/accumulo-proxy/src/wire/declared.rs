//! The declarations of the interface, compared with the IDL.

use std::collections::BTreeMap;

use super::Resend;
use super::interface::{Declaration, Declared, ENUMERATIONS, GROUPS, STRUCTURES};

const IDL: &str = include_str!("../../idl/proxy.thrift");

/// The lines inside of each block of an IDL, by the first line of the block.
type Blocks = BTreeMap<String, Vec<String>>;

/// Returns the blocks of the IDL, with the names of fields in snake case.
fn idl() -> Blocks {
    let mut blocks = Blocks::new();
    let mut block = String::new();
    for line in IDL.lines().map(str::trim) {
        if line.starts_with("//") || line.is_empty() || line == "}" {
            continue;
        }
        if line.ends_with('{') {
            line.clone_into(&mut block);
            let before = blocks.insert(block.clone(), Vec::new());
            assert_eq!(before, None, "{line}");
        } else {
            let lines = blocks.get_mut(&block).unwrap();
            lines.push(snake_case(line.strip_suffix(',').unwrap()));
        }
    }
    blocks
}

/// Converts the name of a field, which is the last word of its line.
fn snake_case(line: &str) -> String {
    let Some((before, name)) = line.rsplit_once(' ').filter(|_| line.contains(':')) else {
        return line.to_owned();
    };
    let name = name.chars().flat_map(|letter| {
        let line = letter.is_ascii_uppercase().then_some('_');
        line.into_iter().chain([letter.to_ascii_lowercase()])
    });
    format!("{before} {}", name.collect::<String>())
}

/// Returns the blocks of an IDL for the declarations.
fn declared() -> Blocks {
    let enumerations = ENUMERATIONS.iter().map(|(name, values)| {
        let values = values.iter();
        let lines = values.map(|(value, number)| format!("{value} = {number}"));
        (format!("enum {name} {{"), lines.collect())
    });
    let calls = calls().flat_map(|call| [&call.request, &call.reply]);
    let structures = STRUCTURES.iter().chain(calls);
    enumerations.chain(structures.map(block)).collect()
}

fn calls() -> impl Iterator<Item = &'static Declaration> {
    GROUPS.iter().flat_map(|group| group.calls)
}

fn block((name, fields): &Declared) -> (String, Vec<String>) {
    let lines = fields.iter().map(|(id, field, rust)| {
        // `type` is a keyword of Rust.
        let field = field.trim_end_matches('_');
        format!("{id}: optional {} {field}", idl_type(rust))
    });
    (format!("struct {name} {{"), lines.collect())
}

fn idl_type(rust: &str) -> String {
    // A type that passed through two macros has other blanks.
    let mut name = rust.replace(' ', "");
    for (rust, idl) in [
        (",", ", "),
        ("Vec<u8>", "binary"),
        ("Vec<", "list<"),
        ("BTreeSet<", "set<"),
        ("BTreeMap<", "map<"),
        ("String", "string"),
    ] {
        name = name.replace(rust, idl);
    }
    name
}

#[test]
fn declares_every_block_of_the_idl() {
    let (idl, declared) = (idl(), declared());
    for (name, lines) in &idl {
        assert_eq!(Some(lines), declared.get(name), "{name}");
    }
    assert_eq!(idl.len(), declared.len());
    assert_eq!(idl["struct CloseScannerRequest {"], ["1: optional string scanner"]);
}

#[test]
fn names_every_structure_after_its_call() {
    assert_eq!(calls().count(), 96);
    for call in calls() {
        let (first, rest) = call.name.split_at(1);
        let name = first.to_uppercase() + rest;
        assert_eq!(call.request.0, format!("{name}Request"));
        assert_eq!(call.reply.0, format!("{name}Reply"));
    }
}

#[test]
fn sends_calls_that_are_not_idempotent_once() {
    let resend = |name| calls().find(|call| call.name == name).unwrap().resend;
    // A second compaction applies the iterators again, and a second cancellation may cancel a
    // compaction that another client started.
    for call in [
        "updateRowsConditionally",
        "updateAndFlush",
        "nextK",
        "deleteRows",
        "compactTable",
        "cancelCompaction",
    ] {
        assert_eq!(resend(call), Resend::Once, "{call}");
    }
    assert_eq!(resend("addSplits"), Resend::Repeat);
    assert_eq!(resend("listSplits"), Resend::Read);
}
