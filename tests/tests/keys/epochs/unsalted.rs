//! Rows without a salt that move to a row hasher, and back.

use std::sync::Arc;

use fluo_keys::{HashScheme, KeyDesign, KeyMigration, MigrationOptions, Modulo, RowHasher};
use fluo_table::{Bytes, MemoryTables, Mutation, Scan, Span, Table, Versions};

use super::{column, hasher, migrate, new_table, seen, small_steps, unsalted};

const ROWS: [&str; 6] = ["", "a", "o/1", "p", "q:r2g7:cat", "z"];

fn epochs(designs: [KeyDesign; 2]) -> KeyMigration {
    KeyMigration::new(designs, Versions::default()).unwrap()
}

async fn put(table: &Arc<dyn Table>, keys: impl IntoIterator<Item = Bytes>) {
    let put = |key: Bytes| Mutation::new(key).put_at(column("q"), 1, "v");
    table.write(keys.into_iter().map(put).collect()).await.unwrap();
}

/// Returns the stored keys, in order.
async fn keys(table: &Arc<dyn Table>) -> Vec<Bytes> {
    let cells = table.read(Scan::over(Span::all())).await.unwrap();
    cells.into_iter().map(|cell| cell.key.row).collect()
}

fn sorted(design: &KeyDesign, rows: &[&str]) -> Vec<Bytes> {
    let key = |row: &&str| design.encode_row(row.as_bytes()).unwrap();
    let mut keys: Vec<_> = rows.iter().map(key).collect();
    keys.sort();
    keys
}

/// Regression test: only designs with enumerable salts had a migration.
#[tokio::test]
async fn rows_move_to_another_prefix_and_back() {
    for (old, new) in [
        (unsalted(), hasher("p")),
        (hasher("p"), unsalted()),
        (hasher("p"), hasher("pq")),
        (hasher("p"), super::modulo(16)),
        (super::modulo(16), hasher("p")),
    ] {
        let table = new_table(&MemoryTables::new(), Versions::default()).await;
        let epochs = epochs([old.clone(), new.clone()]);
        // Some rows have moved before. The rows without a salt are all but one of the empty row,
        // which no table has.
        let rows = &ROWS[1..];
        put(&table, sorted(&new, &rows[..2])).await;
        put(&table, sorted(&old, &rows[2..])).await;
        epochs.check(&*table).await.unwrap();
        let (half, all) = (epochs.count(&*table).await.unwrap(), sorted(&new, rows));
        assert_eq!((half.left(), half.done(), half.foreign), (3, 2, 0), "{old} to {new}");

        for row in rows {
            let cells = epochs.read_row(&*table, row.as_bytes(), &[]).await.unwrap();
            assert_eq!(seen(row.as_bytes(), &cells).len(), 1, "{row}: {old} to {new}");
        }
        let step = migrate(&epochs, &*table, &small_steps(1)).await;
        assert_eq!((step.rows_moved, step.rows_foreign), (3, 0), "{old} to {new}");
        assert_eq!(keys(&table).await, all, "{old} to {new}");
        let again = migrate(&epochs, &*table, &MigrationOptions::new()).await;
        assert_eq!((again.rows_moved, keys(&table).await), (0, all), "{old} to {new}");
    }
}

/// Checks that a row which begins like a hashed key, but is none, is refused and never moved.
#[tokio::test]
async fn a_row_that_begins_like_a_hashed_key_is_refused_and_stays() {
    let twice = hasher("p").encode_row(&hasher("p").encode_row(b"cat").unwrap()).unwrap();
    for (old, new, stored) in [
        (unsalted(), hasher("p"), Bytes::from("p:cat")),
        (unsalted(), hasher("p"), Bytes::from("p:0000:cat")),
        (hasher("p"), unsalted(), Bytes::from("p:cat")),
        // Without its first hash it would be read as the row `cat`.
        (hasher("p"), unsalted(), twice),
    ] {
        let table = new_table(&MemoryTables::new(), Versions::default()).await;
        let epochs = epochs([old, new]);
        put(&table, [stored.clone()]).await;
        let refused = epochs.check(&*table).await.unwrap_err().to_string();
        let end =
            "begins with `p:`, like a hashed key: migrate to a row hasher with another prefix";
        assert!(refused.starts_with("row `p:") && refused.ends_with(end), "{refused}");
        let step = migrate(&epochs, &*table, &MigrationOptions::new()).await;
        assert_eq!((step.rows_moved, step.rows_foreign + step.rows_without_key), (0, 1));
        assert_eq!(keys(&table).await, [stored]);
    }
}

/// Checks that a row whose name is the key of another row is not read as that row.
#[tokio::test]
async fn a_row_with_the_name_of_a_hashed_key_is_another_row() {
    let table = new_table(&MemoryTables::new(), Versions::default()).await;
    let epochs = epochs([unsalted(), hasher("p")]);
    let cat = hasher("p").encode_row(b"cat").unwrap();
    put(&table, [cat.clone()]).await;
    assert!(epochs.read_row(&*table, &cat, &[]).await.unwrap().is_empty());
    assert_eq!(epochs.read_row(&*table, b"cat", &[]).await.unwrap().len(), 1);
    let deletes = epochs.delete_mutations(&cat, &[column("q")], Some(2)).unwrap();
    table.write(deletes).await.unwrap();
    assert_eq!(keys(&table).await, [cat]);
}

#[test]
fn rows_without_a_salt_move_to_row_hashers_alone() {
    let refusal = |designs| KeyMigration::new(designs, Versions::default()).unwrap_err();
    let modulo = || KeyDesign::new(Modulo::default()).unwrap();
    for designs in [[unsalted(), modulo()], [modulo(), unsalted()]] {
        assert_eq!(
            refusal(designs).to_string(),
            "rows of unsalted can begin like keys of modulo (Java's String.hashCode modulo 10): migrate to a row hasher \
             first"
        );
    }
    assert_eq!(refusal([unsalted(), unsalted()]).to_string(), "unsalted is listed twice");
    assert_eq!(
        refusal([hasher("p"), hasher("p:x")]).to_string(),
        "keys of row-hasher (prefix `p` and murmur3-base36 hash) and of row-hasher (prefix `p:x` and murmur3-base36 hash) \
         can both begin with `p:x:`: give the newer another prefix"
    );
    let of = |scheme| KeyDesign::from(&RowHasher::with_scheme("p", scheme).unwrap());
    let schemes = [HashScheme::Murmur3Base36, HashScheme::Sha1Base32].map(of);
    assert!(KeyMigration::new(schemes, Versions::default()).is_ok());
}
