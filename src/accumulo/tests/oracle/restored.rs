//! A ZooKeeper that was restored from a backup.

use fluo_accumulo::Oracle;
use fluo_table::ErrorKind;
use fluo_table::coordination::Epochs;
use fluo_zookeeper::Operation;

use crate::ground::{Ground, MAX_TIMESTAMP, ROOT, count};

/// A property of the metadata table.
const METADATA: &str = "/accumulo/instance-1/tables/!0/conf/table.split.threshold";
const EPOCHS: &str = "/fluo/web/config/table-epochs";

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

/// Returns the data of the node of the epochs.
fn record(last: &str, before: Option<&str>) -> String {
    let epochs = Epochs { last: last.to_owned(), before: before.map(str::to_owned) };
    String::from_utf8(epochs.encode()).unwrap()
}

/// Returns the path of the epoch of the table.
fn property() -> String {
    format!("/accumulo/instance-1/tables/2a/conf/{}", Epochs::PROPERTY)
}

async fn with_epochs(recorded: &str, of_table: &str) -> Ground {
    let ground = Ground::new().await;
    let property = property();
    for (path, data) in [
        (EPOCHS, &*record(recorded, None)),
        (&format!("{ROOT}/config/accumulo.instance.id"), "instance-1"),
        (&format!("{ROOT}/config/accumulo.table"), "big.web"),
        (METADATA, ""),
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
    let refused = Oracle::start(ground.options(&ground.link)).await;
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

/// The oracle read the record first, and the epoch of the table last. If the application was opened
/// in between, a good coordination was refused as an old copy.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_starts_while_the_application_is_opened() {
    for read_meanwhile in ["/conf/table.custom", "table-epochs"] {
        let ground = with_epochs("12-before", "12-before").await;
        let link = ground.zookeeper.link();
        link.lose_answer(Operation::GetData, read_meanwhile);
        let open = async {
            link.wait_for_cut().await;
            ground.set(EPOCHS, &record("13-opened", Some("12-before"))).await;
            ground.set(&property(), "13-opened").await;
            link.resume();
        };
        let (oracle, ()) = tokio::join!(Oracle::start(ground.options(&link)), open);
        oracle.unwrap().stop().await;
    }
}

/// An oracle read the names of all tables, also after it had found its own, and of those of
/// Accumulo 2.1, whose nodes have no properties.
#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_reads_no_more_tables_than_it_needs() {
    let ground = with_epochs("12-backup", "12-backup").await;
    for table in 3_000..3_600 {
        let name = format!("/accumulo/instance-1/tables/{table}/name");
        ground.create(&name, "other").await;
    }
    let reads = async || {
        let link = ground.zookeeper.link();
        // It compares the epochs three times.
        ground.leader(&link).await.stop().await;
        link.count(Operation::GetData)
    };
    let with_properties = reads().await;
    assert!((200..1_000).contains(&with_properties), "{with_properties} reads");
    ground.client.delete(METADATA, None).await.unwrap();
    let without = reads().await;
    assert!(without < 50, "{without} reads");
}
