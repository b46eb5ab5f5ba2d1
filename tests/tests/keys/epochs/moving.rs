//! Rows that a migration moves, read before and after.

use fluo_keys::{KeyMigration, MigrationOptions, RowSelection};
use fluo_table::{
    Authorizations, Bytes, Column, Garbage, MemoryTables, Mutation, Span, TableAdmin, Versions,
};
use futures::stream::TryStreamExt;

use super::{Seen, TABLE, column, digest, migrate, modulo, new_table, scan_all, small_steps, text};

#[tokio::test]
async fn rows_of_three_designs_are_read_and_moved() {
    let table = new_table(&MemoryTables::new(), Versions::All).await;
    let designs = [modulo(4), modulo(16), modulo(64)];
    let mut expected = Seen::new();
    for number in 0..200_i64 {
        let row = format!("row-{number:03}");
        let design = &designs[usize::try_from(number % 3).unwrap()];
        let key = design.encode_row(row.as_bytes()).unwrap();
        let put =
            Mutation::new(key).put_at(column("a"), number, "x").put_at(column("a"), 1_000, "y");
        table.write(vec![put]).await.unwrap();
        expected.push((row.clone(), "a".to_owned(), 1_000, "y".to_owned()));
        expected.push((row, "a".to_owned(), number, "x".to_owned()));
    }
    let epochs = KeyMigration::new(designs, Versions::All).unwrap();
    assert_eq!(scan_all(&epochs, &table).await, expected);
    let before = epochs.count(&*table).await.unwrap();
    assert_eq!((before.left() + before.done(), before.foreign), (200, 0));
    assert!(before.left() > 90, "{before}");

    let done = migrate(&epochs, &*table, &small_steps(7)).await;
    assert_eq!((done.rows_moved, done.rows_contended, done.rows_hidden), (before.left(), 0, 0));
    assert_eq!(scan_all(&epochs, &table).await, expected);
    let after = epochs.count(&*table).await.unwrap();
    assert_eq!(after.to_string(), "all 200 rows are in the newest epoch");
    // The newest design alone reads all of them.
    let alone = KeyMigration::new([modulo(64)], Versions::All).unwrap();
    assert_eq!(scan_all(&alone, &table).await, expected);
    assert_eq!(migrate(&epochs, &*table, &small_steps(7)).await.rows_moved, 0);
}

#[tokio::test]
async fn a_delete_reaches_every_place() {
    for moved in [false, true] {
        let table = new_table(&MemoryTables::new(), Versions::default()).await;
        let epochs = KeyMigration::new([modulo(16), modulo(64)], Versions::default()).unwrap();
        for number in 0..40 {
            let key = modulo(16).encode_row(format!("{number}").as_bytes()).unwrap();
            table.write(vec![Mutation::new(key).put_at(column("a"), 5, "v")]).await.unwrap();
        }
        if moved {
            migrate(&epochs, &*table, &MigrationOptions::new()).await;
        }
        let deletes = epochs.delete_mutations(b"7", &[column("a")], Some(9)).unwrap();
        assert_eq!(deletes.len(), epochs.keys(b"7").unwrap().len());
        table.write(deletes).await.unwrap();
        migrate(&epochs, &*table, &MigrationOptions::new()).await;
        assert_eq!(epochs.get(&*table, b"7", &column("a")).await.unwrap(), None);
        assert_eq!(epochs.read_row(&*table, b"7", &[]).await.unwrap(), []);
        assert_eq!(scan_all(&epochs, &table).await.len(), 39);
    }
}

/// Regression test: a cell in the new place was overwritten by an older cell with the same
/// timestamp.
#[tokio::test]
async fn cells_in_the_new_place_are_not_overwritten() {
    let table = new_table(&MemoryTables::new(), Versions::All).await;
    let epochs = KeyMigration::new([digest(1, "-"), digest(2, "-")], Versions::All).unwrap();
    let put = |key: Bytes, value: &'static str| {
        Mutation::new(key).put_at(column("a"), 0, value).put_at(column("b"), 0, value)
    };
    let [old, new] = epochs.keys(b"row").unwrap().try_into().unwrap();
    table.write(vec![put(old, "old")]).await.unwrap();
    table.write(vec![Mutation::new(new).put_at(column("a"), 0, "new")]).await.unwrap();
    for _ in 0..2 {
        let cells = scan_all(&epochs, &table).await;
        let values: Vec<_> = cells.iter().map(|cell| (cell.1.as_str(), cell.3.as_str())).collect();
        assert_eq!(values, [("a", "new"), ("b", "old")]);
        migrate(&epochs, &*table, &MigrationOptions::new()).await;
    }
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 0);
}

/// Moves rows back, which meet the delete markers of their first move. They stay where they are
/// visible.
#[tokio::test]
async fn a_delete_marker_in_the_new_place_loses_no_row() {
    let tables = MemoryTables::new();
    let table = new_table(&tables, Versions::default()).await;
    let (few, many) = (digest(1, "-"), digest(2, "-"));
    table
        .write(vec![Mutation::new(few.encode_row(b"row").unwrap()).put_at(column("a"), 5, "v")])
        .await
        .unwrap();
    let there = KeyMigration::new([few.clone(), many.clone()], Versions::default()).unwrap();
    assert_eq!(migrate(&there, &*table, &MigrationOptions::new()).await.rows_moved, 1);
    let back = KeyMigration::new([many, few], Versions::default()).unwrap();
    let stuck = migrate(&back, &*table, &MigrationOptions::new()).await;
    assert_eq!((stuck.rows_moved, stuck.rows_hidden), (0, 1));
    assert_eq!(scan_all(&back, &table).await.len(), 1);

    tables.compact(TABLE, &Span::all(), Garbage::Keep).await.unwrap();
    let moved = migrate(&back, &*table, &MigrationOptions::new()).await;
    assert_eq!((moved.rows_moved, moved.rows_hidden), (1, 0));
    assert_eq!(scan_all(&back, &table).await.len(), 1);
}

