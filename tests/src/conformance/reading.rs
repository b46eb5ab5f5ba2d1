//! T1 to T3: order, spans and freshness of scans.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fluo_table::{Bytes, Cell, Column, Condition, Key, Mutation, Scan, Span, TableAdmin, Versions};
use futures::stream::{StreamExt, TryStreamExt};

use super::ground::{Ground, cell, column, put_cell, read};

const EDGY: [&[u8]; 9] = [b"", b"\0", b"\n", b"a", b"a\0", b"a\xff", b"ab", b"\x80", b"\xff\xff"];

/// Checks T1: a scan yields the cells of a span in the order of their keys, independent of the
/// order of the writes.
pub async fn t1_cells_come_in_key_order(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let mut cells = Vec::new();
    for row in EDGY {
        for (family, qualifier) in EDGY.iter().zip(EDGY.iter().rev()) {
            for timestamp in [-1, i64::MAX, 0, i64::MIN, 1] {
                let key = Key::new(row, Column::new(*family, *qualifier), timestamp);
                cells.push(Cell::new(key, "v"));
            }
        }
    }
    // Neither in order nor in reverse order: every seventh cell, modulo a number without the factor
    // 7.
    let shuffled = (0..cells.len()).map(|i| &cells[(i * 7) % cells.len()]);
    assert_ne!(cells.len() % 7, 0);
    ground.write(shuffled.map(put_cell).collect()).await;

    let in_order = ground.table.read(Scan::over(Span::all())).await.unwrap();
    cells.sort();
    assert_eq!(in_order, cells);
}

/// Checks T1: a scan yields a cell in several of its spans once. Empty spans, and a scan without
/// spans, yield nothing.
pub async fn t1_a_cell_in_several_spans_comes_once(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let cells = ["a", "b", "c", "d", "e"].map(|row| cell(row, "q", 1, "v"));
    ground.write(cells.iter().map(put_cell).collect()).await;

    let rows = |start: &'static str, end: &'static str| Span::rows(start, Some(end.into()));
    let cases = [
        (vec![rows("a", "c"), rows("b", "d")], 0..3),
        (vec![rows("b", "d"), rows("a", "e"), rows("c", "d")], 0..4),
        (vec![rows("a", "c"), rows("c", "e")], 0..4),
        (vec![Span::all(), Span::all(), Span::row("c")], 0..5),
        (vec![rows("d", "b"), rows("c", "c"), Span::row("c")], 2..3),
        (vec![rows("d", "b")], 0..0),
        (vec![], 0..0),
    ];
    for (spans, expected) in cases {
        let shown = ground.read(Scan::over_all(spans.clone())).await;
        assert_eq!(shown, cells[expected], "{spans:?}");
    }
    let ends = [rows("e", "z"), rows("a", "b")];
    let shown = ground.read(Scan::over_all(ends)).await;
    assert_eq!(shown, [cells[0].clone(), cells[4].clone()]);
}

/// Checks T1: a scan yields many cells in batches of at most the requested size, none of them
/// empty.
pub async fn t1_many_cells_come_in_bounded_batches(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let mut cells = Vec::new();
    for row in 0..100 {
        for qualifier in 0..100 {
            let column = Column::new("f", format!("{qualifier:03}"));
            let key = Key::new(format!("{row:03}"), column, 1);
            cells.push(Cell::new(key, format!("{row} {qualifier}")));
        }
    }
    for rows in cells.chunks(1_000) {
        ground.write(rows.chunks(100).map(put_row).collect()).await;
    }
    for batch_cells in [1, 7, 999, 1_000, 20_000, usize::MAX] {
        let batch_cells = NonZeroUsize::new(batch_cells).unwrap();
        let scan = Scan::over(Span::all()).batch_cells(batch_cells);
        let shown = ground.read(scan).await;
        assert!(shown == cells, "{} cells of {batch_cells}", shown.len());
    }
    ground.add_splits(["025", "050:", "099"]).await;
    let odd = (0..50).map(|row| Span::row(format!("{:03}", 2 * row + 1)));
    let scan = Scan::over_all(odd).batch_cells(NonZeroUsize::new(64).unwrap());
    let shown = ground.read(scan).await;
    let expected = cells.chunks(100).skip(1).step_by(2).flatten();
    assert!(shown.iter().eq(expected), "{} cells", shown.len());
}

fn put_row(cells: &[Cell]) -> Mutation {
    let start = Mutation::new(cells[0].key.row.clone());
    cells.iter().fold(start, |row, Cell { key, value }| {
        row.put_at(key.column.clone(), key.timestamp, value.clone())
    })
}

