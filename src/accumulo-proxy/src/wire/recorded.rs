//! Recorded frames of a server that uses another language's Thrift. The client must send every
//! recorded request again to the byte, and must understand every reply. See
//! `tests/frames/README.md`.
//!
//! The same exchanges record the frames when `tests/frames/record.py` runs the test `record`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::PathBuf;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::interface as wire;
use super::{Call, Connection, Reply};
use crate::convert::{FromWire, ToWire};
use crate::credentials::Credentials;
use crate::data::{self, Bytes};
use crate::dialect::{CompactionPlan, Opening, Plugin};
use crate::options::{Protocol, ProxyOptions};

const SECRET: &str = "hush";

/// The source of frames: one folder of recordings, or a server that is being recorded.
struct Frames {
    is_2x: bool,
    protocol: Protocol,
    is_recording: bool,
}

impl Frames {
    fn all(is_recording: bool) -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(move |is_2x| {
            [Protocol::Compact, Protocol::Binary]
                .into_iter()
                .map(move |protocol| Self {
                    is_2x,
                    protocol,
                    is_recording,
                })
        })
    }

    fn credentials(&self) -> Credentials {
        if self.is_2x {
            Credentials::shared_secret(SECRET)
        } else {
            Credentials::password("root", SECRET)
        }
    }

    fn folder(&self) -> String {
        let line = if self.is_2x { "2x" } else { "1x" };
        format!("{line}-{}", format!("{:?}", self.protocol).to_lowercase())
    }

    /// Returns the address of a server for the exchange `name`, and the task that ends with the
    /// exchange.
    async fn serve(&self, name: &str) -> (String, JoinHandle<()>) {
        if self.is_recording {
            let current = std::env::var("FLUO_FRAMES_CURRENT").unwrap();
            std::fs::write(current, name).unwrap();
            let variable = format!("FLUO_FRAMES_{}", self.folder().to_uppercase());
            let address = std::env::var(variable.replace('-', "_")).unwrap();
            return (address, tokio::spawn(async {}));
        }
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/frames")
            .join(self.folder())
            .join(format!("{name}.txt"));
        let text = std::fs::read_to_string(&path).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let story = path.display().to_string();
        let served = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            play(stream, &text, &story).await;
        });
        (address, served)
    }

    /// Returns the outcome of the call that `request` creates from the token, after a login if
    /// there is one.
    async fn exchange<C: Call>(
        &self,
        name: &str,
        request: impl FnOnce(Vec<u8>) -> C,
    ) -> Result<Option<<C::Reply as Reply>::Success>, String> {
        let (address, served) = self.serve(name).await;
        let mut options = ProxyOptions::new(address, self.credentials());
        options.protocol = self.protocol;
        let mut connection = Connection::open(&options).await.unwrap();
        let token = match options.credentials.opening() {
            Opening::Token(token) => token,
            Opening::Login(login) => {
                let (same, token) = connection.call(&login).await;
                connection = same.unwrap();
                token.unwrap().unwrap()
            }
        };
        let (connection, outcome) = connection.call(&request(token)).await;
        drop(connection);
        served.await.unwrap();
        outcome.map_err(|failure| format!("{failure:?}"))
    }

    /// Checks the outcome of a call.
    async fn check<C: Call>(&self, name: &str, request: impl FnOnce(Vec<u8>) -> C, expected: &str)
    where
        <C::Reply as Reply>::Success: Debug,
    {
        let outcome = self.exchange(name, request).await;
        let found = match outcome {
            Ok(result) => format!("{:?}", result.unwrap()),
            Err(failure) => failure,
        };
        assert_eq!(found, expected, "{name} of {}", self.folder());
    }
}

/// Expects the requests of `recording`, and sends its replies.
async fn play(mut stream: TcpStream, recording: &str, story: &str) {
    for line in recording.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            let length = stream.read_u32().await.unwrap();
            let mut found = vec![0; usize::try_from(length).unwrap()];
            stream.read_exact(&mut found).await.unwrap();
            assert_eq!(hex(&found), request, "{story}");
        } else if let Some(reply) = line.strip_prefix("< ") {
            let reply = bytes(reply);
            let length = u32::try_from(reply.len()).unwrap();
            stream.write_all(&length.to_be_bytes()).await.unwrap();
            stream.write_all(&reply).await.unwrap();
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex
        .chars()
        .map(|digit| digit.to_digit(16).unwrap())
        .collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap())
        .collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn setting() -> wire::IteratorSetting {
    let setting = data::IteratorSetting {
        priority: 20,
        name: text("vers"),
        class: text("org.example.Versions"),
        options: BTreeMap::from([(text("most"), text("1"))]),
    };
    setting.to_wire()
}

