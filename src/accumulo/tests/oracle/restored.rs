//! A ZooKeeper that was restored from a backup.

use fluo_table::ErrorKind;
use fluo_table::coordination::Epochs;

use crate::ground::{Ground, MAX_TIMESTAMP, ROOT, count};

/// An oracle began its next term at the restored number, and handed out timestamps again.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_hands_out_no_timestamp_again() {
    let ground = Ground::new().await;
    let _oracle = ground.leader(&ground.link).await;
    // A client of its own before and after, because a client refuses timestamps that go back.
    let before = ground.oracle_client().await;
    let before = before.timestamps(count(5_000)).await.unwrap();
    ground.set(MAX_TIMESTAMP, "2").await;
    // More than is reserved, so that the term ends.
    let after = ground.oracle_client().await;
    let after = after.timestamps(count(2_000_000)).await.unwrap();
    assert!(after.first.get() >= before.first.get() + 5_000, "{after:?}");
}

async fn with_epochs(recorded: &str, of_table: &str) -> Ground {
    let ground = Ground::new().await;
    let recorded = Epochs { last: recorded.to_owned(), before: None }.encode();
    let recorded = String::from_utf8(recorded).unwrap();
    let property = format!("/accumulo/instance-1/tables/2a/conf/{}", Epochs::PROPERTY);
    for (path, data) in [
        (&*format!("{ROOT}/config/table-epochs"), &*recorded),
        (&format!("{ROOT}/config/accumulo.instance.id"), "instance-1"),
        (&format!("{ROOT}/config/accumulo.table"), "big.web"),
        ("/accumulo/instance-1/tables/1/name", "web"),
        ("/accumulo/instance-1/tables/1/namespace", "+default"),
        ("/accumulo/instance-1/tables/2a/name", "web"),
        ("/accumulo/instance-1/tables/2a/namespace", "7"),
        // Tables that are being created or deleted.
        ("/accumulo/instance-1/tables/3", ""),
        ("/accumulo/instance-1/tables/4/name", "web"),
        ("/accumulo/instance-1/tables/5/name", "web"),
        ("/accumulo/instance-1/tables/5/namespace", ""),
        ("/accumulo/instance-1/namespaces/7/name", "big"),
        ("/accumulo/instance-1/namespaces/+default/name", ""),
        (&property, of_table),
    ] {
        ground.create(path, data).await;
    }
    ground
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_refuses_a_table_that_was_opened_since_the_backup() {
    let ground = with_epochs("12-backup", "13-later").await;
    let refused = fluo_accumulo::Oracle::start(ground.options(&ground.link)).await;
    let error = refused.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "the coordination of the application `web` is an old copy; use the newest one, or initialize the application again"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_leads_for_the_table_of_its_coordination() {
    for of_table in ["12-backup", "11-before"] {
        let ground = with_epochs("12-backup", of_table).await;
        ground.leader(&ground.link).await.stop().await;
    }
}
