//! Entries that no client writes.

use std::time::Duration;

use fluo_engine::Client;
use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{Bytes, Error, Instance, Mutation, Timestamp};

use super::accounts::balance;
use crate::Fixture;

/// An entry of a cell, and the error that it causes.
#[derive(Clone, Debug)]
pub struct Damage {
    pub stamp: u64,
    pub value: Bytes,
    pub told: &'static str,
    /// `true` if a reader of the cell reads the entry.
    pub is_read: bool,
    /// `true` if a writer of the cell reads the entry.
    pub is_in_the_way: bool,
}

const TOO_LARGE: &str =
    "its timestamp is invalid: the number below the kind is more than 1152921504606846975";

pub fn damages() -> Vec<Damage> {
    let garbage = |kind, told, is_read| Damage {
        stamp: EntryTimestamp::new(kind, Timestamp::new(1).unwrap()).encode().cast_unsigned(),
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
        // A reader does not read read locks.
        garbage(EntryKind::ReadLock, "the value of a RLOCK entry cannot be read", false),
        garbage(EntryKind::DelReadLock, "the value of a DEL_RLOCK entry cannot be read", false),
        stamped(0x5fff_ffff_ffff_ffff, true),
        stamped(0x3fff_ffff_ffff_ffff, false),
        stamped(0xffff_ffff_ffff_ffff, false),
        Damage {
            stamp: 0x8000_0000_0000_0001,
            value: Bytes::new(),
            told: "its timestamp is invalid: kind 100 does not exist",
            is_read: true,
            // It is behind all entries that a writer reads.
            is_in_the_way: false,
        },
    ]
}

async fn read(client: &Client) -> Result<Option<Bytes>, Error> {
    let snapshot = client.snapshot().await?;
    snapshot.get("alice", &balance()).await
}

/// Checks that a damaged entry is never returned as a value, and that a completed write can be
/// read.
///
/// Servers may report damage without details: a scan fails, or a writer gets no answer.
/// `tests/tests/beyond_the_model/damaged_entries.rs` checks the messages of the other tables.
pub async fn a_damaged_entry_is_never_read_as_a_value(instance: Instance) {
    for damage in damages() {
        let fixture = Fixture::new(&instance).await;
        let stamp = damage.stamp.cast_signed();
        let entry = Mutation::new("alice").put_at(balance(), stamp, damage.value.clone());
        fixture.table.write(vec![entry]).await.unwrap();
        let client = fixture.client().await;
        match read(&client).await {
            Err(_) => {}
            Ok(value) => assert!(!damage.is_read && value.is_none(), "{damage:?}: {value:?}"),
        }
        let writing = client.run(async |tx| tx.set("alice", &balance(), "1"));
        // `None` if the write may take effect later, because the client still retries.
        let written = tokio::time::timeout(UNANSWERED, writing).await.ok();
        let is_written = written.map(|ended| ended.is_ok());
        match (is_written, read(&client).await) {
            (Some(true), Ok(value)) => assert_eq!(value.unwrap(), "1", "{damage:?}"),
            (Some(false), Ok(value)) => assert_eq!(value, None, "{damage:?}"),
            (None, Ok(value)) => assert!(value.is_none_or(|value| value == "1"), "{damage:?}"),
            (_, Err(error)) => assert_ne!(is_written, Some(true), "{damage:?}: {error}"),
        }
        fixture.end().await;
    }
}

/// Time to wait for a writer that gets no answer from the servers.
const UNANSWERED: Duration = Duration::from_secs(2);
