//! `fluo scan --raw` prints stored entries in the words of Java Fluo's formatter, or in hex if it
//! cannot decode them.

use crate::application::{Web, at, lock, page, place, stamp};
use crate::command::Place;
use fluo_table::coordination::TransactorId;
use fluo_table::layout::{
    DelLockOutcome, DelLockValue, DelReadLockValue, EntryKind, LockValue, NotificationTimestamp,
    ReadLockValue, WriteValue, notification_column,
};
use fluo_table::{Bytes, Column, Mutation, RowColumn};

const RAW: &str = "scan --at embedded:d --raw";

fn entries() -> [(EntryKind, u64, Bytes); 17] {
    let write = |start, is_primary, is_delete| WriteValue {
        start: at(start),
        is_primary,
        is_delete,
    };
    let del_lock = |outcome, is_primary, done| DelLockValue {
        outcome,
        is_primary,
        done: at(done),
    };
    let primary = RowColumn::new("r", Column::new("f", "q"));
    let odd = RowColumn::new(
        &b"\x00 \\\xff"[..],
        Column::new("f", "q").with_visibility("A|B"),
    );
    let read_lock = |primary: &RowColumn| ReadLockValue {
        primary: primary.clone(),
        transactor: TransactorId(35),
    };
    let lock = |primary: &RowColumn| lock(primary.clone(), TransactorId(36));
    [
        (EntryKind::TxDone, 20, Bytes::new()),
        (EntryKind::Write, 20, write(10, true, false).encode()),
        (EntryKind::Write, 18, write(17, false, false).encode()),
        (EntryKind::Write, 16, write(15, false, true).encode()),
        (EntryKind::Write, 15, write(14, true, true).encode()),
        (
            EntryKind::DelLock,
            14,
            del_lock(DelLockOutcome::RolledBack, true, 0).encode(),
        ),
        (
            EntryKind::DelLock,
            13,
            del_lock(DelLockOutcome::RolledBack, false, 0).encode(),
        ),
        (
            EntryKind::DelLock,
            12,
            del_lock(DelLockOutcome::Committed, false, 13).encode(),
        ),
        (
            EntryKind::DelReadLock,
            12,
            DelReadLockValue::Committed(at(13)).encode(),
        ),
        (EntryKind::ReadLock, 12, read_lock(&primary).encode()),
        (
            EntryKind::DelReadLock,
            11,
            DelReadLockValue::RolledBack.encode(),
        ),
        (EntryKind::ReadLock, 11, read_lock(&odd).encode()),
        (EntryKind::Lock, 10, lock(&primary).encode()),
        (
            EntryKind::Lock,
            9,
            LockValue {
                is_delete: true,
                ..lock(&odd)
            }
            .encode(),
        ),
        (
            EntryKind::Lock,
            8,
            LockValue {
                is_write: false,
                is_trigger: true,
                ..lock(&primary)
            }
            .encode(),
        ),
        (EntryKind::Ack, 10, Bytes::new()),
        (EntryKind::Data, 10, Bytes::from_static(b"100 \\\t\n\xff")),
    ]
}

async fn write(place: &Place, entries: Vec<(Column, i64, Bytes)>) {
    let web = Web::open(place).await;
    let mutation = entries.into_iter().fold(
        Mutation::new(&b"r\xff"[..]),
        |mutation, (column, at, value)| mutation.put_at(column, at, value),
    );
    web.table.write(vec![mutation]).await.unwrap();
}

