//! Rows for which only some of the designs have a key.

use std::sync::Arc;

use fluo_keys::{
    DigestSalt, HashInput, KeyDesign, KeyMigration, MigrationOptions, Modulo, RowBatch,
    RowSelection, SaltedPart, UnknownKeys,
};
use fluo_table::{Bytes, MemoryTables, Mutation, Table, Versions};
use futures::stream::TryStreamExt;

use super::{column, digest, migrate, new_table, seen};

fn numbers() -> KeyDesign {
    KeyDesign::new(Modulo { buckets: 4, of: HashInput::Number, ..Modulo::default() }).unwrap()
}

/// Returns the epochs of a table of numbers that accepts any text from now on.
fn epochs() -> KeyMigration {
    KeyMigration::new([numbers(), digest(1, "-")], Versions::default()).unwrap()
}

async fn rows_of(epochs: &KeyMigration, table: &Arc<dyn Table>, rows: &RowSelection) -> Vec<Bytes> {
    let scan = epochs.scan(rows).unwrap();
    let batches: Vec<_> = scan.run(table.clone()).try_collect().await.unwrap();
    let rows = batches.iter().flat_map(RowBatch::rows);
    rows.map(|row| Bytes::copy_from_slice(row.row)).collect()
}

/// Regression test: the newest design could write text, but the text could be neither read nor
/// deleted, because the older design has no key for it and refused every read.
#[tokio::test]
async fn reads_and_deletes_a_row_without_a_key_in_an_older_design() {
    let (tables, epochs) = (MemoryTables::new(), epochs());
    let table = new_table(&tables, Versions::default()).await;
    let put = |key: Bytes| Mutation::new(key).put_at(column("q"), 1, "v");
    table.write(vec![put(numbers().encode_row(b"7").unwrap())]).await.unwrap();
    table.write(vec![put(epochs.key(b"seven").unwrap())]).await.unwrap();

    for row in [&b"7"[..], b"seven"] {
        let value = epochs.get(&*table, row, &column("q")).await.unwrap();
        assert_eq!(value.as_deref(), Some(&b"v"[..]));
        let cells = epochs.read_row(&*table, row, &[]).await.unwrap();
        assert_eq!(seen(row, &cells).len(), 1);
    }
    for (rows, expected) in [
        (RowSelection::Row("seven".into()), vec!["seven"]),
        (RowSelection::Row("7".into()), vec!["7"]),
        (RowSelection::Prefix("seven".into()), vec!["seven"]),
        (RowSelection::range("sev", "sevf"), vec!["seven"]),
        (RowSelection::All, vec!["7", "seven"]),
    ] {
        assert_eq!(rows_of(&epochs, &table, &rows).await, expected, "{rows:?}");
    }

    migrate(&epochs, &*table, &MigrationOptions::new()).await;
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 0);
    for row in [&b"7"[..], b"seven"] {
        let deletes = epochs.delete_mutations(row, &[column("q")], Some(2)).unwrap();
        table.write(deletes).await.unwrap();
    }
    assert!(rows_of(&epochs, &table, &RowSelection::All).await.is_empty());
}

/// Reads rows of an older design for which the newest design has no key.
#[tokio::test]
async fn reads_a_row_without_a_key_in_the_newest_design() {
    let table = new_table(&MemoryTables::new(), Versions::default()).await;
    let epochs = KeyMigration::new([digest(1, "-"), numbers()], Versions::default()).unwrap();
    let key = digest(1, "-").encode_row(b"seven").unwrap();
    let put = Mutation::new(key).put_at(column("q"), 1, "v");
    table.write(vec![put]).await.unwrap();
    let value = epochs.get(&*table, b"seven", &column("q")).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"v"[..]));
    assert_eq!(rows_of(&epochs, &table, &RowSelection::Row("seven".into())).await, ["seven"]);
    // The row has no new place, and does not stop the migration of other rows.
    let other = Mutation::new(digest(1, "-").encode_row(b"8").unwrap()).put_at(column("q"), 1, "v");
    table.write(vec![other]).await.unwrap();
    let step = migrate(&epochs, &*table, &MigrationOptions::new()).await;
    assert_eq!((step.rows_moved, step.rows_without_key), (1, 1));
    assert_eq!(epochs.count(&*table).await.unwrap().left(), 1);
    let value = epochs.get(&*table, b"seven", &column("q")).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"v"[..]));
    let refused = epochs.key(b"seven").unwrap_err().to_string();
    assert!(refused.starts_with("`seven` is not a whole number"), "{refused}");
}

