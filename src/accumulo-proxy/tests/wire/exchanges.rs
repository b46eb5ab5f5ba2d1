//! The calls whose exchanges were recorded from a server that uses another language's Thrift, see
//! `tests/frames/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::path::PathBuf;
use std::time::Duration;

use accumulo_proxy::{
    BatchScanOptions, Bytes, ColumnUpdate, Compaction, CompactionPlan, Condition,
    ConditionalMutation, ConditionalWriterHandle, ConditionalWriterOptions, Credentials,
    Durability, Error, IteratorScope, IteratorSetting, Mutation, Plugin, Protocol, ProxyClient,
    ProxyOptions, Range, ScanColumn, ScanOptions, ScannerHandle, TablePermission, TimeType,
};
use futures::FutureExt;
use futures::future::BoxFuture;

/// The secret and the password of the recordings.
const SECRET: &str = "hush";

/// A folder of recordings: a version of the proxy and a protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder {
    pub(crate) is_2x: bool,
    pub(crate) protocol: Protocol,
}

pub(crate) const FOLDERS: [Folder; 4] = [
    Folder::new(false, Protocol::Compact),
    Folder::new(false, Protocol::Binary),
    Folder::new(true, Protocol::Compact),
    Folder::new(true, Protocol::Binary),
];

impl Folder {
    const fn new(is_2x: bool, protocol: Protocol) -> Self {
        Self { is_2x, protocol }
    }

    pub(crate) fn name(self) -> String {
        let line = if self.is_2x { "2x" } else { "1x" };
        format!("{line}-{}", format!("{:?}", self.protocol).to_lowercase())
    }

    pub(crate) fn credentials(self) -> Credentials {
        match self.is_2x {
            true => Credentials::shared_secret(SECRET),
            false => Credentials::password("root", SECRET),
        }
    }

    pub(crate) fn recording(self, name: &str) -> String {
        frames(&format!("{}/{name}.txt", self.name()))
    }
}

/// Returns the text of a file of `tests/frames`.
pub(crate) fn frames(file: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frames");
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Converts hexadecimal digits to bytes.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// A recorded exchange.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) name: &'static str,
    /// Makes the call, and returns the result in its `Debug` form.
    pub(crate) call: fn(ProxyClient, Folder) -> BoxFuture<'static, Result<String, Error>>,
}

impl Exchange {
    /// Makes the call, after a login if the version has logins.
    pub(crate) async fn make(self, folder: Folder, address: &str) -> Result<String, Error> {
        let options = ProxyOptions::new(address, folder.credentials());
        let options = options.protocol(folder.protocol);
        let options = options.tries(std::num::NonZeroUsize::MIN);
        let client = match folder.is_2x {
            true => ProxyClient::lazy(options),
            false => ProxyClient::connect(options).await?,
        };
        (self.call)(client, folder).await
    }
}

macro_rules! exchanges {
    ($($name:literal: |$client:ident, $folder:pat_param| $call:expr;)*) => {
        pub(crate) fn exchanges() -> Vec<Exchange> {
            vec![$(Exchange {
                name: $name,
                call: |$client, $folder| {
                    async move { Ok(format!("{:?}", $call.await?)) }.boxed()
                },
            }),*]
        }
    };
}

