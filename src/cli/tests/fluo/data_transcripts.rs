//! The commands that read the data of an application, on data that only a program can write: the
//! transcripts in `tests/data`.

use std::path::PathBuf;

use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    DelLockValue, DelReadLockValue, EntryKind, LockValue, NotificationTimestamp, ReadLockValue,
    WriteValue, notification_column,
};
use fluo_table::{Bytes, Column, Mutation, RowColumn};

use crate::application::{Web, at, failed, lock, page, place, stamp};
use crate::command::{Place, VARIABLES};
use crate::queue::update;

/// Runs a transcript on the directory `d` of a place.
fn transcript(place: &Place, name: &str) {
    let cases = trycmd::TestCases::new();
    for name in VARIABLES {
        cases.env(name, "");
    }
    cases
        .env("FLUO_AT", format!("embedded:{}", place.path("d").display()))
        .register_bin("fluo", PathBuf::from(env!("CARGO_BIN_EXE_fluo")))
        .case(format!("tests/data/{name}.trycmd"))
        .run();
}

#[tokio::test]
async fn scan() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[
        (b"com.example", page("title"), b"old"),
        (b"com.example", page("text"), b"an example, \"quoted\""),
        (b"org.apache", page("title"), b"Apache"),
        (b"org.wikipedia", page("title"), b"Wikipedia"),
        (b"org.wikipedia", Column::new("stat", "visits"), b"7"),
        (b"proxy:a@b", page("title"), b"no target"),
        (b"\xff\\\n", page("title"), b"\x00 odd\t"),
        ("~a \u{202e}:b".as_bytes(), Column::new("a b:c", "d e:f"), b"a value: of words"),
    ])
    .await;
    web.set(&[(b"com.example", page("title"), b"new")]).await;
    let secret = page("note").with_visibility("eu");
    web.set(&[(b"org.apache", secret, b"seen in the EU")]).await;
    web.crash_locking("org.apache", &page("title")).await;
    drop(web);
    transcript(&place, "scan");
}

/// Returns an entry of every kind, and of every form of its value.
fn entries() -> Vec<(EntryKind, u64, Bytes)> {
    let write = |start, is_primary, is_delete| {
        let start = at(start);
        WriteValue { start, is_primary, is_delete }.encode()
    };
    let del_lock = |is_rolled_back, is_primary, done| {
        let done = at(done);
        DelLockValue { is_rolled_back, is_primary, done }.encode()
    };
    let primary = RowColumn::new("r", Column::new("f", "q"));
    let odd = Column::new("f", "q").with_visibility("A|B");
    let odd = RowColumn::new(&b"\x00 \\\xff"[..], odd);
    let read_lock = |primary: &RowColumn| {
        let (primary, transactor) = (primary.clone(), TransactorId(35));
        ReadLockValue { primary, transactor }.encode()
    };
    let lock = |primary: &RowColumn| lock(primary.clone(), TransactorId(36));
    let deleting = LockValue { is_delete: true, ..lock(&odd) };
    let triggered = LockValue { is_write: false, is_trigger: true, ..lock(&primary) };
    vec![
        (EntryKind::TxDone, 20, Bytes::new()),
        (EntryKind::Write, 20, write(10, true, false)),
        (EntryKind::Write, 18, write(17, false, false)),
        (EntryKind::Write, 16, write(15, false, true)),
        (EntryKind::Write, 15, write(14, true, true)),
        (EntryKind::DelLock, 14, del_lock(true, true, 0)),
        (EntryKind::DelLock, 13, del_lock(true, false, 0)),
        (EntryKind::DelLock, 12, del_lock(false, false, 13)),
        (EntryKind::DelReadLock, 12, DelReadLockValue::Committed(at(13)).encode()),
        (EntryKind::ReadLock, 12, read_lock(&primary)),
        (EntryKind::DelReadLock, 11, DelReadLockValue::RolledBack.encode()),
        (EntryKind::ReadLock, 11, read_lock(&odd)),
        (EntryKind::Lock, 10, lock(&primary).encode()),
        (EntryKind::Lock, 9, deleting.encode()),
        (EntryKind::Lock, 8, triggered.encode()),
        (EntryKind::Ack, 10, Bytes::new()),
        (EntryKind::Data, 10, Bytes::from_static(b"100 \\\t\n\xff")),
    ]
}