fn updates() -> Vec<wire::ColumnUpdate> {
    let put = data::ColumnUpdate::put("f", "q", "").at(i64::MIN);
    let seen = data::ColumnUpdate::put("f", "q", vec![0, 255]).with_visibility("a&b");
    let delete = data::ColumnUpdate::delete("", "");
    crate::convert::all_to_wire(&[put, seen, delete])
}

async fn tables(frames: &Frames) {
    let create = |table: &'static str| {
        move |token| wire::CreateTableRequest::new(token, text(table), true, wire::TimeType::MILLIS)
    };
    frames.check("createTable", create("t"), "()").await;
    for (table, exception) in [
        ("AccumuloException", "Accumulo"),
        ("AccumuloSecurityException", "Security"),
        ("TableExistsException", "TableExists"),
    ] {
        let said = format!("org.example.{table}: it was asked for\\n\\tat org.example.Proxy");
        let expected = format!("Thrown({exception}, \"{said}\")");
        let name = format!("createTable-{table}");
        frames.check(&name, create(table), &expected).await;
    }
    let refused = "Refused(\"the proxy refused the call: Internal error\")";
    frames
        .check("createTable-unexpected", create("Unexpected"), refused)
        .await;
    frames
        .check(
            "addSplits",
            |token| {
                let splits = BTreeSet::from([vec![0, 255], vec![], b"row".to_vec()]);
                wire::AddSplitsRequest::new(token, text("t"), splits)
            },
            "()",
        )
        .await;
    frames
        .check(
            "listSplits",
            |token| wire::ListSplitsRequest::new(token, text("t"), i32::MAX),
            "[[], [0, 255], [114, 111, 119]]",
        )
        .await;
    frames
        .check(
            "tableExists",
            |token| wire::TableExistsRequest::new(token, text("nowhere")),
            "false",
        )
        .await;
    frames
        .check(
            "deleteRows-absent",
            |token| wire::DeleteRowsRequest::new(token, text("t"), None, None),
            "()",
        )
        .await;
    frames
        .check(
            "deleteRows-empty",
            |token| wire::DeleteRowsRequest::new(token, text("t"), vec![], vec![255]),
            "()",
        )
        .await;
    frames
        .check(
            "deleteRows-TableNotFoundException",
            |token| wire::DeleteRowsRequest::new(token, text("TableNotFoundException"), None, None),
            "Thrown(TableNotFound, \"org.example.TableNotFoundException: it was asked for\\n\\tat org.example.Proxy\")",
        )
        .await;
}

async fn compactions(frames: &Frames) {
    let none = CompactionPlan::All;
    let plan = if frames.is_2x {
        CompactionPlan::Plugins {
            selector: Some(Plugin {
                class: text("org.example.Selector"),
                options: BTreeMap::from([(text("size"), text("1G"))]),
            }),
            configurer: Some(Plugin::new("org.example.Configurer")),
        }
    } else {
        CompactionPlan::Strategy(Plugin::new("org.example.Strategy"))
    };
    for (name, plan, start, iterators) in [
        ("compactTable-absent", none, None, None),
        (
            "compactTable",
            plan,
            Some(vec![0, 255]),
            Some(vec![setting()]),
        ),
    ] {
        let (eighth, ninth) = frames.credentials().compaction(plan).unwrap();
        frames
            .check(
                name,
                |token| {
                    wire::CompactTableRequest::new(
                        token,
                        text("t"),
                        start,
                        None,
                        iterators,
                        true,
                        false,
                        eighth,
                        ninth,
                    )
                },
                "()",
            )
            .await;
    }
}

