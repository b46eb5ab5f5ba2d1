//! Operations on tables, each checked by another call.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included, Unbounded};

use accumulo_proxy::{Bytes, Error, ErrorKind, Key, Mutation, Range, ScanOptions, TimeType};

use crate::ground::{Ground, entries, fresh_name, text, until};

/// A class of Accumulo 1.10 whose constructor takes arguments.
const GROUP_BALANCER: &str = "org.apache.accumulo.server.master.balancer.RegexGroupBalancer";
const TABLE_BALANCER: &str = "org.apache.accumulo.server.master.balancer.TableLoadBalancer";
const BALANCER: &str = "org.apache.accumulo.server.master.balancer.TabletBalancer";

#[tokio::test]
async fn a_table_is_created_renamed_and_deleted() {
    let Some(ground) = Ground::new("life").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    assert!(tables.exists(table).await.unwrap());
    assert!(tables.list().await.unwrap().contains(table));
    let id = tables.id_map().await.unwrap()[table].clone();

    let error = tables
        .create(table, true, TimeType::Millis)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::TableExists, "createTable")
    );
    assert_eq!(error.subject(), Some(table));
    assert!(!error.may_have_taken_effect());
    let address = &ground.client.options().address();
    let reason = error.reason();
    assert_eq!(
        error.to_string(),
        format!("createTable of `{table}` at {address}: {reason}")
    );
    assert!(
        reason.contains(table) && reason.contains("exists"),
        "{reason}"
    );

    let new_name = fresh_name("renamed");
    tables.rename(table, &new_name).await.unwrap();
    assert!(!tables.exists(table).await.unwrap());
    assert_eq!(tables.id_map().await.unwrap()[&new_name], id);

    tables.delete(&new_name).await.unwrap();
    assert!(!tables.exists(&new_name).await.unwrap());
    is_not_found(&tables.delete(&new_name).await.unwrap_err(), "deleteTable");
    is_not_found(
        &tables.list_splits(&new_name, None).await.unwrap_err(),
        "listSplits",
    );
    is_not_found(
        &tables.properties(&new_name).await.unwrap_err(),
        "getTableProperties",
    );
    is_not_found(
        &tables.flush(&new_name, None, None, true).await.unwrap_err(),
        "flushTable",
    );
    is_not_found(
        &tables.clear_locator_cache(&new_name).await.unwrap_err(),
        "clearLocatorCache",
    );
}

fn is_not_found(error: &Error, call: &str) {
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::TableNotFound, call),
        "{error:?}"
    );
    assert!(!error.may_have_taken_effect());
    assert!(error.reason().contains("does not exist"), "{error}");
}

#[tokio::test]
async fn an_invalid_name_is_refused() {
    let Some(client) = crate::cluster::client().await else {
        return;
    };
    let error = client
        .table_operations()
        .create("no blanks", true, TimeType::Millis)
        .await;
    let error = error.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "createTable"),
        "{error}"
    );
}

#[tokio::test]
async fn a_table_without_versioning_keeps_every_version() {
    let Some(ground) = Ground::new("versions").await else {
        return;
    };
    let tables = ground.client.table_operations();
    let every = fresh_name("every");
    tables
        .create(&every, false, TimeType::Logical)
        .await
        .unwrap();
    for table in [&ground.table, &every] {
        for value in ["1", "2"] {
            let mutation = Mutation::new("r").put("f", "q", value);
            ground
                .client
                .low_level()
                .update_and_flush(table, &[mutation])
                .await
                .unwrap();
        }
    }
    let all = ScanOptions::default();
    assert_eq!(entries(&ground.client, &ground.table, &all).await.len(), 1);
    let both = entries(&ground.client, &every, &all).await;
    assert_eq!(both.len(), 2);
    // A logical clock counts.
    assert!(
        both.iter().all(|entry| entry.key.timestamp < 1000),
        "{both:?}"
    );
    tables.delete(&every).await.unwrap();
    ground.end().await;
}

