//! The table of calls is the real service, and each call has a live test.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use accumulo_proxy as data;
use accumulo_proxy::ErrorKind;

use crate::exchanges::frames;
use crate::interface as wire;
use crate::interface::{ENUMERATIONS, Fields, Resend, Structure};

const LIVE_TESTS: [&str; 3] = ["calls_by_handle", "calls_of_tables", "calls_of_the_instance"];

/// The calls that have no method, because they lose writes.
const NO_METHOD: [&str; 4] = ["createWriter", "update", "flush", "closeWriter"];

struct Declaration {
    name: &'static str,
    request: Fields,
    /// The name of the type of the result.
    success: &'static str,
    exceptions: &'static [ErrorKind],
    resend: Resend,
    /// The public method that makes the call.
    method: &'static str,
}

impl Declaration {
    fn new<C: wire::Call + Structure>(method: &'static str) -> Self {
        Self {
            name: C::NAME,
            request: C::fields(),
            success: type_name::<C::Success>(),
            exceptions: C::EXCEPTIONS,
            resend: C::RESEND,
            method,
        }
    }
}

/// Lists the calls of a group of the table. `declare!` explains the form of an entry.
macro_rules! group {
    ($owner:ident $(<$lifetime:lifetime>)?; $(
        $(
            $(#[$documentation:meta])*
            fn $method:ident $arguments:tt -> $output:ty
            $(, about $subject:ident)? $(, as $values:tt)?;
        )?
        $(by hand $hand:ident;)?
        $name:literal $call:ident $fields:tt -> $success:ty,
        $exceptions:tt, $resend:ident, $patience:ident;
    )*) => {
        vec![$(Declaration::new::<wire::$call>(
            concat!($(stringify!($method))? $(stringify!($hand))?)
        )),*]
    };
}

fn calls() -> impl Iterator<Item = Declaration> {
    let groups = [
        wire::client_calls!(group),
        wire::table_calls!(group),
        wire::namespace_calls!(group),
        wire::user_calls!(group),
        wire::instance_calls!(group),
        wire::handle_calls!(group),
    ];
    groups.into_iter().flatten()
}

fn path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the lines of the enumerations and structures of an IDL, by the first line.
fn blocks(idl: &str) -> BTreeMap<&str, Vec<&str>> {
    let blocks = idl.split("\n}").filter_map(|block| {
        let (before, lines) = block.rsplit_once(" {\n")?;
        let lines = lines.lines().map(|line| line.trim().trim_end_matches(','));
        Some((before.lines().last()?, lines.collect()))
    });
    blocks.collect()
}

/// Returns the calls of a service.
fn service(file: &str) -> BTreeSet<String> {
    let interface = frames(file);
    let (_, service) = interface.split_once("service AccumuloProxy {").unwrap();
    let calls = service.lines().filter(|line| line.contains('('));
    calls.map(|call| call.trim().trim_end_matches(',').to_owned()).collect()
}

/// Converts the name of a type of Rust.
fn idl_type(rust: &str) -> String {
    let required = rust.strip_prefix("core::option::Option<");
    let name = required.and_then(|rest| rest.strip_suffix('>')).unwrap_or(rust);
    let words = name.split_inclusive(['<', '>', ',', ' ']);
    let mut name: String = words.map(|word| word.rsplit("::").next().unwrap()).collect();
    for (rust, idl) in [
        ("()", "void"),
        ("Bytes", "binary"),
        ("String", "string"),
        ("Vec<", "list<"),
        ("BTreeSet<", "set<"),
        ("BTreeMap<", "map<"),
        ("Entry", "KeyValue"),
        ("NextBatch", "ScanResult"),
        ("Plugin", "CompactionStrategyConfig"),
    ] {
        name = name.replace(rust, idl);
    }
    name
}

fn upper_case(name: &str) -> String {
    let letters = name.char_indices().flat_map(|(at, letter)| {
        let line = (at > 0 && letter.is_uppercase()).then_some('_');
        line.into_iter().chain(letter.to_uppercase())
    });
    letters.collect()
}

#[test]
fn enumerations_have_the_numbers_of_the_idl() {
    let idl = frames("proxy_1x.thrift");
    let blocks = blocks(&idl);
    for (name, values) in ENUMERATIONS {
        let lines = &blocks[format!("enum {name}").as_str()];
        let found =
            values.iter().map(|(value, number)| format!("{} = {number}", upper_case(value)));
        match *name {
            // These have other names in Rust.
            "PartialKey" | "IteratorScope" => {
                let number = |line: &str| line.split(" = ").nth(1).unwrap().to_owned();
                let numbers = lines.iter().map(|line| number(line));
                assert!(numbers.eq(found.map(|line| number(&line))), "{name}");
            }
            _ => assert_eq!(*lines, found.collect::<Vec<_>>(), "{name}"),
        }
    }
    let enumerations = blocks.keys().filter(|block| block.starts_with("enum "));
    assert_eq!(enumerations.count(), ENUMERATIONS.len());
}

#[test]
fn structures_have_the_numbers_and_types_of_the_idl() {
    fn fields<T: Structure>() -> (String, Fields) {
        (idl_type(type_name::<T>()), T::fields())
    }
    let structures = [
        fields::<data::Key>(),
        fields::<data::Entry>(),
        fields::<data::Range>(),
        fields::<data::ScanColumn>(),
        fields::<data::Column>(),
        fields::<data::IteratorSetting>(),
        fields::<data::Plugin>(),
        fields::<data::DiskUsage>(),
        fields::<data::KeyExtent>(),
        fields::<data::ActiveScan>(),
        fields::<data::ActiveCompaction>(),
        fields::<data::NextBatch>(),
        fields::<wire::KeyValueAndPeek>(),
        fields::<wire::ColumnUpdate>(),
        fields::<wire::Condition>(),
        fields::<wire::ConditionalUpdates>(),
        fields::<wire::ScanOptions>(),
        fields::<wire::BatchScanOptions>(),
        fields::<wire::ConditionalWriterOptions>(),
    ];
    let idl = frames("proxy_1x.thrift");
    let blocks = blocks(&idl);
    let mut names = BTreeSet::from(["struct WriterOptions".to_owned()]);
    for (name, fields) in structures {
        let name = format!("struct {name}");
        let lines = blocks[name.as_str()].iter().map(|line| {
            let (field, _) = line.rsplit_once(' ').unwrap();
            field.replace(": optional ", ": ")
        });
        let found = fields.iter().map(|(id, _, kind)| format!("{id}: {}", idl_type(kind)));
        assert_eq!(found.collect::<Vec<_>>(), lines.collect::<Vec<_>>(), "{name}");
        names.insert(name);
    }
    let in_idl = blocks.keys().filter(|block| block.starts_with("struct "));
    assert_eq!(names, in_idl.map(|block| (*block).to_owned()).collect());
    for exception in blocks.iter().filter(|(block, _)| block.starts_with("exception ")) {
        assert_eq!(*exception.1, ["1: string msg"]);
    }
}

/// Returns a call as a line of the service of 1.x.
fn line(call: &Declaration) -> String {
    let fields = call.request.iter().map(|(id, name, kind)| (id, *name, idl_type(kind)));
    let arguments = fields.filter_map(|(id, name, kind)| match name {
        "token" => Some(format!("{id}: {kind} login")),
        "time_type" => Some(format!("{id}: {kind} type")),
        // Only 2.x has it.
        "configurer_config" => None,
        _ => Some(format!("{id}: {kind} {}", camel_case(name))),
    });
    let arguments = Vec::from_iter(arguments).join(", ");
    let result = idl_type(call.success);
    let throws = (1..).zip(call.exceptions).map(|(id, kind)| {
        let name = match kind {
            ErrorKind::Security => "AccumuloSecurityException".to_owned(),
            ErrorKind::HandleExpired if call.name == "updateRowsConditionally" => {
                "UnknownWriter".to_owned()
            }
            ErrorKind::HandleExpired => "UnknownScanner".to_owned(),
            ErrorKind::Invalid => "NoMoreEntriesException".to_owned(),
            _ => format!("{kind:?}Exception"),
        };
        format!("{id}: {name} ouch{id}")
    });
    let throws = Vec::from_iter(throws);
    let line = format!("{result} {}({arguments})", call.name);
    if throws.is_empty() { line } else { format!("{line} throws ({})", throws.join(", ")) }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_').map(str::to_owned);
    let first = words.next().unwrap();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(1);
        name + &initial.to_uppercase() + rest
    })
}