async fn reading(frames: &Frames) {
    for (name, table, expected) in [
        ("getMaxRow-none", "empty", "None"),
        ("getMaxRow", "t", "Some([122, 255])"),
    ] {
        frames
            .check(
                name,
                |token| {
                    let auths = BTreeSet::from([b"a".to_vec()]);
                    wire::GetMaxRowRequest::new(
                        token,
                        text(table),
                        auths,
                        None,
                        true,
                        vec![255],
                        false,
                    )
                },
                expected,
            )
            .await;
    }
    let range = data::Range::rows(Some(Bytes::from("a")), None).to_wire();
    let columns = vec![
        data::ScanColumn::family("f").to_wire(),
        data::ScanColumn::qualifier("f", "").to_wire(),
    ];
    frames
        .check(
            "createScanner",
            |token| {
                let options = wire::ScanOptions::new(
                    BTreeSet::new(),
                    range.clone(),
                    columns.clone(),
                    vec![setting()],
                    None,
                );
                wire::CreateScannerRequest::new(token, text("t"), options)
            },
            "\"scanner-1\"",
        )
        .await;
    frames
        .check(
            "createScanner-absent",
            |token| wire::CreateScannerRequest::new(token, text("t"), None),
            "\"scanner-1\"",
        )
        .await;
    frames
        .check(
            "createBatchScanner",
            |token| {
                let options =
                    wire::BatchScanOptions::new(None, vec![range.clone(); 2], None, None, 4);
                wire::CreateBatchScannerRequest::new(token, text("t"), options)
            },
            "\"scanner-2\"",
        )
        .await;
    let next = frames
        .exchange("nextK", |_| {
            wire::NextKRequest::new(text("scanner-1"), 1000)
        })
        .await;
    let result = next.unwrap().unwrap();
    let entries: Vec<data::Entry> = FromWire::from_wire(result.results.unwrap()).unwrap();
    let key = |row: &'static [u8], timestamp| data::Key {
        row: Bytes::from(row),
        family: "f".into(),
        qualifier: "q".into(),
        visibility: "a&b".into(),
        timestamp,
    };
    assert_eq!(entries[0].key, key(b"a", i64::MIN));
    assert_eq!(entries[0].value, "");
    assert_eq!(entries[1].key, key(b"b\0", i64::MAX));
    assert_eq!(entries[1].value, "value");
    assert_eq!((entries.len(), result.more), (2, Some(false)));
}

async fn writing(frames: &Frames) {
    let write = |table: &'static str| {
        move |token| {
            let cells = BTreeMap::from([(vec![], updates()), (vec![0, 255], updates())]);
            wire::UpdateAndFlushRequest::new(token, text(table), cells)
        }
    };
    frames.check("updateAndFlush", write("t"), "()").await;
    frames
        .check(
            "updateAndFlush-MutationsRejectedException",
            write("MutationsRejectedException"),
            "Thrown(MutationsRejected, \"org.example.MutationsRejectedException: it was asked for\\n\\tat \
             org.example.Proxy\")",
        )
        .await;
    frames
        .check(
            "createConditionalWriter",
            |token| {
                let options = wire::ConditionalWriterOptions::new(
                    None,
                    5000,
                    3,
                    BTreeSet::from([b"a".to_vec()]),
                    wire::Durability::SYNC,
                );
                wire::CreateConditionalWriterRequest::new(token, text("t"), options)
            },
            "\"writer-1\"",
        )
        .await;
    let statuses = "{[]: ConditionalStatus(0), [110, 111]: ConditionalStatus(1)}";
    frames
        .check(
            "updateRowsConditionally",
            |_| {
                let absent = data::Condition::absent("f", "q").to_wire();
                let equal = data::Condition::equal("f", "", vec![255])
                    .at(-1)
                    .with_visibility("a")
                    .to_wire();
                let both = wire::ConditionalUpdates::new(vec![absent.clone(), equal], updates());
                let one = wire::ConditionalUpdates::new(vec![absent], vec![]);
                let rows = BTreeMap::from([(vec![], both), (b"no".to_vec(), one)]);
                wire::UpdateRowsConditionallyRequest::new(text("writer-1"), rows)
            },
            statuses,
        )
        .await;
}

