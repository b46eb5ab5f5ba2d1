//! Scans of tables whose times are counted down: the newest row comes first.

use std::num::NonZeroUsize;

use fluo_table::{
    Authorizations, Bytes, Column, MemoryTables, Mutation, Scan, Table, TableAdmin, TableExt,
    Versions,
};

use crate::{DigestSalt, KeyDesign, ReverseTime, RowSelection, SaltedPart};

/// Returns the rows of a set, in the order in which one scan of the table yields them.
async fn scanned(table: &dyn Table, design: &KeyDesign, rows: &RowSelection) -> Vec<Bytes> {
    let spans = design.spans(rows).unwrap();
    assert_eq!(
        spans.len(),
        1,
        "one piece, so that the order is the table's own"
    );
    let scan = Scan::over_all(spans).batch_cells(NonZeroUsize::MIN);
    let cells = table.read(scan).await.unwrap();
    let rows = cells
        .iter()
        .map(|cell| design.decode_key(&cell.key.row).unwrap());
    rows.collect()
}

async fn check(design: KeyDesign) {
    let tables = MemoryTables::new();
    tables
        .create_table("events", Versions::default())
        .await
        .unwrap();
    let table = tables
        .open_table("events", Authorizations::none())
        .await
        .unwrap();
    for time in [100, 9, 1_696_744_051_903_i64, 0, 10] {
        for entity in ["sensor", "sensor7", "sensor70"] {
            let key = design
                .encode_row(format!("{entity}|{time}").as_bytes())
                .unwrap();
            let mutation = Mutation::new(key).put(Column::new("f", "q"), "");
            table.write(vec![mutation]).await.unwrap();
        }
    }
    let of_sensor = scanned(&*table, &design, &RowSelection::Prefix("sensor7|".into())).await;
    assert_eq!(
        of_sensor,
        [
            "sensor7|1696744051903",
            "sensor7|100",
            "sensor7|10",
            "sensor7|9",
            "sensor7|0"
        ]
    );
    let between = scanned(
        &*table,
        &design,
        &RowSelection::between("sensor7|", "9", "100"),
    )
    .await;
    assert_eq!(between, ["sensor7|10", "sensor7|9"]);
}

#[tokio::test]
async fn of_one_entity() {
    check(KeyDesign::new(ReverseTime::default()).unwrap()).await;
}

#[tokio::test]
async fn of_one_entity_after_a_salt() {
    let salt = DigestSalt {
        over: SaltedPart::Entity,
        ..DigestSalt::default()
    };
    let settings = ReverseTime {
        salt: Some(salt.into()),
        ..ReverseTime::default()
    };
    check(KeyDesign::new(settings).unwrap()).await;
}
