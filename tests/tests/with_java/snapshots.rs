//! Both sides read the same cells at the same timestamp.

use std::fs;

use fluo_engine::{Bytes, Transaction};
use fluo_table::{Cell, Column, Scan, Span};
use futures::TryStreamExt;
use tempfile::TempDir;

use crate::ground::{Together, ask};

fn hex(bytes: &Bytes) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    format!("x{}", digits.collect::<String>())
}

/// Rows and columns that are easily confused or cut.
fn odd_cells() -> Vec<(Vec<u8>, Column)> {
    let mut cells = vec![
        (vec![0], Column::new("f", "q")),
        (vec![0xff; 3], Column::new("f", "q")),
        (b"a\0b".to_vec(), Column::new(vec![0], vec![0xff])),
        (b"a".to_vec(), Column::new("f", "")),
        (b"a:b c\\x".to_vec(), Column::new("f ", " q")),
        (vec![b'x'; 5_000], Column::new("long", vec![b'y'; 300])),
    ];
    cells.extend((0..30).map(|n: u8| (vec![b'n', n], Column::new("f", vec![n % 3]))));
    cells
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_of_both_sides_at_one_timestamp_are_equal() {
    let Some(together) = Together::new("snapshots") else { return };
    let mut java = together.java_with_oracle(&[]);
    let client = together.client().await;
    for round in 0..4_usize {
        let body = async |tx: Transaction| {
            for (number, (row, column)) in odd_cells().into_iter().enumerate() {
                match (number + round) % 5 {
                    0 => tx.delete(row, &column)?,
                    1 => {}
                    _ => tx.set(row, &column, format!("{round}\0{number}"))?,
                }
            }
            Ok::<(), fluo_engine::Error>(())
        };
        client.run(body).await.unwrap();
        ask(&mut java, &format!("set j{round} f q {round} both f q {round}"));
    }
    let snapshot = client.snapshot().await.unwrap();
    ask(&mut java, "set later f q v both f q later");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cells");
    let start = snapshot.start().get();
    let count = ask(&mut java, &format!("dump {start} {}", file.display()));
    let of_java = fs::read_to_string(&file).unwrap();
    let cells: Vec<_> = snapshot.scan(Scan::over(Span::all())).try_concat().await.unwrap();
    let line = |cell: &Cell| {
        let column = &cell.key.column;
        let parts =
            [&cell.key.row, &column.family, &column.qualifier, &column.visibility, &cell.value];
        parts.map(hex).join(" ")
    };
    let of_rust: Vec<String> = cells.iter().map(line).collect();
    assert_eq!(of_java.lines().collect::<Vec<_>>(), of_rust);
    assert_eq!(count, of_rust.len().to_string());
    assert!(of_rust.len() > 20);
}
