//! The entries that a server leaves in a column.

use fluo_engine::Client;
use fluo_table::layout::{EntryKind, EntryTimestamp, LockValue, WriteValue};
use fluo_table::{Bytes, Column, Mutation, RowColumn, Timestamp};
use fluo_tests::Fixture;

/// Returns a client whose timestamps are later than all entries of these tests.
pub(crate) async fn client_after_20(fixture: &Fixture) -> Client {
    let client = fixture.client().await;
    for _ in 0..20 {
        drop(client.begin().await.unwrap());
    }
    client
}

pub(crate) fn at(number: u64) -> Timestamp {
    Timestamp::new(number).unwrap()
}

pub(crate) fn stamp(kind: EntryKind, number: u64) -> i64 {
    EntryTimestamp::new(kind, at(number)).encode()
}

pub(crate) fn text() -> Column {
    Column::new("page", "text")
}

pub(crate) fn length() -> Column {
    Column::new("page", "length")
}

pub(crate) fn committed(start: u64, is_primary: bool) -> Bytes {
    WriteValue { start: at(start), is_primary, is_delete: false }.encode()
}

/// Returns the lock of a strong observer of `r page:text` by this client: of that cell, or of one
/// that the observer writes.
pub(crate) fn lock(owner: &Client, is_write: bool) -> Bytes {
    LockValue {
        primary: RowColumn::new("r", text()),
        transactor: owner.transactor(),
        is_write,
        is_delete: false,
        is_trigger: !is_write,
    }
    .encode()
}

/// Returns the page `v` with the lock of its observer, which began at 5.
pub(crate) fn observed(observer: &Client) -> Mutation {
    Mutation::new("r")
        .put_at(text(), stamp(EntryKind::Write, 4), committed(3, true))
        .put_at(text(), stamp(EntryKind::Data, 3), "v")
        .put_at(text(), stamp(EntryKind::Lock, 5), lock(observer, false))
}
