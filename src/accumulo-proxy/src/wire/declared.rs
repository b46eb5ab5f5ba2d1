//! The declarations of the interface, compared with the IDL.

use std::collections::BTreeMap;

use super::interface::{self as wire, CALLS, Declared, ENUMERATIONS, STRUCTURES};
use super::{Call, Resend};

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
    let calls = CALLS
        .iter()
        .flat_map(|(_, request, reply)| [request, reply]);
    let structures = STRUCTURES
        .iter()
        .chain(calls)
        .chain([&wire::UpdateRequest::DECLARED]);
    enumerations.chain(structures.map(block)).collect()
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
    let mut name = rust.to_owned();
    for (rust, idl) in [
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
    assert_eq!(
        idl["struct CloseScannerRequest {"],
        ["1: optional string scanner"]
    );
}

#[test]
fn names_every_structure_after_its_call() {
    // `update` is the one call without a reply.
    assert_eq!(CALLS.len() + 1, 100);
    for (call, (request, _), (reply, _)) in CALLS {
        let (first, rest) = call.split_at(1);
        let call = first.to_uppercase() + rest;
        assert_eq!(*request, format!("{call}Request"));
        assert_eq!(*reply, format!("{call}Reply"));
    }
}

#[test]
fn sends_calls_that_are_not_idempotent_once() {
    assert_eq!(wire::UpdateRowsConditionallyRequest::RESEND, Resend::Once);
    assert_eq!(wire::UpdateAndFlushRequest::RESEND, Resend::Once);
    assert_eq!(wire::NextKRequest::RESEND, Resend::Once);
    assert_eq!(wire::DeleteRowsRequest::RESEND, Resend::Once);
    // A second compaction applies the iterators again, and a second cancellation may cancel a
    // compaction that another client started.
    assert_eq!(wire::CompactTableRequest::RESEND, Resend::Once);
    assert_eq!(wire::CancelCompactionRequest::RESEND, Resend::Once);
    assert_eq!(wire::AddSplitsRequest::RESEND, Resend::Repeat);
    assert_eq!(wire::ListSplitsRequest::RESEND, Resend::Read);
}