async fn options(frames: &Frames) {
    frames
        .check(
            "attachIterator",
            |token| {
                let scopes = BTreeSet::from([wire::IteratorScope::MINC, wire::IteratorScope::SCAN]);
                wire::AttachIteratorRequest::new(token, text("t"), setting(), scopes)
            },
            "()",
        )
        .await;
    let scopes = frames
        .exchange("listIterators", |token| {
            wire::ListIteratorsRequest::new(token, text("t"))
        })
        .await;
    let named: BTreeMap<String, BTreeSet<data::IteratorScope>> =
        FromWire::from_wire(scopes.unwrap().unwrap()).unwrap();
    assert_eq!(named["vers"].len(), 3);
    assert_eq!(named["none"].len(), 0);
    frames
        .check(
            "setLocalityGroups",
            |token| {
                let families = BTreeSet::from([text("f1"), text("f2")]);
                let groups =
                    BTreeMap::from([(text("empty"), BTreeSet::new()), (text("g"), families)]);
                wire::SetLocalityGroupsRequest::new(token, text("t"), groups)
            },
            "()",
        )
        .await;
    frames
        .check(
            "getLocalityGroups",
            |token| wire::GetLocalityGroupsRequest::new(token, text("t")),
            "{\"g\": {\"f1\", \"f2\"}}",
        )
        .await;
    frames
        .check(
            "getTableProperties",
            |token| wire::GetTablePropertiesRequest::new(token, text("t")),
            "{\"table.custom.ö\": \"é\", \"table.split.threshold\": \"1G\"}",
        )
        .await;
    frames
        .check(
            "hasTablePermission",
            |token| {
                let permission = data::TablePermission::DropTable.to_wire();
                wire::HasTablePermissionRequest::new(token, text("root"), text("t"), permission)
            },
            "true",
        )
        .await;
    frames
        .check(
            "createNamespace-NamespaceExistsException",
            |token| wire::CreateNamespaceRequest::new(token, text("NamespaceExistsException")),
            "Thrown(NamespaceExists, \"org.example.NamespaceExistsException: it was asked for\\n\\tat \
             org.example.Proxy\")",
        )
        .await;
}

async fn servers(frames: &Frames) {
    let scans = frames
        .exchange("getActiveScans", |token| {
            wire::GetActiveScansRequest::new(token, text("server1:9997"))
        })
        .await;
    let scans: Vec<data::ActiveScan> = FromWire::from_wire(scans.unwrap().unwrap()).unwrap();
    let [scan] = &scans[..] else {
        panic!("{scans:?}")
    };
    assert_eq!((scan.age_ms, scan.idle_ms), (1 << 33, 0));
    assert_eq!(
        (scan.scan_type, scan.state),
        (data::ScanType::Batch, data::ScanState::Queued)
    );
    let extent = scan.extent.as_ref().unwrap();
    assert_eq!(
        (extent.table_id.as_str(), &extent.previous_end_row),
        ("2a", &None)
    );
    assert_eq!(scan.columns, [("f".into(), Bytes::new(), Bytes::new())]);
    assert_eq!(scan.iterators[0].to_wire(), setting());
    assert_eq!(scan.authorizations, ["a", "b"]);

    let compactions = frames
        .exchange("getActiveCompactions", |token| {
            wire::GetActiveCompactionsRequest::new(token, text("server1:9997"))
        })
        .await;
    let compactions: Vec<data::ActiveCompaction> =
        FromWire::from_wire(compactions.unwrap().unwrap()).unwrap();
    let [compaction] = &compactions[..] else {
        panic!("{compactions:?}")
    };
    assert_eq!(compaction.compaction_type, data::CompactionType::Full);
    assert_eq!(compaction.reason, data::CompactionReason::User);
    assert_eq!(compaction.input_files, ["f1", "f2"]);

    frames
        .check(
            "getDiskUsage",
            |token| {
                let tables = BTreeSet::from([text("t"), text("u")]);
                wire::GetDiskUsageRequest::new(token, tables)
            },
            "[DiskUsage { tables: Some([\"t\", \"u\"]), usage: Some(1099511627776) }]",
        )
        .await;
    let ranges = frames
        .exchange("splitRangeByTablets", |token| {
            let all = data::Range::all().to_wire();
            wire::SplitRangeByTabletsRequest::new(token, text("t"), all, 10)
        })
        .await;
    let ranges: BTreeSet<data::Range> = FromWire::from_wire(ranges.unwrap().unwrap()).unwrap();
    let range = ranges.first().unwrap();
    assert!(range.start.is_none() && range.start_inclusive && !range.stop_inclusive);
    let stop = data::Key::from_wire(range.stop.as_ref().unwrap().to_wire()).unwrap();
    assert_eq!((stop.row.as_ref(), stop.timestamp), (&b"m"[..], 7));
}

async fn everything(frames: &Frames) {
    tables(frames).await;
    compactions(frames).await;
    reading(frames).await;
    writing(frames).await;
    options(frames).await;
    servers(frames).await;
}

#[tokio::test]
async fn sends_the_recorded_requests_and_understands_the_replies() {
    for frames in Frames::all(false) {
        everything(&frames).await;
    }
}

#[tokio::test]
#[ignore = "tests/frames/record.py runs it"]
async fn record() {
    for frames in Frames::all(true) {
        everything(&frames).await;
    }
}