fn notified(column: &Column, timestamp: u64, is_delete: bool) -> (Column, i64, Bytes) {
    let timestamp = at(timestamp);
    let stamp = NotificationTimestamp { timestamp, is_delete };
    (notification_column(column), stamp.encode(), Bytes::new())
}

async fn write(web: &Web, row: &'static [u8], entries: Vec<(Column, i64, Bytes)>) {
    let put = |mutation: Mutation, (column, at, value)| mutation.put_at(column, at, value);
    let mutation = entries.into_iter().fold(Mutation::new(row), put);
    web.table.write(vec![mutation]).await.unwrap();
}

#[tokio::test]
async fn raw() {
    let place = place();
    let web = Web::open(&place).await;
    let entries = entries().into_iter();
    let entries = entries.map(|(kind, at, value)| (page("text"), stamp(kind, at), value));
    write(&web, b"kinds\xff", entries.collect()).await;
    let odd = Column::new("a:", &b"\xff"[..]);
    let notified = [
        notified(&page("text"), 7, true),
        notified(&page("text"), 7, false),
        notified(&odd, 9, false),
        notified(&page("links").with_visibility("eu"), 8, false),
        (page("text"), stamp(EntryKind::Data, 3), Bytes::from_static(b"v")),
    ];
    write(&web, b"notified", notified.into()).await;
    let broken = |kind, at| (page("text"), stamp(kind, at), Bytes::from_static(b"\xffx"));
    let unused_kind = i64::MIN + 5;
    let undecodable = vec![
        broken(EntryKind::Write, 9),
        broken(EntryKind::DelLock, 8),
        broken(EntryKind::DelReadLock, 7),
        broken(EntryKind::ReadLock, 6),
        broken(EntryKind::Lock, 5),
        (page("text"), unused_kind, Bytes::from_static(b"v")),
        (Column::new("ntfy", "no"), 20, Bytes::new()),
        (notification_column(&page("text")), -2, Bytes::new()),
        (page("z"), stamp(EntryKind::Data, 1), Bytes::from_static(b"last")),
    ];
    write(&web, b"undecodable", undecodable).await;
    drop(web);
    transcript(&place, "raw");
}

#[tokio::test]
async fn notifications() {
    let place = place();
    let web = Web::open(&place).await;
    write(
        &web,
        b"a",
        vec![notified(&page("text"), 10, false), notified(&page("links"), 12, false)],
    )
    .await;
    let gone = [notified(&page("links"), 30, false), notified(&page("links"), 31, true)];
    write(&web, b"b", gone.into()).await;
    write(&web, b"c\\", vec![notified(&page("other"), 14, false)]).await;
    let secret = page("text").with_visibility("eu");
    write(&web, b"d", vec![notified(&secret, 16, false)]).await;
    write(&web, b"e", vec![(Column::new("ntfy", "?"), 2, Bytes::new())]).await;
    for (row, column, error) in [
        ("bad", page("text"), "no such page\n\u{1b}[31m"),
        ("bad", secret, "no such page"),
        ("worse\\", page("links"), "cannot count"),
        ("a \u{202e}b", Column::new("a b:c", "d e:f"), "no\u{202e} such page"),
    ] {
        web.coordination.add_dead_letter(failed(row, column, error)).await.unwrap();
    }
    drop(web);
    transcript(&place, "notifications");
}

/// Adds numbers to the counts of a combine queue, whose type holds at most 255.
#[tokio::test]
async fn queue() {
    let place = Place::new();
    for _ in 0..2 {
        update(&place, &[("cat", 200), ("dog", 130)], true).await;
    }
    update(&place, &[("dog", 2), ("fish", 3)], false).await;
    transcript(&place, "queue");
}
