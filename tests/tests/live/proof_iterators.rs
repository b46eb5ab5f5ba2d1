//! An iterator of a table that changes entries: temporarily in a scan, and permanently in a
//! compaction.

use accumulo_proxy::{Compaction, IteratorScope, IteratorSetting, Mutation};

use crate::ground::{Ground, text, until};

const SUM: &str = "org.apache.accumulo.core.iterators.user.SummingCombiner";

/// Returns a combiner that runs before the iterator that keeps one version, which has the priority
/// 20.
fn sum() -> IteratorSetting {
    IteratorSetting::new(10, "sum", SUM)
        .option("columns", "f:count")
        .option("type", "STRING")
}

async fn shown(ground: &Ground) -> Vec<(String, String)> {
    let scan = &accumulo_proxy::ScanOptions::default();
    let entries = crate::ground::entries(&ground.client, &ground.table, scan).await;
    let pair = |entry: &accumulo_proxy::Entry| (text(&entry.key.qualifier), text(&entry.value));
    entries.iter().map(pair).collect()
}

fn expected(count: &str) -> Vec<(String, String)> {
    vec![
        ("count".to_owned(), count.to_owned()),
        ("other".to_owned(), "3".to_owned()),
    ]
}

#[tokio::test]
async fn a_combiner_runs_in_scans_and_a_compaction_stores_its_sum() {
    let Some(ground) = Ground::new("combiner").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    tables
        .attach_iterator(table, &sum(), &IteratorScope::ALL)
        .await
        .unwrap();
    for count in 1..=3 {
        let count = count.to_string();
        let mutation = Mutation::new("r")
            .put("f", "count", count.clone())
            .put("f", "other", count);
        ground.client.write(table, vec![mutation]).await.unwrap();
    }
    until("the sum is shown", async || {
        shown(&ground).await == expected("6")
    })
    .await;

    tables.compact(table, Compaction::default()).await.unwrap();
    assert_eq!(shown(&ground).await, expected("6"));
    // Without the iterator a scan shows the sum only if the compaction has stored it.
    tables
        .remove_iterator(table, "sum", &IteratorScope::ALL)
        .await
        .unwrap();
    until("the iterator is gone", async || {
        !tables.iterators(table).await.unwrap().contains_key("sum")
    })
    .await;
    assert_eq!(shown(&ground).await, expected("6"));
    let mutation = Mutation::new("r")
        .put("f", "count", "1")
        .put("f", "other", "3");
    ground.client.write(table, vec![mutation]).await.unwrap();
    until("the iterator no longer runs", async || {
        shown(&ground).await == expected("1")
    })
    .await;
    ground.end().await;
}
