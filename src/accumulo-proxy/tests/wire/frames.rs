//! The public calls against recorded frames. `src/wire/recorded.rs` tests the wire modules with the
//! same frames.

use std::collections::BTreeMap;
use std::path::PathBuf;

use accumulo_proxy::{
    Compaction, CompactionPlan, Credentials, ErrorKind, IteratorSetting, Plugin, Protocol,
    ProxyClient, ProxyOptions, TimeType,
};
use tokio::io::AsyncWriteExt;

use crate::raw::{Raw, framed, read_request};

const FOLDERS: [(&str, Protocol); 4] = [
    ("1x-compact", Protocol::Compact),
    ("1x-binary", Protocol::Binary),
    ("2x-compact", Protocol::Compact),
    ("2x-binary", Protocol::Binary),
];

/// Starts a server that plays a recording, and returns a client of it. The server closes the
/// connection at the first byte that differs from the recording.
async fn played(folder: &str, protocol: Protocol, name: &str) -> (Raw, ProxyClient) {
    let frames = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/frames");
    let path = frames.join(folder).join(format!("{name}.txt"));
    let recording = std::fs::read_to_string(path).unwrap();
    let server = Raw::start(move |mut stream| {
        let recording = recording.clone();
        async move {
            for line in recording.lines() {
                if let Some(request) = line.strip_prefix("> ") {
                    let found = read_request(&mut stream).await?;
                    assert_eq!(found.message, bytes(request));
                } else if let Some(reply) = line.strip_prefix("< ") {
                    stream.write_all(&framed(&bytes(reply))).await?;
                }
            }
            Ok(())
        }
    })
    .await;
    let credentials = match folder.starts_with("1x") {
        true => Credentials::password("root", "hush"),
        false => Credentials::shared_secret("hush"),
    };
    let mut settings = ProxyOptions::new(&server.address, credentials);
    settings = settings.protocol(protocol);
    settings = settings.tries(std::num::NonZeroUsize::MIN);
    (server, ProxyClient::lazy(settings))
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[tokio::test]
async fn creates_and_splits_tables() {
    for (folder, protocol) in FOLDERS {
        let (_server, client) = played(folder, protocol, "createTable").await;
        let tables = client.table_operations();
        tables.create("t", true, TimeType::Millis).await.unwrap();

        let (_server, client) = played(folder, protocol, "createTable-TableExistsException").await;
        let tables = client.table_operations();
        let created = tables.create("TableExistsException", true, TimeType::Millis);
        let error = created.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TableExists, "{error}");

        let (_server, client) = played(folder, protocol, "addSplits").await;
        let tables = client.table_operations();
        let splits = [&b"row"[..], b"\0\xff", b""];
        tables.add_splits("t", splits).await.unwrap();
    }
}

#[tokio::test]
async fn deletes_rows_between_absent_and_empty_bounds() {
    for (folder, protocol) in FOLDERS {
        let (_server, client) = played(folder, protocol, "deleteRows-absent").await;
        let tables = client.table_operations();
        tables.delete_rows("t", None, None).await.unwrap();
        let (_server, client) = played(folder, protocol, "deleteRows-empty").await;
        let (first, last) = (Some(&b""[..]), Some(&b"\xff"[..]));
        let tables = client.table_operations();
        tables.delete_rows("t", first, last).await.unwrap();
    }
}

#[tokio::test]
async fn compactions_send_the_plugins_of_their_version() {
    for (folder, protocol) in FOLDERS {
        let plan = match folder.starts_with("1x") {
            true => CompactionPlan::Strategy(Plugin::new("org.example.Strategy")),
            false => CompactionPlan::Plugins {
                selector: Some(Plugin {
                    class: "org.example.Selector".to_owned(),
                    options: BTreeMap::from([("size".to_owned(), "1G".to_owned())]),
                }),
                configurer: Some(Plugin::new("org.example.Configurer")),
            },
        };
        let setting = IteratorSetting {
            priority: 20,
            name: "vers".to_owned(),
            class: "org.example.Versions".to_owned(),
            options: BTreeMap::from([("most".to_owned(), "1".to_owned())]),
        };
        let compaction = Compaction {
            start_row: Some(vec![0, 255].into()),
            iterators: vec![setting],
            wait: false,
            plan,
            ..Compaction::default()
        };
        let (_server, client) = played(folder, protocol, "compactTable").await;
        let tables = client.table_operations();
        tables.compact("t", compaction).await.unwrap();
    }
}
