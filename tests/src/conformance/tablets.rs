//! A4, A5 and A7: split points, merging, tablets.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::{Bytes, ErrorKind, Mutation, Scan, Span, TableAdmin, Versions};

use super::ground::{Ground, assert_kind, cell, column, put_cell};

/// Checks A4: split points are a sorted set of rows of any bytes. Adding existing ones changes
/// nothing.
pub async fn a4_split_points_are_a_sorted_set(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    assert!(ground.splits().await.is_empty());
    ground.add_splits(["m", "c", "t"]).await;
    ground.add_splits(["t", "c\0", "m"]).await;
    ground.add_splits(["c"]).await;
    ground.add_splits([]).await;
    assert_eq!(ground.splits().await, ["c", "c\0", "m", "t"]);

    let binary: [&'static [u8]; 5] = [b"\0", b"\n", b"\x80\xfe", b"\xff", b"\xff\xff\0"];
    let binary: BTreeSet<_> = binary.into_iter().map(Bytes::from_static).collect();
    tables.add_splits(&ground.name, &binary).await.unwrap();
    let mut expected: BTreeSet<Bytes> = ["c", "c\0", "m", "t"].map(Bytes::from).into();
    expected.extend(binary);
    assert!(ground.splits().await.iter().eq(&expected));
}

/// Checks A4: an empty split point is rejected, together with all others of its call.
pub async fn a4_an_empty_split_point_is_rejected(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    ground.add_splits(["m"]).await;
    for splits in [vec![""], vec!["", "a", "z"]] {
        let splits = splits.into_iter().map(Bytes::from).collect();
        let added = tables.add_splits(&ground.name, &splits).await;
        assert_kind(added, ErrorKind::Invalid, "add_splits");
    }
    assert_eq!(ground.splits().await, ["m"]);
}

/// Checks A4: one call adds a thousand split points.
pub async fn a4_one_call_adds_many_split_points(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let splits: BTreeSet<Bytes> = (0..1_000).map(|n| format!("{n:04}").into()).collect();
    tables.add_splits(&ground.name, &splits).await.unwrap();
    assert!(ground.splits().await.iter().eq(&splits));
    tables.merge(&ground.name, Some(b"0009"), Some(b"0990")).await.unwrap();
    assert_eq!(ground.splits().await.len(), 20);
}

/// Checks A5: a merge removes the split points strictly between its bounds, and nothing else.
pub async fn a5_a_merge_removes_the_split_points_between_its_bounds(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let cases: [(Option<&str>, Option<&str>, &[&str]); 13] = [
        (Some("b"), Some("h"), &["b", "h"]),
        (Some("b"), Some("f"), &["b", "f", "h"]),
        (Some("b"), Some("d"), &["b", "d", "f", "h"]),
        (Some("c"), Some("e"), &["b", "f", "h"]),
        (Some("a"), Some("d\0"), &["f", "h"]),
        (Some("d"), Some("d"), &["b", "d", "f", "h"]),
        (Some("c"), Some("c"), &["b", "d", "f", "h"]),
        (Some("h"), Some("b"), &["b", "d", "f", "h"]),
        (None, Some("f"), &["f", "h"]),
        (None, Some("a"), &["b", "d", "f", "h"]),
        (Some("d"), None, &["b", "d"]),
        (Some("x"), None, &["b", "d", "f", "h"]),
        (None, None, &[]),
    ];
    for (start, end, expected) in cases {
        ground.add_splits(["b", "d", "f", "h"]).await;
        let bound = |row: Option<&'static str>| row.map(str::as_bytes);
        tables.merge(&ground.name, bound(start), bound(end)).await.unwrap();
        assert_eq!(ground.splits().await, expected, "merge({start:?}, {end:?})");
    }
    tables.merge(&ground.name, None, None).await.unwrap();
    assert!(ground.splits().await.is_empty());
}

/// Checks A7: there is one more tablet than split points. The tablets are in order, each on an
/// existing server.
pub async fn a7_tablets_follow_the_split_points(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let servers = tables.servers().await.unwrap();
    assert!(servers.is_sorted(), "{servers:?}");
    let merge_to_m = async || tables.merge(&ground.name, None, Some(b"m")).await.unwrap();
    for step in 0..4 {
        match step {
            0 => {}
            1 => ground.add_splits(["m", "\u{7f}"]).await,
            2 => ground.add_splits(["a", "a\0", "z"]).await,
            _ => merge_to_m().await,
        }
        let mut expected: Vec<_> = ground.splits().await.into_iter().map(Some).collect();
        expected.push(None);
        let tablets = tables.tablets(&ground.name).await.unwrap();
        let end_rows: Vec<_> = tablets.as_slice().iter().map(|t| t.end_row.clone()).collect();
        assert_eq!(end_rows, expected);
        for server in tablets.as_slice().iter().filter_map(|tablet| tablet.server.as_ref()) {
            assert!(servers.contains(server), "{server} is not among {servers:?}");
        }
    }
}

/// Checks A7: a flushed tablet has at least as many entries as it shows cells. A split point is the
/// last row of its tablet.
pub async fn a7_a_flushed_tablet_counts_its_cells(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    ground.add_splits(["a", "m", "\u{7f}"]).await;
    let mut cells = Vec::new();
    for row in ["", "a", "a\0", "b", "l\u{7f}", "m", "m\0", "n", "\u{7f}", "\u{80}"] {
        cells.extend(["q", "r", "s"].map(|qualifier| cell(row, qualifier, 1, "v")));
    }
    ground.write(cells.iter().map(put_cell).collect()).await;
    let old =
        cells.iter().map(|cell| Mutation::new(cell.key.row.clone()).delete_at(column("s"), 0));
    ground.write(old.collect()).await;
    tables.flush(&ground.name).await.unwrap();

    let tablets = tables.tablets(&ground.name).await.unwrap();
    let mut shown = Vec::new();
    for (span, tablet) in tablets.spans() {
        let cells = ground.read(Scan::over(span.clone())).await;
        let count = u64::try_from(cells.len()).unwrap();
        assert!(tablet.entries >= count, "{} entries in {span} for {count} cells", tablet.entries);
        shown.push(cells.len());
    }
    assert_eq!(shown, [6, 12, 9, 3], "the tablets end after a, m and 0x7f");
    let whole: usize = shown.iter().sum();
    assert_eq!(ground.read(Scan::over(Span::all())).await.len(), whole);
}