fn name(call: &str) -> &str {
    call.split_once('(').unwrap().0.rsplit(' ').next().unwrap()
}

#[test]
fn the_table_has_every_call_of_the_service_unless_it_loses_writes() {
    let mut service = service("proxy_1x.thrift");
    assert_eq!(service.len(), 100);
    service.retain(|call| !NO_METHOD.contains(&name(call)));
    let table: BTreeSet<_> = calls().map(|call| line(&call)).collect();
    let differing: Vec<_> = table.symmetric_difference(&service).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    assert_eq!(calls().count(), 96);
}

#[test]
fn the_versions_differ_as_documented() {
    let one = service("proxy_1x.thrift").into_iter();
    let one = one.map(|call| call.replacen("(1: binary login", "(1: string sharedSecret", 1));
    let (one, two) = (one.collect::<BTreeSet<_>>(), service("proxy_2x.thrift"));
    let differing: Vec<_> = one.symmetric_difference(&two).map(|call| name(call)).collect();
    assert_eq!(differing, ["login", "compactTable", "compactTable"]);
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

#[test]
fn every_method_has_a_live_test() {
    let tests = LIVE_TESTS.map(|file| read(&format!("../../tests/tests/live/{file}.rs"))).concat();
    for Declaration { method, .. } in calls() {
        let is_called = [format!(".{method}("), format!("::{method}(")];
        assert!(is_called.iter().any(|call| tests.contains(call)), "{method}");
    }
}