/// Checks T2: rows, columns and values of any bytes, also empty ones, are stored unchanged.
pub async fn t2_any_bytes_are_stored_unchanged(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut cells = Vec::new();
    for bytes in EDGY.into_iter().chain([&every_byte[..]]) {
        let bytes = Bytes::copy_from_slice(bytes);
        let plain = column("q");
        let family = Column::new(bytes.clone(), "q");
        let qualifier = Column::new("g", bytes.clone());
        cells.push(Cell::new(Key::new(bytes.clone(), plain.clone(), 1), "row"));
        cells.push(Cell::new(Key::new("r", family, 1), "family"));
        cells.push(Cell::new(Key::new("r", qualifier, 1), "qualifier"));
        let mut of_value = b"value of ".to_vec();
        of_value.extend_from_slice(&bytes);
        cells.push(Cell::new(Key::new(of_value, plain, 1), bytes));
    }
    ground.write(cells.iter().map(put_cell).collect()).await;

    cells.sort();
    assert_eq!(ground.all().await, cells);
    for cell in &cells {
        let value = ground.table.get(cell.key.row.clone(), &cell.key.column);
        let value = value.await.unwrap();
        assert_eq!(value.as_ref(), Some(&cell.value), "{}", cell.key);
    }
}

/// Checks T2: a span yields exactly the cells whose keys it contains, for all positions of its
/// ends.
pub async fn t2_a_span_yields_exactly_its_keys(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let rows: [&[u8]; 7] = [b"", b"a", b"a\0", b"ab", b"b", b"\xff", b"\xff\xff"];
    let mut cells = Vec::new();
    for row in rows {
        for (qualifier, timestamp) in [("", 1), ("q", 2), ("q", 1), ("q\0", 1)] {
            let key = Key::new(row, column(qualifier), timestamp);
            cells.push(Cell::new(key, "v"));
        }
    }
    ground.write(cells.iter().map(put_cell).collect()).await;

    let mut spans = vec![Span::all(), Span::rows("a\0", Some("b".into()))];
    for row in rows {
        spans.push(Span::row(row));
        spans.push(Span::prefix(row));
        spans.push(Span::rows(row, None));
        spans.push(Span::tablet(None, Some(row)));
        spans.push(Span::tablet(Some(row), Some(b"ab")));
        spans.push(Span::cell(row, &column("q")));
    }
    for cell in cells.iter().step_by(3) {
        spans.push(Span::between(Key::default(), Some(cell.key.clone())));
        spans.push(Span::between(cell.key.clone(), Some(cells[17].key.clone())));
    }
    for span in spans {
        let expected: Vec<_> = cells.iter().filter(|c| span.contains(&c.key)).collect();
        let shown = ground.read(Scan::over(span.clone())).await;
        assert!(shown.iter().eq(expected), "{span:?} yields {shown:?}");
    }
}

/// Checks T3: a scan sees every write that was acknowledged before it began, through any handle.
pub async fn t3_a_scan_sees_acknowledged_writes(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let other = ground.reader(&["A"]).await;
    for n in 0..40_u8 {
        let put = Mutation::new(vec![n]).put(column("q"), "v");
        if n % 2 == 0 {
            ground.write(vec![put]).await;
        } else {
            let put = vec![put.when(Condition::absent(column("q")))];
            let outcomes = ground.table.write_conditional(put).await.unwrap();
            assert!(outcomes[0].is_accepted(), "{outcomes:?}");
        }
        let shown = read(&*other, Scan::over(Span::all())).await;
        assert_eq!(shown.len(), usize::from(n) + 1);
    }

    let writers: Vec<_> = (0..4).map(|n| tokio::spawn(own_writes(other.clone(), n))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn own_writes(table: Arc<dyn fluo_table::Table>, task: usize) {
    for n in 0..20 {
        let row = format!("task {task}");
        let value = format!("{n}");
        let put = Mutation::new(row.clone()).put(column("own"), value.clone());
        table.write(vec![put]).await.unwrap();
        let seen = table.get(row, &column("own")).await.unwrap();
        assert_eq!(seen, Some(value.into()), "task {task} reads its own write");
    }
}

/// Checks T3: a scan that is read slowly yields all cells that existed when it began, and blocks no
/// other call. A scan that is dropped before its end has no effect.
pub async fn t3_a_running_scan_blocks_no_other_call(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let row = |n: usize| format!("{n:04}");
    let put = |n, value: &'static str| Mutation::new(row(n)).put_at(column("q"), 1, value);
    ground.write((0..500).map(|n| put(2 * n, "old")).collect()).await;

    let slowly = || Scan::over(Span::all()).batch_cells(NonZeroUsize::new(10).unwrap());
    let mut slow = ground.table.scan(slowly());
    let mut dropped = ground.table.scan(slowly());
    let mut cells = slow.next().await.unwrap().unwrap();
    assert_eq!(dropped.next().await.unwrap().unwrap(), cells);
    drop(dropped);
    ground.write((0..500).map(|n| put(2 * n + 1, "new")).collect()).await;
    assert_eq!(ground.all().await.len(), 1_000);

    cells.extend(slow.try_concat().await.unwrap());
    let old: Vec<_> = cells.iter().filter(|cell| cell.value == "old").collect();
    assert_eq!(old.len(), 500);
    assert!(cells.windows(2).all(|pair| pair[0].key < pair[1].key));

    let unread = ground.table.scan(slowly());
    ground.end().await;
    drop(unread);
}