#[tokio::test]
async fn split_points_are_added_seen_in_the_metadata_and_merged() {
    let Some(ground) = Ground::new("splits").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    tables
        .add_splits(table, ["c", "f", "m", "t"])
        .await
        .unwrap();
    tables.add_splits(table, ["c"]).await.unwrap();
    assert_eq!(splits(&ground).await, ["c", "f", "m", "t"]);
    assert_eq!(end_rows(&ground).await, ["c", "f", "m", "t"]);
    let some = tables.list_splits(table, Some(2)).await.unwrap();
    assert!(!some.is_empty() && some.len() <= 2, "{some:?}");

    let all = Range::all();
    let ranges = tables
        .split_range_by_tablets(table, &all, None)
        .await
        .unwrap();
    assert_eq!(ranges.len(), 5, "{ranges:?}");
    let ranges = tables
        .split_range_by_tablets(table, &all, 2.try_into().ok())
        .await
        .unwrap();
    assert!(ranges.len() <= 2, "{ranges:?}");
    let two = Range::rows(Some("d".into()), Some("n".into()));
    let ranges = tables
        .split_range_by_tablets(table, &two, None)
        .await
        .unwrap();
    assert_eq!(ranges.len(), 3, "{ranges:?}");

    tables.merge(table, Some(b"c"), Some(b"m")).await.unwrap();
    assert_eq!(splits(&ground).await, ["c", "m", "t"]);
    tables.merge(table, None, None).await.unwrap();
    assert_eq!(splits(&ground).await, [] as [String; 0]);
    ground.end().await;
}

async fn splits(ground: &Ground) -> Vec<String> {
    let splits = ground
        .client
        .table_operations()
        .list_splits(&ground.table, None)
        .await
        .unwrap();
    splits.iter().map(|split| text(split)).collect()
}

/// Returns the end rows of the tablets from the metadata.
async fn end_rows(ground: &Ground) -> Vec<String> {
    let id = ground.client.table_operations().id_map().await.unwrap()[&ground.table].clone();
    let (start, stop) = (
        Key::from_row(format!("{id};")),
        Key::from_row(format!("{id}<")),
    );
    let options = ScanOptions::default().range(Range::between(Some(start), Some(stop)));
    let entries = entries(&ground.client, "accumulo.metadata", &options).await;
    let rows: BTreeSet<_> = entries.iter().map(|entry| text(&entry.key.row)).collect();
    rows.iter()
        .map(|row| row.split_at(id.len() + 1).1.to_owned())
        .collect()
}

#[tokio::test]
async fn the_last_row_is_found_between_bounds() {
    let Some(ground) = Ground::new("max_row").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    assert_eq!(
        tables
            .max_row(table, None, Unbounded, Unbounded)
            .await
            .unwrap(),
        None
    );
    ground.put(&["a", "b", "c"]).await;
    let last = async |start, end| {
        let row = tables.max_row(table, None, start, end).await.unwrap();
        row.map(|row| text(&row)).unwrap_or_default()
    };
    assert_eq!(last(Unbounded, Unbounded).await, "c");
    assert_eq!(last(Unbounded, Excluded(b"c")).await, "b");
    assert_eq!(last(Included(b"b"), Included(b"b")).await, "b");
    assert_eq!(last(Excluded(b"c"), Unbounded).await, "");

    let secret = Mutation::new("d")
        .update(accumulo_proxy::ColumnUpdate::put("f", "q", "v").with_visibility("unheld"));
    ground
        .client
        .low_level()
        .update_and_flush(table, &[secret])
        .await
        .unwrap();
    let none = BTreeSet::new();
    let seen = tables
        .max_row(table, Some(&none), Unbounded, Unbounded)
        .await
        .unwrap();
    assert_eq!(seen, Some(Bytes::from("c")));
    ground.end().await;
}

#[tokio::test]
async fn rows_are_deleted_between_bounds_and_all_of_them_without() {
    let Some(ground) = Ground::new("delete_rows").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["a", "b", "c", "d"]).await;
    tables
        .delete_rows(table, Some(b"a"), Some(b"c"))
        .await
        .unwrap();
    assert_eq!(ground.rows().await, ["a", "d"]);
    tables.delete_rows(table, Some(b"a"), None).await.unwrap();
    assert_eq!(ground.rows().await, ["a"]);
    ground.put(&["b"]).await;
    tables.delete_rows(table, None, None).await.unwrap();
    assert_eq!(ground.rows().await, [] as [String; 0]);
    ground.end().await;
}