/// Returns the error of a scan at a key of no design, and the number of keys that a lenient scan
/// skips.
async fn foreign(epochs: &KeyMigration, rows: &RowSelection, key: &'static str) -> (String, u64) {
    let table = new_table(&MemoryTables::new(), Versions::default()).await;
    let put = Mutation::new(key).put_at(column("q"), 1, "v");
    table.write(vec![put]).await.unwrap();
    let scan = epochs.scan(rows).unwrap();
    let refused = scan.clone().run(table.clone()).try_next().await;
    let mut passed = scan.foreign(UnknownKeys::Skip).run(table);
    assert!(passed.try_next().await.unwrap().is_none());
    let refused = refused.map_or_else(|error| error.to_string(), |_| "left out".to_owned());
    (refused, passed.skipped())
}

/// Regression test: the key was left to the newest design. Its keys have the same form, but it
/// reads nothing here, because `ann` is no number.
#[tokio::test]
async fn refuses_a_foreign_key_if_the_newest_design_has_no_key_for_the_rows() {
    let by_number = KeyDesign::new(Modulo {
        buckets: 4,
        of: HashInput::Number,
        over: SaltedPart::Before("/".to_owned()),
        ..Modulo::default()
    });
    let by_text = KeyDesign::new(Modulo { buckets: 8, ..Modulo::default() });
    let designs = [by_text.unwrap(), by_number.unwrap()];
    let epochs = KeyMigration::new(designs, Versions::default()).unwrap();
    assert_eq!(epochs.keys(b"ann/1").unwrap(), ["03|ann/1"]);
    for rows in [RowSelection::Prefix("ann/".into()), RowSelection::range("ann/", "ann/9")] {
        assert!(epochs.spans(&rows).unwrap()[1].is_empty(), "{rows:?}");
        let (refused, passed) = foreign(&epochs, &rows, "02|ann/1").await;
        assert_eq!(
            refused,
            "the scanned rows include a key of another design: `02|ann/1` is not a key of this modulo design: its salt \
             is `02`, but that of its row is `03`; skip such keys"
        );
        assert_eq!(passed, 1);
    }
}

/// Regression test: the key was left to the newest design, which reads only the one span with the
/// rows of the tenant.
#[tokio::test]
async fn refuses_a_foreign_key_that_only_an_older_design_reads() {
    let by_tenant = KeyDesign::new(DigestSalt {
        digits: 1,
        separator: "-".to_owned(),
        over: SaltedPart::Before("/".to_owned()),
        ..DigestSalt::default()
    });
    let by_tenant = by_tenant.unwrap();
    let epochs = KeyMigration::new([digest(1, "-"), by_tenant.clone()], Versions::default());
    let (epochs, rows) = (epochs.unwrap(), RowSelection::Prefix("ann/".into()));
    assert_eq!(by_tenant.spans(&rows).unwrap().len(), 1);
    assert_eq!(epochs.keys(b"ann/1").unwrap(), ["1-ann/1", "7-ann/1"]);
    let (refused, passed) = foreign(&epochs, &rows, "0-ann/1").await;
    let sentence = "`0-ann/1` is not a key of this digest-salt design: its salt is `0`, but that of its row is `1`";
    assert!(refused.contains(sentence), "{refused}");
    assert_eq!(passed, 1);
}

#[test]
fn refuses_a_row_without_a_key_in_any_design() {
    let sixteen =
        KeyDesign::new(Modulo { buckets: 16, of: HashInput::Number, ..Modulo::default() });
    let epochs = KeyMigration::new([numbers(), sixteen.unwrap()], Versions::default()).unwrap();
    let sentence =
        "`seven` is not a whole number in decimal digits: hash it with `of = \"java-hash\"`";
    let delete = epochs.delete_mutations(b"seven", &[column("q")], None);
    for refused in [
        epochs.keys(b"seven").map(drop),
        delete.map(drop),
        epochs.spans(&RowSelection::Row("seven".into())).map(drop),
        epochs.scan(&RowSelection::Row("seven".into())).map(drop),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), sentence);
    }
}
