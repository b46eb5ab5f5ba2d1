//! The request of every call, field by field, and the subject of its errors, compared with
//! `tests/frames/requests.txt`. `PROXY_CALLS=overwrite` writes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::Bound::{Excluded, Included};

use accumulo_proxy::{
    BatchScanOptions, Bytes, CloneOptions, Compaction, Condition, ConditionalWriterHandle,
    ConditionalWriterOptions, Error, IteratorScope, IteratorSetting, Key, Mutation,
    NamespacePermission, PartialKey, ProxyClient, Range, ScanOptions, ScannerHandle,
    SystemPermission, TablePermission, TimeType,
};
use thrift::protocol::{TInputProtocol, TOutputProtocol, TType, field_id};

use crate::exchanges::frames;
use crate::fake::{Answer, Fake};
use crate::interface::{Reader, WireValue};

/// A value of any type, as text.
struct Shown(String);

impl WireValue for Shown {
    const TYPE: TType = TType::Struct;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
        shown(reader.input, TType::Struct).map(Self)
    }

    fn write(&self, _: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        unreachable!("only requests are shown")
    }
}

fn shown(input: &mut dyn TInputProtocol, kind: TType) -> thrift::Result<String> {
    let mut parts = Vec::new();
    Ok(match kind {
        TType::Bool => input.read_bool()?.to_string(),
        TType::I32 => input.read_i32()?.to_string(),
        TType::I64 => format!("{}L", input.read_i64()?),
        TType::String => {
            let shown = format!("{:?}", Bytes::from(input.read_bytes()?));
            shown.trim_start_matches('b').to_owned()
        }
        TType::List => {
            let list = input.read_list_begin()?;
            for _ in 0..list.size {
                parts.push(shown(input, list.element_type)?);
            }
            format!("[{}]", parts.join(", "))
        }
        TType::Set => {
            let set = input.read_set_begin()?;
            for _ in 0..set.size {
                parts.push(shown(input, set.element_type)?);
            }
            format!("set[{}]", parts.join(", "))
        }
        TType::Map => {
            let map = input.read_map_begin()?;
            for _ in 0..map.size {
                let key = shown(input, map.key_type.unwrap())?;
                parts.push(format!("{key} = {}", shown(input, map.value_type.unwrap())?));
            }
            format!("map[{}]", parts.join(", "))
        }
        TType::Struct => {
            input.read_struct_begin()?;
            loop {
                let field = input.read_field_begin()?;
                if field.field_type == TType::Stop {
                    break;
                }
                let value = shown(input, field.field_type)?;
                parts.push(format!("{}: {value}", field_id(&field)?));
                input.read_field_end()?;
            }
            input.read_struct_end()?;
            format!("{{{}}}", parts.join(", "))
        }
        other => panic!("no request has a value of type {other}"),
    })
}

/// The subjects of the errors of all calls.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    /// Adds the subject of an error.
    fn add<T: Debug>(&mut self, result: Result<T, Error>) {
        let error = result.unwrap_err();
        self.0.push(error.subject().unwrap_or("-").to_owned());
    }
}

const SCOPES: [IteratorScope; 2] = [IteratorScope::MajorCompaction, IteratorScope::Scan];

fn iterator() -> IteratorSetting {
    IteratorSetting::new(7, "name", "Class").option("key", "value")
}

/// The start and the end of a range of rows.
const ROWS: (Option<&[u8]>, Option<&[u8]>) = (Some(b"start"), Some(b"end"));

async fn tables(client: &ProxyClient, log: &mut Log) {
    let it = client.table_operations();
    let (start, end) = ROWS;
    let mut clone = CloneOptions::default();
    clone.set.insert("key".to_owned(), "value".to_owned());
    clone.exclude.insert("excluded".to_owned());
    let groups = BTreeMap::from([("g".to_owned(), BTreeSet::from(["f".to_owned()]))]);
    let all = Some(BTreeSet::from([Bytes::from("a")]));
    let rows = (Included(&b"start"[..]), Excluded(&b"end"[..]));
    let most = Some(9.try_into().unwrap());
    let compaction = Compaction::default().rows(Some("start"), Some("end"));
    log.add(it.create("t", false, TimeType::Logical).await);
    log.add(it.list().await);
    log.add(it.exists("t").await);
    log.add(it.id_map().await);
    log.add(it.rename("old", "new").await);
    log.add(it.clone_table("old", "new", clone).await);
    log.add(it.delete("t").await);
    log.add(it.offline("t", true).await);
    log.add(it.online("t", false).await);
    log.add(it.clear_locator_cache("t").await);
    log.add(it.test_class_load("t", "Class", "Type").await);
    log.add(it.add_splits("t", ["b", "a"]).await);
    log.add(it.list_splits("t", Some(9)).await);
    log.add(it.merge("t", start, end).await);
    log.add(it.split_range_by_tablets("t", &Range::row("r"), most).await);
    log.add(it.delete_rows("t", start, None).await);
    log.add(it.max_row("t", all.as_ref(), rows.0, rows.1).await);
    log.add(it.flush("t", None, end, true).await);
    log.add(it.compact("t", compaction.iterator(iterator())).await);
    log.add(it.cancel_compaction("t").await);
    log.add(it.disk_usage(["u", "t"]).await);
    log.add(it.export_table("t", "directory").await);
    log.add(it.import_table("t", "directory").await);
    log.add(it.import_directory("t", "directory", "failures", true).await);
    log.add(it.properties("t").await);
    log.add(it.set_property("t", "key", "value").await);
    log.add(it.remove_property("t", "key").await);
    log.add(it.locality_groups("t").await);
    log.add(it.set_locality_groups("t", &groups).await);
    log.add(it.add_constraint("t", "Class").await);
    log.add(it.remove_constraint("t", 5).await);
    log.add(it.constraints("t").await);
    log.add(it.attach_iterator("t", &iterator(), &SCOPES).await);
    log.add(it.remove_iterator("t", "name", &SCOPES).await);
    log.add(it.iterator("t", "name", SCOPES[0]).await);
    log.add(it.iterators("t").await);
    log.add(it.check_iterator_conflicts("t", &iterator(), &SCOPES).await);
}