#[tokio::test]
async fn an_offline_table_cannot_be_read() {
    let Some(ground) = Ground::new("offline").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["a"]).await;
    tables.offline(table, true).await.unwrap();
    let low_level = ground.client.low_level();
    let error = match low_level
        .create_scanner(table, &ScanOptions::default())
        .await
    {
        Ok(scanner) => low_level.next_k(&scanner, 1).await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.reason().contains("offline"), "{error:?}");
    tables.online(table, true).await.unwrap();
    tables.clear_locator_cache(table).await.unwrap();
    assert_eq!(ground.rows().await, ["a"]);
    ground.end().await;
}

#[tokio::test]
async fn properties_are_set_and_removed() {
    let Some(ground) = Ground::new("properties").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let default = tables.properties(table).await.unwrap()["table.split.threshold"].clone();
    tables
        .set_property(table, "table.split.threshold", "123M")
        .await
        .unwrap();
    until("the property is set", async || {
        threshold(&ground).await == "123M"
    })
    .await;
    tables
        .remove_property(table, "table.split.threshold")
        .await
        .unwrap();
    until("the property is removed", async || {
        threshold(&ground).await == default
    })
    .await;
    tables
        .remove_property(table, "table.split.threshold")
        .await
        .unwrap();

    let error = tables
        .set_property(table, "no.such.property", "1")
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "setTableProperty"),
        "{error}"
    );
    ground.end().await;
}

async fn threshold(ground: &Ground) -> String {
    let properties = ground
        .client
        .table_operations()
        .properties(&ground.table)
        .await
        .unwrap();
    properties["table.split.threshold"].clone()
}

#[tokio::test]
async fn locality_groups_are_set_and_seen_in_the_properties() {
    let Some(ground) = Ground::new("groups").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let group = |families: &[&str]| families.iter().map(ToString::to_string).collect();
    let groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::from([
        ("g1".to_owned(), group(&["a", "b"])),
        ("g2".to_owned(), group(&["c"])),
    ]);
    tables.set_locality_groups(table, &groups).await.unwrap();
    until("the groups are set", async || {
        tables.locality_groups(table).await.unwrap() == groups
    })
    .await;
    let properties = tables.properties(table).await.unwrap();
    assert_eq!(properties["table.groups.enabled"], "g1,g2");
    tables
        .set_locality_groups(table, &BTreeMap::new())
        .await
        .unwrap();
    until("the groups are gone", async || {
        tables.locality_groups(table).await.unwrap().is_empty()
    })
    .await;
    ground.end().await;
}

#[tokio::test]
async fn a_constraint_rejects_violations_until_it_is_removed() {
    let Some(ground) = Ground::new("constraint").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let class = "org.apache.accumulo.core.constraints.NoDeleteConstraint";
    let number = tables.add_constraint(table, class).await.unwrap();
    assert_eq!(tables.constraints(table).await.unwrap()[class], number);
    let error = tables.add_constraint(table, class).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "addConstraint"),
        "{error}"
    );

    let delete = [Mutation::new("a").delete("f", "q")];
    let low_level = ground.client.low_level();
    until("the constraint is in force", async || {
        let Err(error) = low_level.update_and_flush(table, &delete).await else {
            return false;
        };
        assert_eq!(error.kind(), ErrorKind::MutationsRejected, "{error}");
        assert_eq!(error.call(), "updateAndFlush");
        assert!(
            error.reason().contains("constraint violations : 1"),
            "{error}"
        );
        true
    })
    .await;
    tables.remove_constraint(table, number).await.unwrap();
    assert!(!tables.constraints(table).await.unwrap().contains_key(class));
    until("the constraint is gone", async || {
        low_level.update_and_flush(table, &delete).await.is_ok()
    })
    .await;
    ground.end().await;
}

/// The trap of the class test: `RegexGroupBalancer` balances tables on these servers, but the
/// answer is no.
#[tokio::test]
async fn the_class_test_fails_for_a_class_that_cannot_be_instantiated() {
    let Some(ground) = Ground::new("classes").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    assert!(
        tables
            .test_class_load(table, TABLE_BALANCER, "java.lang.Object")
            .await
            .unwrap()
    );
    assert!(
        tables
            .test_class_load(table, TABLE_BALANCER, BALANCER)
            .await
            .unwrap()
    );
    assert!(
        !tables
            .test_class_load(table, GROUP_BALANCER, BALANCER)
            .await
            .unwrap()
    );
    assert!(
        !tables
            .test_class_load(table, "no.such.Class", "java.lang.Object")
            .await
            .unwrap()
    );
    ground.end().await;
}
