//! Entries that no client has written.

use std::time::Duration;

use fluo_core::layout::{EntryKind, EntryStamp};
use fluo_core::{Bytes, Client, Error, Mutation, Timestamp};

use super::instance::Instance;
use super::scene::{Scene, balance};

/// An entry of a cell, and what is said of it.
#[derive(Clone, Debug)]
pub struct Damage {
    pub stamp: u64,
    pub value: Bytes,
    pub told: &'static str,
    /// Whether a reader of the cell looks at it.
    pub is_read: bool,
    /// Whether a writer of the cell looks at it.
    pub is_in_the_way: bool,
}

const TOO_LARGE: &str =
    "its timestamp is invalid: the number below the kind is more than 1152921504606846975";

pub fn damages() -> Vec<Damage> {
    let garbage = |kind, told, is_read| Damage {
        stamp: EntryStamp::new(kind, Timestamp::new(1).unwrap())
            .encode()
            .cast_unsigned(),
        value: "garbage".into(),
        told,
        is_read,
        is_in_the_way: true,
    };
    let stamped = |stamp, is_read| Damage {
        stamp,
        value: Bytes::new(),
        told: TOO_LARGE,
        is_read,
        is_in_the_way: true,
    };
    vec![
        garbage(
            EntryKind::Write,
            "the value of a WRITE entry cannot be read: 7 bytes, `garbage`; it should be a byte of flags below 4",
            true,
        ),
        garbage(
            EntryKind::Lock,
            "the value of a LOCK entry cannot be read: 7 bytes, `garbage`",
            true,
        ),
        // A reader has nothing to do with locks for reading.
        garbage(
            EntryKind::ReadLock,
            "the value of a RLOCK entry cannot be read",
            false,
        ),
        garbage(
            EntryKind::DelReadLock,
            "the value of a DEL_RLOCK entry cannot be read",
            false,
        ),
        stamped(0x5fff_ffff_ffff_ffff, true),
        stamped(0x3fff_ffff_ffff_ffff, false),
        stamped(0xffff_ffff_ffff_ffff, false),
        Damage {
            stamp: 0x8000_0000_0000_0001,
            value: Bytes::new(),
            told: "its timestamp is invalid: kind 100 does not exist",
            is_read: true,
            // It stands behind everything that a writer looks at.
            is_in_the_way: false,
        },
    ]
}

async fn read(client: &Client) -> Result<Option<Bytes>, Error> {
    let snapshot = client.snapshot().await?;
    snapshot.get("alice", &balance()).await
}

/// Servers may have no words for what they cannot read: a scan of theirs fails, or a writer is not answered. What is said
/// elsewhere is held to its words in `tests/tests/damaged_entries.rs`.
pub async fn a_damaged_entry_is_never_a_value(instance: Instance) {
    for damage in damages() {
        let scene = Scene::new(&instance).await;
        let stamp = damage.stamp.cast_signed();
        let entry = Mutation::new("alice").put_at(balance(), stamp, damage.value.clone());
        scene.table.write(vec![entry]).await.unwrap();
        let client = scene.client().await;
        match read(&client).await {
            Err(_) => {}
            Ok(value) => assert!(!damage.is_read && value.is_none(), "{damage:?}: {value:?}"),
        }
        let writing = client.run(async |tx| tx.set("alice", &balance(), "1"));
        let is_written = match tokio::time::timeout(UNANSWERED, writing).await {
            Ok(ended) => ended.is_ok(),
            // It is still being tried.
            Err(_) => false,
        };
        match (is_written, read(&client).await) {
            (true, Ok(value)) => assert_eq!(value.unwrap(), "1", "{damage:?}"),
            (false, Ok(value)) => assert_eq!(value, None, "{damage:?}"),
            (_, Err(error)) => assert!(!is_written, "{damage:?}: {error}"),
        }
        scene.end().await;
    }
}

/// As long as a writer is waited for that servers do not answer.
const UNANSWERED: Duration = Duration::from_secs(2);