#[tokio::test]
async fn large_rows_are_moved_in_parts() {
    let table = new_table(&MemoryTables::new(), Versions::All).await;
    let epochs = KeyMigration::new([digest(1, "-"), digest(2, "-")], Versions::All).unwrap();
    let [old, _] = epochs.keys(b"wide").unwrap().try_into().unwrap();
    let qualifiers = (0..500).map(|n| format!("{n:03}"));
    let mutation = qualifiers.fold(Mutation::new(old.clone()), |mutation, qualifier| {
        let column = Column::new("f", qualifier);
        mutation.put_at(column.clone(), 1, vec![b'v'; 1_000]).put_at(column, i64::MIN, "")
    });
    table.write(vec![mutation]).await.unwrap();
    let before = scan_all(&epochs, &table).await;
    assert_eq!(before.len(), 1_000);
    let done = migrate(&epochs, &*table, &small_steps(64)).await;
    assert_eq!((done.cells_moved, done.rows_hidden), (1_000, 0));
    assert!(done.rows_moved > 5, "{done:?}");
    assert_eq!(scan_all(&epochs, &table).await, before);
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 0);

    table
        .write(
            (0..100)
                .map(|n| Mutation::new(old.clone()).put_at(column("x"), 10 + n, vec![b'v'; 1_000]))
                .collect(),
        )
        .await
        .unwrap();
    let options = MigrationOptions::new().memory_bytes(20_000);
    let error = epochs.migrate_step(&*table, None, &options).await.unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("one column of the row `"), "{message}");
    assert!(message.ends_with("but a step may hold 20,000: raise `memory_bytes`"), "{message}");
}

#[tokio::test]
async fn visibilities_are_kept() {
    let tables = MemoryTables::new();
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    let all = tables.open_table(TABLE, Authorizations::from_iter(["a"])).await.unwrap();
    let none = tables.open_table(TABLE, Authorizations::none()).await.unwrap();
    let epochs = KeyMigration::new([digest(1, "-"), digest(2, "-")], Versions::default()).unwrap();
    let [old, _] = epochs.keys(b"row").unwrap().try_into().unwrap();
    let secret = column("q").with_visibility("a");
    all.write(vec![Mutation::new(old).put_at(column("q"), 1, "v").put_at(secret, 2, "s")])
        .await
        .unwrap();
    // A migration leaves cells in their place if it may not see them, and reads find them there.
    migrate(&epochs, &*none, &MigrationOptions::new()).await;
    assert_eq!(scan_all(&epochs, &all).await.len(), 2);
    assert_eq!(epochs.count(&*all).await.unwrap().left(), 1);
    migrate(&epochs, &*all, &MigrationOptions::new()).await;
    assert_eq!(epochs.count(&*all).await.unwrap().left(), 0);
    assert_eq!((scan_all(&epochs, &all).await.len(), scan_all(&epochs, &none).await.len()), (2, 1));
}

/// Scans wide rows of two designs whose pieces overlap. The memory holds a few rows.
#[tokio::test]
async fn wide_rows_in_overlapping_pieces_are_returned_whole() {
    let table = new_table(&MemoryTables::new(), Versions::All).await;
    let designs = [modulo(4), modulo(16)];
    for number in 0..60 {
        let places = match number % 3 {
            0 => &designs[..1],
            1 => &designs[1..],
            _ => &designs,
        };
        for design in places {
            let key = design.encode_row(format!("{number:02}").as_bytes()).unwrap();
            let qualifiers = (0..100).map(|n| format!("{n:03}"));
            let mutation = qualifiers.fold(Mutation::new(key), |mutation, qualifier| {
                mutation.put_at(Column::new("f", qualifier), 1, vec![b'v'; 200])
            });
            table.write(vec![mutation]).await.unwrap();
        }
    }
    let epochs = KeyMigration::new(designs, Versions::All).unwrap();
    let scan = epochs.scan(&RowSelection::All).unwrap();
    for open_scans in [1_000, 0] {
        let scan = scan.clone().memory_bytes(800_000).open_scans(open_scans);
        let batches = scan.run(table.clone()).try_collect::<Vec<_>>().await.unwrap();
        let rows = batches.iter().flat_map(|batch| {
            batch.rows().map(|row| (text(row.row), row.cells.len())).collect::<Vec<_>>()
        });
        assert!(rows.eq((0..60).map(|number| (format!("{number:02}"), 100))));
    }
}

/// Regression test: with less memory than four bytes for each older design, no row of them was
/// read, and the scan ended without an error.
#[tokio::test]
async fn a_scan_with_too_little_memory_loses_no_row_of_an_older_design() {
    let table = new_table(&MemoryTables::new(), Versions::All).await;
    let designs = [digest(1, "-"), digest(2, "-")];
    let key = designs[0].encode_row(b"row").unwrap();
    table.write(vec![Mutation::new(key).put_at(column("a"), 1, "v")]).await.unwrap();
    let epochs = KeyMigration::new(designs, Versions::All).unwrap();
    let scan = epochs.scan(&RowSelection::All).unwrap().memory_bytes(3);
    let error = scan.run(table).try_collect::<Vec<_>>().await.unwrap_err();
    assert!(error.to_string().ends_with("and may hold 1: raise `memory_bytes`"), "{error}");
}
