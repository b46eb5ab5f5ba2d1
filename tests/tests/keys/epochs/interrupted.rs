//! Interrupted migrations, which can be run again.

use std::sync::Arc;

use fluo_keys::{KeyDesign, KeyMigration, RowSelection};
use fluo_table::{Authorizations, MemoryTables, Mutation, Table, TableAdmin, Versions};
use fluo_tests::{Fault, FaultyTables};

use super::{
    Seen, TABLE, column, digest, hasher, migrate, new_table, scan_all, seen, small_steps, unsalted,
};

#[tokio::test]
async fn a_migration_interrupted_at_any_call_can_be_run_again() {
    for designs in [
        [digest(1, "-"), digest(2, "-")],
        [unsalted(), hasher("p")],
        [hasher("p"), unsalted()],
        [hasher("p"), hasher("q")],
    ] {
        interrupt_at_any_call(&designs).await;
    }
}

async fn interrupt_at_any_call(designs: &[KeyDesign; 2]) {
    let load = async |tables: &dyn TableAdmin| {
        let table = new_table(tables, Versions::All).await;
        for number in 0..20 {
            let key = designs[0].encode_row(format!("{number:02}").as_bytes()).unwrap();
            let put =
                Mutation::new(key).put_at(column("a"), number, "v").put_at(column("a"), 3, "w");
            table.write(vec![put]).await.unwrap();
        }
        table
    };
    let epochs = KeyMigration::new(designs.clone(), Versions::All).unwrap();
    let expected = all_rows(&epochs, &load(&MemoryTables::new()).await).await;

    let mut interrupted = 0;
    for call in 0..60 {
        for fault in [Some(Fault::Before), Some(Fault::After), Some(Fault::Lost), None] {
            let memory = MemoryTables::new();
            let direct = load(&memory).await;
            let faulty = FaultyTables::new(Arc::new(memory));
            let faulty = match fault {
                Some(fault) => faulty.fail_write(call, fault),
                None => faulty.fail_scan(call, 0),
            };
            let table = faulty.open_table(TABLE, Authorizations::none()).await.unwrap();
            let mut cursor = None;
            let settings = small_steps(9);
            loop {
                match epochs.migrate_step(&*table, cursor.as_ref(), &settings).await {
                    Ok(step) if step.cursor.is_none() => break,
                    Ok(step) => cursor = step.cursor,
                    Err(_) => interrupted += 1,
                }
                assert_eq!(all_rows(&epochs, &direct).await, expected, "call {call} {fault:?}");
            }
            migrate(&epochs, &*direct, &settings).await;
            assert_eq!(all_rows(&epochs, &direct).await, expected, "call {call} {fault:?}");
            assert_eq!(epochs.count(&*direct).await.unwrap().left(), 0);
        }
    }
    assert!(interrupted >= 20, "{interrupted}");
}

/// Reads all rows by a scan, or row by row if a design has too many salts for a scan.
async fn all_rows(epochs: &KeyMigration, table: &Arc<dyn Table>) -> Seen {
    if epochs.scan(&RowSelection::All).is_ok() {
        return scan_all(epochs, table).await;
    }
    let mut all = Seen::new();
    for number in 0..20 {
        let row = format!("{number:02}");
        all.extend(seen(
            row.as_bytes(),
            &epochs.read_row(&**table, row.as_bytes(), &[]).await.unwrap(),
        ));
    }
    all
}