exchanges! {
    "createTable": |it, _| it.table_operations().create("t", true, TimeType::Millis);
    "createTable-AccumuloException": |it, _| create(&it, "AccumuloException");
    "createTable-AccumuloSecurityException": |it, _| create(&it, "AccumuloSecurityException");
    "createTable-TableExistsException": |it, _| create(&it, "TableExistsException");
    "createTable-unexpected": |it, _| create(&it, "Unexpected");
    "addSplits": |it, _| it.table_operations().add_splits("t", [&b"row"[..], b"\0\xff", b""]);
    "listSplits": |it, _| it.table_operations().list_splits("t", None);
    "tableExists": |it, _| it.table_operations().exists("nowhere");
    "deleteRows-absent": |it, _| it.table_operations().delete_rows("t", None, None);
    "deleteRows-empty": |it, _|
        it.table_operations().delete_rows("t", Some(b""), Some(b"\xff"));
    "deleteRows-TableNotFoundException": |it, _|
        it.table_operations().delete_rows("TableNotFoundException", None, None);
    "compactTable": |it, folder| it.table_operations().compact("t", compaction(folder.is_2x));
    "getMaxRow": |it, _| max_row(&it, "t");
    "getMaxRow-none": |it, _| max_row(&it, "empty");
    "createScanner": |it, _| async move {
        let scan = ScanOptions::default().range(range()).iterator(setting()).no_authorizations();
        let columns = [ScanColumn::family("f"), ScanColumn::qualifier("f", "")];
        let scanner = it.low_level().create_scanner("t", &scan.columns(columns)).await;
        scanner.map(|scanner| scanner.as_str().to_owned())
    };
    "createBatchScanner": |it, _| async move {
        let options = BatchScanOptions::over([range(), range()]);
        let options = options.threads(4.try_into().unwrap());
        let scanner = it.low_level().create_batch_scanner("t", &options).await;
        scanner.map(|scanner| scanner.as_str().to_owned())
    };
    "nextK": |it, _| it.low_level().next_k(&ScannerHandle::from("scanner-1".to_owned()), 1000);
    "updateAndFlush": |it, _| it.low_level().update_and_flush("t", &mutations());
    "updateAndFlush-MutationsRejectedException": |it, _|
        it.low_level().update_and_flush("MutationsRejectedException", &mutations());
    "createConditionalWriter": |it, _| async move {
        let mut options = ConditionalWriterOptions::default().authorizations(["a"]);
        options.threads = Some(3.try_into().unwrap());
        let options = options.durability(Durability::Sync).timeout(Duration::from_secs(5));
        let writer = it.low_level().create_conditional_writer("t", &options).await;
        writer.map(|writer| writer.as_str().to_owned())
    };
    "updateRowsConditionally": |it, _| it.low_level().update_rows_conditionally(
        &ConditionalWriterHandle::from("writer-1".to_owned()), &conditional_mutations()
    );
    "attachIterator": |it, _| it.table_operations().attach_iterator(
        "t", &setting(), &[IteratorScope::MinorCompaction, IteratorScope::Scan]
    );
    "listIterators": |it, _| it.table_operations().iterators("t");
    "setLocalityGroups": |it, _| it.table_operations().set_locality_groups("t", &groups());
    "getLocalityGroups": |it, _| it.table_operations().locality_groups("t");
    "getTableProperties": |it, _| it.table_operations().properties("t");
    "hasTablePermission": |it, _| it.security_operations().has_table_permission(
        "root", "t", TablePermission::DropTable
    );
    "createNamespace-NamespaceExistsException": |it, _|
        it.namespace_operations().create("NamespaceExistsException");
    "getActiveScans": |it, _| it.instance_operations().active_scans("server1:9997");
    "getActiveCompactions": |it, _|
        it.instance_operations().active_compactions("server1:9997");
    "getDiskUsage": |it, _| it.table_operations().disk_usage(["t", "u"]);
    "splitRangeByTablets": |it, _| it.table_operations().split_range_by_tablets(
        "t", &Range::all(), Some(10.try_into().unwrap())
    );
}

async fn create(client: &ProxyClient, table: &str) -> Result<(), Error> {
    let tables = client.table_operations();
    tables.create(table, true, TimeType::Millis).await
}

async fn max_row(client: &ProxyClient, table: &str) -> Result<Option<Bytes>, Error> {
    let tables = client.table_operations();
    let authorizations = BTreeSet::from([Bytes::from("a")]);
    let end = Excluded(&b"\xff"[..]);
    tables.max_row(table, Some(&authorizations), Unbounded, end).await
}

fn compaction(is_2x: bool) -> Compaction {
    let plan = match is_2x {
        false => CompactionPlan::Strategy(Plugin::new("org.example.Strategy")),
        true => CompactionPlan::Plugins {
            selector: Some(Plugin {
                class: "org.example.Selector".to_owned(),
                options: BTreeMap::from([("size".to_owned(), "1G".to_owned())]),
            }),
            configurer: Some(Plugin::new("org.example.Configurer")),
        },
    };
    let compaction = Compaction::default().iterator(setting()).plan(plan);
    compaction.rows(Some(&b"\0\xff"[..]), None::<Bytes>).without_waiting()
}

fn setting() -> IteratorSetting {
    IteratorSetting::new(20, "vers", "org.example.Versions").option("most", "1")
}

fn range() -> Range {
    Range::rows(Some("a".into()), None)
}

fn updates() -> Vec<ColumnUpdate> {
    vec![
        ColumnUpdate::put("f", "q", "").at(i64::MIN),
        ColumnUpdate::put("f", "q", vec![0, 255]).with_visibility("a&b"),
        ColumnUpdate::delete("", ""),
    ]
}

fn mutations() -> [Mutation; 2] {
    [&b""[..], b"\0\xff"].map(|row| Mutation { row: row.into(), updates: updates() })
}

fn conditional_mutations() -> [ConditionalMutation; 2] {
    let absent = Condition::absent("f", "q");
    let equal = Condition::equal("f", "", vec![255]);
    let equal = equal.at(-1).with_visibility("a");
    let both = Mutation { row: "".into(), updates: updates() };
    let no_updates = Mutation::new("no");
    [both.when([absent.clone(), equal]), no_updates.when([absent])]
}

fn groups() -> BTreeMap<String, BTreeSet<String>> {
    let families = BTreeSet::from(["f1".to_owned(), "f2".to_owned()]);
    BTreeMap::from([("empty".to_owned(), BTreeSet::new()), ("g".to_owned(), families)])
}