async fn namespaces(client: &ProxyClient, log: &mut Log) {
    let it = client.namespace_operations();
    log.add(it.system_namespace().await);
    log.add(it.default_namespace().await);
    log.add(it.list().await);
    log.add(it.exists("n").await);
    log.add(it.id_map().await);
    log.add(it.create("n").await);
    log.add(it.rename("old", "new").await);
    log.add(it.delete("n").await);
    log.add(it.test_class_load("n", "Class", "Type").await);
    log.add(it.properties("n").await);
    log.add(it.set_property("n", "key", "value").await);
    log.add(it.remove_property("n", "key").await);
    log.add(it.add_constraint("n", "Class").await);
    log.add(it.remove_constraint("n", 5).await);
    log.add(it.constraints("n").await);
    log.add(it.attach_iterator("n", &iterator(), &SCOPES).await);
    log.add(it.remove_iterator("n", "name", &SCOPES).await);
    log.add(it.iterator("n", "name", SCOPES[1]).await);
    log.add(it.iterators("n").await);
    log.add(it.check_iterator_conflicts("n", &iterator(), &SCOPES).await);
}

async fn users(client: &ProxyClient, log: &mut Log) {
    let it = client.security_operations();
    let (system, table) = (SystemPermission::System, TablePermission::Read);
    let namespace = NamespacePermission::DropNamespace;
    log.add(it.create_user("u", "password").await);
    log.add(it.drop_user("u").await);
    log.add(it.users().await);
    log.add(it.change_password("u", "password").await);
    log.add(it.authenticate_user("u", "password").await);
    log.add(it.authenticate_user_with("u", BTreeMap::new()).await);
    log.add(it.authorizations("u").await);
    log.add(it.change_authorizations("u", ["b", "a"]).await);
    log.add(it.has_system_permission("u", system).await);
    log.add(it.grant_system_permission("u", system).await);
    log.add(it.revoke_system_permission("u", system).await);
    log.add(it.has_namespace_permission("u", "n", namespace).await);
    log.add(it.grant_namespace_permission("u", "n", namespace).await);
    log.add(it.revoke_namespace_permission("u", "n", namespace).await);
    log.add(it.has_table_permission("u", "t", table).await);
    log.add(it.grant_table_permission("u", "t", table).await);
    log.add(it.revoke_table_permission("u", "t", table).await);
}

async fn servers_and_keys(client: &ProxyClient, log: &mut Log) {
    let it = client.instance_operations();
    log.add(it.tablet_servers().await);
    log.add(it.ping_tablet_server("s").await);
    log.add(it.active_scans("s").await);
    log.add(it.active_compactions("s").await);
    log.add(it.site_configuration().await);
    log.add(it.system_configuration().await);
    log.add(it.set_property("key", "value").await);
    log.add(it.remove_property("key").await);
    log.add(it.test_class_load("Class", "Type").await);
    log.add(client.row_range("r").await);
    let key = Key::from_row("r").in_column("f", "q");
    log.add(client.following_key(&key, PartialKey::RowFamily).await);
}

async fn handles(client: &ProxyClient, log: &mut Log) {
    let it = client.low_level();
    let scanner = ScannerHandle::from("scanner".to_owned());
    let writer = ConditionalWriterHandle::from("writer".to_owned());
    let put = Mutation::new("r").put("f", "q", "v");
    let one = put.clone().when([Condition::absent("f", "q").iterator(iterator())]);
    let ranges = BatchScanOptions::over([Range::row("r")]);
    let options = ConditionalWriterOptions::default();
    log.add(it.create_scanner("t", &ScanOptions::default()).await);
    log.add(it.create_batch_scanner("t", &ranges).await);
    log.add(it.has_next(&scanner).await);
    log.add(it.next_entry(&scanner).await);
    log.add(it.next_k(&scanner, 5).await);
    log.add(it.close_scanner(&scanner).await);
    log.add(it.update_and_flush("t", &[put.clone(), put]).await);
    log.add(it.update_row_conditionally("t", &one).await);
    log.add(it.create_conditional_writer("t", &options).await);
    log.add(it.update_rows_conditionally(&writer, &[one]).await);
    log.add(it.close_conditional_writer(&writer).await);
}

#[tokio::test]
async fn every_call_sends_its_arguments() {
    let fake = Fake::start(|_| Answer::Refuse(1, "no such call")).await;
    let client = fake.client();
    let mut log = Log::default();
    tables(&client, &mut log).await;
    namespaces(&client, &mut log).await;
    users(&client, &mut log).await;
    servers_and_keys(&client, &mut log).await;
    handles(&client, &mut log).await;
    let requests = fake.all_calls();
    assert_eq!(requests[0].call, "login");
    assert_eq!(requests.len(), log.0.len() + 1);
    let lines = requests[1..].iter().zip(log.0).map(|(request, subject)| {
        let request_fields = request.read::<Shown>().0;
        format!("{} of {subject} {request_fields}\n", request.call)
    });
    let lines: String = lines.collect();
    if std::env::var("PROXY_CALLS").is_ok_and(|value| value == "overwrite") {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frames/requests.txt");
        std::fs::write(file, &lines).unwrap();
    }
    assert_eq!(lines, frames("requests.txt"));
}
