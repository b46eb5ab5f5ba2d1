//! Iterators of a table: attached, listed, run and removed. Slow compactions, because of a slow
//! iterator.

use std::collections::BTreeSet;

use accumulo_proxy::{
    Compaction, ErrorKind, IteratorScope, IteratorSetting, Mutation, ProxyClient,
};

use crate::ground::{Ground, until};

const GREP: &str = "org.apache.accumulo.core.iterators.user.GrepIterator";
const REGEX: &str = "org.apache.accumulo.core.iterators.user.RegExFilter";

fn grep(term: &str) -> IteratorSetting {
    IteratorSetting::new(30, "grep", GREP).option("term", term)
}

#[tokio::test]
async fn an_attached_iterator_runs_in_scans_until_it_is_removed() {
    let Some(ground) = Ground::new("iterator").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["keep-1", "drop-2"]).await;
    let scan = [IteratorScope::Scan];
    tables
        .check_iterator_conflicts(table, &grep("keep"), &scan)
        .await
        .unwrap();
    tables
        .attach_iterator(table, &grep("keep"), &scan)
        .await
        .unwrap();

    let setting = tables
        .iterator(table, "grep", IteratorScope::Scan)
        .await
        .unwrap();
    assert_eq!(setting, Some(grep("keep")));
    let elsewhere = tables
        .iterator(table, "grep", IteratorScope::MajorCompaction)
        .await
        .unwrap();
    assert_eq!(elsewhere, None);
    let iterators = tables.iterators(table).await.unwrap();
    assert_eq!(iterators["grep"], BTreeSet::from(scan));
    // The iterator that keeps one version of each column.
    assert_eq!(iterators["vers"], BTreeSet::from(IteratorScope::ALL));
    until("the iterator runs", async || {
        ground.rows().await == ["keep-1"]
    })
    .await;

    let error = tables
        .check_iterator_conflicts(table, &grep("other"), &scan)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Accumulo, "{error}");
    assert_eq!(error.call(), "checkIteratorConflicts");
    assert!(error.reason().contains("conflict"), "{error}");
    let error = tables
        .attach_iterator(table, &grep("other"), &scan)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "attachIterator"),
        "{error}"
    );

    tables.remove_iterator(table, "grep", &scan).await.unwrap();
    assert!(!tables.iterators(table).await.unwrap().contains_key("grep"));
    until("the iterator is gone", async || {
        ground.rows().await.len() == 2
    })
    .await;
    ground.end().await;
}

/// A pattern that takes about a tenth of a second to find no match in [`slow_value`].
const SLOW: &str = r"(x+x+)+\1y";

fn slow_value() -> String {
    "x".repeat(22)
}

async fn make_slow(ground: &Ground) {
    let slow = slow_value();
    let rows = (0..300).map(|row| Mutation::new(format!("{row:03}")).put("f", "q", slow.clone()));
    let rows: Vec<_> = rows.collect();
    ground
        .client
        .low_level()
        .update_and_flush(&ground.table, &rows)
        .await
        .unwrap();
    ground
        .client
        .table_operations()
        .flush(&ground.table, None, None, true)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_compaction_is_listed_and_cancelled() {
    let Some(ground) = Ground::new("cancel").await else {
        return;
    };
    make_slow(&ground).await;
    // The filter accepts every entry after a delay. Between two entries a server checks whether it
    // must stop.
    let filter = IteratorSetting::new(40, "slow", REGEX).option("valueRegex", SLOW);
    let filter = filter.option("negate", "true");
    let compaction = Compaction::default().iterator(filter);
    let (client, table) = (ground.client.clone(), ground.table.clone());
    let compacting =
        tokio::spawn(async move { client.table_operations().compact(&table, compaction).await });

    let id = ground.client.table_operations().id_map().await.unwrap()[&ground.table].clone();
    until("the compaction runs", async || {
        runs(&ground.client, &id).await
    })
    .await;
    ground
        .client
        .table_operations()
        .cancel_compaction(&ground.table)
        .await
        .unwrap();
    let error = compacting.await.unwrap().unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "compactTable"),
        "{error}"
    );
    assert!(error.reason().to_lowercase().contains("cancel"), "{error}");
    until("the compaction ends", async || {
        !runs(&ground.client, &id).await
    })
    .await;
    assert_eq!(ground.rows().await.len(), 300);
    ground.end().await;
}

async fn runs(client: &ProxyClient, table_id: &str) -> bool {
    let instance = client.instance_operations();
    for server in instance.tablet_servers().await.unwrap() {
        for compaction in instance.active_compactions(&server).await.unwrap() {
            let extent = compaction.extent.as_ref().unwrap();
            if extent.table_id == table_id {
                assert!(!compaction.input_files.is_empty(), "{compaction:?}");
                assert!(
                    compaction
                        .iterators
                        .iter()
                        .any(|iterator| iterator.name == "slow")
                );
                return true;
            }
        }
    }
    false
}
