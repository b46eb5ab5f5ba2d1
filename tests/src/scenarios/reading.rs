//! Reads of committed data.

use fluo_table::{Bytes, Column, ColumnSelector, Instance, Key, RowColumn, Scan, Span};
use futures::TryStreamExt;

use super::accounts::{balance, read, set};
use crate::Fixture;

pub async fn committed_writes_are_visible_to_later_transactions(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    let before = client.snapshot().await.unwrap();
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "100").unwrap();
    tx.set("bob", &balance(), "50").unwrap();
    let open = client.snapshot().await.unwrap();
    let committed = tx.commit().await.unwrap();
    let after = client.snapshot().await.unwrap();
    assert!(committed.commit.unwrap() > committed.start);
    assert!(after.start() > committed.commit.unwrap());
    for early in [&before, &open] {
        assert_eq!((read(early, "alice").await, read(early, "bob").await), (0, 0));
    }
    assert_eq!((read(&after, "alice").await, read(&after, "bob").await), (100, 50));
    let cell = after.get_cell("alice", &balance()).await.unwrap().unwrap();
    assert_eq!(cell.key.timestamp, i64::try_from(committed.start.get()).unwrap());
}

pub async fn a_snapshot_shows_the_state_at_its_start(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    let mut snapshots = vec![client.snapshot().await.unwrap()];
    for amount in 1..=3 {
        set(&client, &[("alice", amount), ("bob", -amount)]).await;
        snapshots.push(client.snapshot().await.unwrap());
    }
    for (snapshot, amount) in snapshots.iter().zip(0..) {
        assert_eq!(read(snapshot, "alice").await, amount);
        assert_eq!(read(snapshot, "bob").await, -amount);
    }
}

pub async fn a_deleted_cell_has_no_value_until_it_is_set_again(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    set(&client, &[("alice", 1), ("bob", 2)]).await;
    let before = client.snapshot().await.unwrap();
    client.run(async |tx| tx.delete("alice", &balance())).await.unwrap();
    let deleted = client.snapshot().await.unwrap();
    set(&client, &[("alice", 3)]).await;
    let after = client.snapshot().await.unwrap();
    assert_eq!(deleted.get("alice", &balance()).await.unwrap(), None);
    assert_eq!((read(&before, "alice").await, read(&after, "alice").await), (1, 3));
    // Deleting a cell that does not exist is not an error and has no visible effect.
    client.run(async |tx| tx.delete("absent", &balance())).await.unwrap();
    let rest = client.snapshot().await.unwrap().scan(Scan::over(Span::all()));
    assert_eq!(rest.try_concat().await.unwrap().len(), 2);
}

pub async fn cells_are_read_by_row_by_column_and_in_scans(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    let column = |qualifier: &'static str| Column::new("f", qualifier);
    let rows = ["a", "ab", "b", "c"];
    client
        .run(async |tx| {
            for row in rows {
                for qualifier in ["p", "q"] {
                    tx.set(row, &column(qualifier), format!("{row}{qualifier}"))?;
                }
            }
            tx.set("c", &Column::new("g", "q"), "g")
        })
        .await
        .unwrap();
    let snapshot = client.snapshot().await.unwrap();
    let of_row = snapshot.row("a").await.unwrap();
    assert_eq!(of_row.len(), 2);
    assert_eq!(of_row[&column("q")], "aq");
    let some = snapshot.get_columns("c", [&column("p"), &column("none")]).await.unwrap();
    assert_eq!(some.into_iter().collect::<Vec<_>>(), [(column("p"), Bytes::from("cp"))]);
    let wanted = ["b", "none", "a"]
        .into_iter()
        .flat_map(|row| ["q", "p"].map(|qualifier| RowColumn::new(row, column(qualifier))));
    let of_rows = snapshot.get_many(wanted).await.unwrap();
    let rows: Vec<_> = of_rows.keys().map(|cell| cell.row.clone()).collect();
    assert_eq!(rows, ["a", "a", "b", "b"]);
    let keys = async |scan: Scan| {
        let cells = snapshot.scan(scan).try_concat().await.unwrap();
        let place = |key: Key| format!("{}/{}", String::from_utf8_lossy(&key.row), key.column);
        cells.into_iter().map(|cell| place(cell.key)).collect::<Vec<_>>()
    };
    let of_a = Scan::over(Span::prefix("a")).column(ColumnSelector::qualifier("f", "p"));
    assert_eq!(keys(of_a).await, ["a/f:p", "ab/f:p"]);
    assert_eq!(keys(Scan::over(Span::rows("b", Some("c".into())))).await, ["b/f:p", "b/f:q"]);
    let family =
        Scan::over_all([Span::row("c"), Span::row("a")]).column(ColumnSelector::family("g"));
    assert_eq!(keys(family).await, ["c/g:q"]);
    let prefixed = snapshot.scan_prefix("ab", [&column("q")]).try_concat().await.unwrap();
    assert_eq!(prefixed.len(), 1);
}

pub async fn a_transaction_does_not_read_its_own_writes(instance: Instance) {
    let client = Fixture::new(&instance).await.client().await;
    set(&client, &[("alice", 1)]).await;
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "2").unwrap();
    assert_eq!(read(&tx, "alice").await, 1);
    tx.commit().await.unwrap();
}

pub async fn any_bytes_are_stored_unchanged(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    let odd: [&[u8]; 5] = [b"\x00", b"\xff\xff", b"a\x00b", b"ntfy", "\u{fc}".as_bytes()];
    let bytes = |part: &[u8]| Bytes::copy_from_slice(part);
    client
        .run(async |tx| {
            for part in odd {
                tx.set(bytes(part), &Column::new(bytes(b"f"), bytes(part)), bytes(part))?;
                tx.set(bytes(part), &Column::new("", bytes(part)), "")?;
            }
            Ok::<_, fluo_table::Error>(())
        })
        .await
        .unwrap();
    let snapshot = client.snapshot().await.unwrap();
    for part in odd {
        let column = Column::new(bytes(b"f"), bytes(part));
        assert_eq!(snapshot.get(bytes(part), &column).await.unwrap(), Some(bytes(part)));
        let empty = Column::new("", bytes(part));
        assert_eq!(snapshot.get(bytes(part), &empty).await.unwrap(), Some(Bytes::new()));
    }
    fixture.wait_until_unlocked().await;
}