#[tokio::test]
async fn prints_every_kind_of_entry() {
    let place = place();
    let entries = entries().map(|(kind, at, value)| (page("text"), stamp(kind, at), value));
    write(&place, entries.into()).await;
    let expected = [
        "20-TX_DONE\t",
        "20-WRITE\t10 PRIMARY",
        // The blank is Java Fluo's.
        "18-WRITE\t17 ",
        "16-WRITE\t15 DELETE ",
        "15-WRITE\t14 DELETE PRIMARY",
        "14-DEL_LOCK\tABORT PRIMARY 0",
        "13-DEL_LOCK\tABORT 0",
        "12-DEL_LOCK\tCOMMIT 13",
        "12-DEL_RLOCK\t13 COMMIT",
        "12-RLOCK\tr f q  z",
        "11-DEL_RLOCK\t-1 ABORT",
        r"11-RLOCK	\x00\x20\x5c\xff f q A|B z",
        "10-LOCK\tr f q  WRITE NOT_DELETE NOT_TRIGGER 10",
        r"9-LOCK	\x00\x20\x5c\xff f q A|B WRITE DELETE NOT_TRIGGER 10",
        "8-LOCK\tr f q  NOT_WRITE NOT_DELETE TRIGGER 10",
        "10-ACK\t",
        r"10-DATA	100 \x5c\x09\x0a\xff",
    ];
    let lines = expected.map(|entry| format!("r\\xff page:text [] {entry}\n"));
    place.fluo(&format!("{RAW} web")).prints(lines.concat());
}

#[tokio::test]
async fn prints_notifications_with_other_entries_and_alone() {
    let place = place();
    let stamp = |timestamp, is_delete| {
        let timestamp = at(timestamp);
        NotificationTimestamp {
            timestamp,
            is_delete,
        }
        .encode()
    };
    let seen = notification_column(&page("links").with_visibility("eu"));
    let odd = notification_column(&Column::new("a:", &b"\xff"[..]));
    let column = notification_column(&page("text"));
    let data = crate::application::stamp(EntryKind::Data, 3);
    write(
        &place,
        vec![
            (column.clone(), stamp(7, true), Bytes::new()),
            (column, stamp(7, false), Bytes::new()),
            (odd, stamp(9, false), Bytes::from_static(b"\\")),
            (seen, stamp(8, false), Bytes::new()),
            (page("text"), data, Bytes::from_static(b"v")),
        ],
    )
    .await;
    let (odd, text) = (
        "r\\xff ntfy:a\\x3a:\\xff [] 9-INSERT\t\\x5c\n",
        "r\\xff ntfy:page:text [] 7-DELETE\t\nr\\xff ntfy:page:text [] 7-INSERT\t\n",
    );
    let links = "r\\xff ntfy:page:links [eu] 8-INSERT\t\n";
    let value = "r\\xff page:text [] 3-DATA\tv\n";
    for (arguments, lines) in [
        ("--raw", format!("{odd}{text}{value}")),
        ("--raw --column ntfy", format!("{odd}{text}")),
        ("--raw --column page", value.to_owned()),
        ("--notifications", format!("{odd}{text}")),
        (
            "--notifications --authorization eu",
            format!("{odd}{text}{links}"),
        ),
        ("--notifications --limit 1", odd.to_owned()),
        ("--notifications --row none", String::new()),
    ] {
        place
            .fluo(&format!("scan --at embedded:d {arguments} web"))
            .prints(lines);
    }
}

