//! Tests of the engine.

use std::path::Path;

use super::*;

/// Returns an engine in a directory that exists until it is dropped.
pub(crate) fn engine() -> (tempfile::TempDir, Engine) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::create(&directory.path().join("engine"), 1 << 20).unwrap();
    (directory, engine)
}

/// A read with a bound longer than the longest key once marked its directory as damaged.
#[test]
fn bounds_longer_than_a_key_are_exact() {
    let (_directory, engine) = engine();
    let mut transaction = engine.begin().unwrap();
    let map = &engine.maps.meta;
    let keys = [vec![7; MAX_KEY_BYTES - 1], vec![7; MAX_KEY_BYTES], vec![8]];
    for key in &keys {
        transaction.insert(map, key, b"").unwrap();
    }
    let long = vec![7; MAX_KEY_BYTES + 1];
    let longer = vec![7; MAX_KEY_BYTES + 2];
    let found = |from: &[u8], end: Option<&[u8]>| -> Vec<Vec<u8>> {
        let entries = transaction.entries(map, from, end);
        entries.map(|entry| entry.unwrap().0.to_vec()).collect()
    };
    assert_eq!(found(&long, None), keys[2..]);
    assert_eq!(found(&[], Some(&long)), keys[..2]);
    assert_eq!(found(&keys[1], Some(&long)), keys[1..2]);
    assert_eq!(found(&long, Some(&longer)), [[0_u8; 0]; 0]);
    assert_eq!(found(&longer, Some(&long)), [[0_u8; 0]; 0]);
    assert_eq!(found(&keys[0], Some(&keys[1])), keys[..1]);
    assert_eq!(transaction.get(map, &long).unwrap(), None);
    let refused = transaction.insert(map, &long, b"").unwrap_err();
    assert_eq!(
        refused.into_error(Path::new("d")).to_string(),
        "a stored key has 65,536 bytes; a directory takes 65,535 at most"
    );
}

#[test]
fn the_entries_of_a_deleted_table_are_gone_after_a_crash() {
    let (directory, engine) = engine();
    for id in 1..=3 {
        let mut transaction = engine.begin().unwrap();
        transaction.create_cells(id).unwrap();
        let cells = transaction.engine_maps().cells(id).unwrap();
        transaction.insert(&cells.others, b"key", b"value").unwrap();
        transaction.commit().unwrap();
    }
    drop(engine);
    let engine = Engine::open(&directory.path().join("engine"), 1 << 20).unwrap();
    engine.open_tables(&[1].into()).unwrap();
    engine.prepare_writes(3).unwrap();
    assert_eq!([1, 2, 3].map(|id| engine.maps.cells(id).is_some()), [true, false, false]);
    for map in ["cells-", "notifications-"] {
        assert!(!engine.database.keyspace_exists(&format!("{map}2")));
        assert!(engine.database.keyspace_exists(&format!("{map}3")), "the next table will take it");
    }
    assert!(engine.open_tables(&[2].into()).unwrap_err().is_proof());
}

/// A snapshot of the engine showed a part of a commit that was being applied.
#[test]
fn a_snapshot_shows_the_last_commit_and_no_part_of_the_next() {
    let (_directory, engine) = engine();
    let meta = &engine.maps.meta;
    let mut transaction = engine.begin().unwrap();
    transaction.insert(meta, b"key", b"value").unwrap();
    // As a thread of the engine does while a commit is being applied.
    meta.0.inner().insert("other", "value").unwrap();
    assert!(!engine.snapshot().contains(meta, b"other").unwrap());
    transaction.commit().unwrap();
    assert!(engine.snapshot().contains(meta, b"key").unwrap());
    let mut transaction = engine.begin().unwrap();
    transaction.remove(meta, b"key");
    transaction.remove(meta, &vec![0; MAX_KEY_BYTES + 1]);
    drop(transaction);
    assert!(engine.snapshot().contains(meta, b"key").unwrap());
}

/// The buffer of a map that is hardly written kept old logs, whose damage no number shows.
#[test]
fn old_logs_are_gone_soon() {
    let (_directory, engine) = engine();
    let maps = &engine.maps;
    let mut numbers = 0..;
    let mut write = |bytes: usize| {
        let mut transaction = engine.begin().unwrap();
        let number: u64 = numbers.next().unwrap();
        let mut dice = fastrand::Rng::with_seed(number);
        let value: Vec<u8> = std::iter::repeat_with(|| dice.u8(..)).take(bytes).collect();
        transaction.insert(&maps.tables, b"small", b"").unwrap();
        transaction.insert(&maps.coordination, &number.to_be_bytes(), &value).unwrap();
        transaction.wait_for_room().unwrap();
        transaction.commit().unwrap();
    };
    let mut has_old_logs = false;
    for _ in 0..200 {
        write(1 << 20);
        has_old_logs |= engine.database.journal_count() > 1;
    }
    while engine.database.journal_count() > 1 {
        write(1);
        thread::sleep(POLL);
    }
    assert!(has_old_logs);
}

/// A commit waited inside the engine, for ever once the engine had stopped, because only the maps
/// of the commit before it were looked at.
#[test]
fn a_commit_waits_for_room_in_its_own_maps() {
    let (directory, engine) = engine();
    let Maps { meta, coordination, .. } = &*engine.maps;
    let mut transaction = engine.begin().unwrap();
    transaction.insert(meta, b"key", b"value").unwrap();
    transaction.commit().unwrap();
    let mut transaction = engine.begin().unwrap();
    transaction.insert(coordination, b"key", b"value").unwrap();
    std::fs::remove_dir_all(directory.path().join("engine").join(MAPS_FOLDER)).unwrap();
    assert!(matches!(engine.drop_removed(meta, false), Err(Failure::Stopped)));
    transaction.wait_for_room().unwrap();
    for _ in 0..=MAX_FULL_BUFFERS {
        coordination.0.inner().tree.insert("key", "value", 0);
        coordination.0.inner().rotate_memtable().unwrap();
    }
    assert!(matches!(transaction.wait_for_room(), Err(Failure::Stopped)));
}

/// The engine bounds the buffer of each map only: 40 tables could have 1.2 GB of them, and a log of
/// the same size.
#[test]
fn the_buffers_and_logs_of_many_maps_are_bounded() {
    let (_directory, engine) = engine();
    let mut dice = fastrand::Rng::with_seed(7);
    // The log compresses values.
    let value: Vec<u8> = std::iter::repeat_with(|| dice.u8(..)).take(1 << 20).collect();
    for id in 1..=10 {
        let mut transaction = engine.begin().unwrap();
        transaction.create_cells(id).unwrap();
        transaction.commit().unwrap();
        let cells = engine.maps.cells(id).unwrap();
        for key in 0_u8..25 {
            let mut transaction = engine.begin().unwrap();
            transaction.insert(&cells.others, &[key], &value).unwrap();
            transaction.wait_for_room().unwrap();
            transaction.commit().unwrap();
            let bytes = engine.database.write_buffer_size();
            // Those that are full, those that the next rotation fills, and what the engine has not
            // subtracted yet.
            assert!(bytes < 3 * MAX_BUFFERS_BYTES, "{bytes} bytes in buffers");
            let bytes = engine.database.inner().journal_disk_space().unwrap();
            assert!(bytes < 5 * MAX_BUFFERS_BYTES, "{bytes} bytes of logs");
        }
    }
}
