//! Invalid requests, and their error messages.

use fluo_keys::{KeyDesign, KeyMigration, MigrationOptions, RandomSalt, RowSelection, UnknownKeys};
use fluo_table::{MemoryTables, Mutation, Versions};
use futures::stream::TryStreamExt;

use super::{column, digest, modulo, new_table};

#[test]
fn designs_that_cannot_share_a_table_are_refused() {
    let refusal = |designs: Vec<KeyDesign>| {
        let epochs = KeyMigration::new(designs, Versions::default());
        epochs.unwrap_err().to_string()
    };
    assert_eq!(refusal(vec![]), "a table has at least one design, not 0");
    assert_eq!(
        refusal(vec![modulo(16), modulo(64), modulo(16)]),
        "modulo (Java's String.hashCode modulo 16) is listed twice"
    );
    assert_eq!(
        refusal(vec![digest(1, ""), digest(2, "")]),
        "keys of digest-salt (first hexadecimal digit of MD5) and of digest-salt (first 2 hexadecimal digits of MD5) \
         can both begin with `00`: give the newer another separator"
    );
    assert_eq!(
        refusal(vec![KeyDesign::new(RandomSalt::new(8)).unwrap(), modulo(64)]),
        "the rows of random-salt (drawn from 8 buckets) cannot be moved, because their salts cannot be computed"
    );
    assert!(KeyMigration::new([modulo(64), modulo(128)], Versions::default()).is_ok());
    assert!(KeyMigration::new([digest(1, "-"), digest(2, "-")], Versions::default()).is_ok());
}

#[tokio::test]
async fn a_cursor_of_other_epochs_is_refused() {
    let table = new_table(&MemoryTables::new(), Versions::default()).await;
    let epochs = KeyMigration::new([modulo(2), modulo(4), modulo(8)], Versions::default()).unwrap();
    let options = MigrationOptions::new();
    let cursor = epochs.migrate_step(&*table, None, &options).await.unwrap().cursor.unwrap();
    let other = KeyMigration::new([modulo(2), modulo(8)], Versions::default()).unwrap();
    assert_eq!(
        other.migrate_step(&*table, Some(&cursor), &options).await.unwrap_err().to_string(),
        format!("the cursor `{cursor}` belongs to other designs: start without a cursor")
    );
}

#[tokio::test]
async fn keys_of_no_epoch_are_refused_or_counted_once() {
    let table = new_table(&MemoryTables::new(), Versions::default()).await;
    let epochs = KeyMigration::new([modulo(16), modulo(64)], Versions::default()).unwrap();
    // The salt is valid in both designs, but that of `b` is 02 of 16, and 34 of 64.
    table.write(vec![Mutation::new("03|b").put(column("q"), "v")]).await.unwrap();
    let scan = epochs.scan(&RowSelection::All).unwrap();
    let error = scan.clone().run(table.clone()).try_collect::<Vec<_>>().await.unwrap_err();
    assert!(
        error.to_string().starts_with("the scanned rows include a key of another design"),
        "{error}"
    );
    let mut batches = scan.foreign(UnknownKeys::Skip).run(table.clone());
    assert!(batches.try_next().await.unwrap().is_none());
    assert_eq!(batches.skipped(), 1);
    let step = epochs.migrate_step(&*table, None, &MigrationOptions::new()).await.unwrap();
    assert_eq!((step.rows_seen, step.rows_foreign, step.cursor), (1, 1, None));
    assert_eq!(epochs.count(&*table).await.unwrap().foreign, 1);
}