#[tokio::test]
async fn prints_undecodable_entries_in_hex_and_continues() {
    let place = place();
    let broken = |kind, at| (page("text"), stamp(kind, at), Bytes::from_static(b"\xffx"));
    let unused_kind = i64::MIN + 5;
    write(
        &place,
        vec![
            broken(EntryKind::Write, 9),
            broken(EntryKind::DelLock, 8),
            broken(EntryKind::DelReadLock, 7),
            broken(EntryKind::ReadLock, 6),
            broken(EntryKind::Lock, 5),
            (page("text"), unused_kind, Bytes::from_static(b"v")),
            (Column::new("ntfy", "no"), 20, Bytes::new()),
            (notification_column(&page("text")), -2, Bytes::new()),
            (
                page("z"),
                stamp(EntryKind::Data, 1),
                Bytes::from_static(b"last"),
            ),
        ],
    )
    .await;
    place.fluo(&format!("{RAW} web")).prints(
        "r\\xff ntfy:page:text [] 0xfffffffffffffffe-UNKNOWN\t0x\n\
         r\\xff ntfy:0x6e6f [] 10-INSERT\t\n\
         r\\xff page:text [] 9-WRITE\t0xff78\n\
         r\\xff page:text [] 8-DEL_LOCK\t0xff78\n\
         r\\xff page:text [] 7-DEL_RLOCK\t0xff78\n\
         r\\xff page:text [] 6-RLOCK\t0xff78\n\
         r\\xff page:text [] 5-LOCK\t0xff78\n\
         r\\xff page:text [] 0x8000000000000005-UNKNOWN\t0x76\n\
         r\\xff page:z [] 1-DATA\tlast\n",
    );
    let json = place.fluo(&format!("{RAW} --format json --limit 1 web"));
    json.prints(
        "{\"row\":\"r\\\\xff\",\"family\":\"ntfy\",\"qualifier\":\"page:text\",\"visibility\":\"\",\
         \"timestamp\":\"0xfffffffffffffffe\",\"type\":\"UNKNOWN\",\"value\":\"0x\"}\n",
    );
}

#[tokio::test]
async fn prints_entries_as_csv_json_and_hex() {
    let place = place();
    let primary = RowColumn::new("a,b", page("text"));
    let lock = lock(primary, TransactorId(7)).encode();
    let write_value = WriteValue {
        start: at(2),
        is_primary: false,
        is_delete: false,
    };
    write(
        &place,
        vec![
            (
                page("text"),
                stamp(EntryKind::Write, 3),
                write_value.encode(),
            ),
            (page("text"), stamp(EntryKind::Lock, 2), lock),
        ],
    )
    .await;
    place.fluo(&format!("{RAW} --format csv web")).prints(
        "row,family,qualifier,visibility,timestamp,type,value\n\
         r\\xff,page,text,,3,WRITE,2\n\
         r\\xff,page,text,,2,LOCK,\"a,b page text  WRITE NOT_DELETE NOT_TRIGGER 7\"\n",
    );
    place.fluo(&format!("{RAW} --format json --limit 1 web")).prints(
        "{\"row\":\"r\\\\xff\",\"family\":\"page\",\"qualifier\":\"text\",\"visibility\":\"\",\"timestamp\":3,\
         \"type\":\"WRITE\",\"value\":\"2\"}\n",
    );
    place.fluo(&format!("{RAW} --encoding hex web")).prints(
        "72ff 70616765:74657874 [] 3-WRITE\t2 \n\
         72ff 70616765:74657874 [] 2-LOCK\t612c62 70616765 74657874  WRITE NOT_DELETE NOT_TRIGGER 7\n",
    );
}

/// Prints the entries that a transaction leaves.
#[tokio::test]
async fn prints_the_entries_of_a_transaction() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[
        (b"com.example", page("text"), b"hello"),
        (b"com.example", page("title"), b"x"),
    ])
    .await;
    drop(web);
    let run = place.fluo(&format!("{RAW} web")).succeeds();
    let lines: Vec<_> = run.text().lines().collect();
    let [notification, done, write, lock, data, other @ ..] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(*notification, "com.example ntfy:page:text [] 4-INSERT\t");
    assert_eq!(*done, "com.example page:text [] 4-TX_DONE\t");
    assert_eq!(*write, "com.example page:text [] 4-WRITE\t3 PRIMARY");
    assert_eq!(
        *lock,
        "com.example page:text [] 3-LOCK\tcom.example page text  WRITE NOT_DELETE NOT_TRIGGER 1"
    );
    assert_eq!(*data, "com.example page:text [] 3-DATA\thello");
    assert_eq!(
        other,
        [
            "com.example page:title [] 4-WRITE\t3 ",
            "com.example page:title [] 3-LOCK\tcom.example page text  WRITE NOT_DELETE NOT_TRIGGER 1",
            "com.example page:title [] 3-DATA\tx",
        ]
    );
}
