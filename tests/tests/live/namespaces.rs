//! Operations on namespaces, each checked by another call.

use std::collections::BTreeSet;

use accumulo_proxy::{ErrorKind, IteratorScope, IteratorSetting, Mutation, ProxyClient, TimeType};

use crate::cluster::client;
use crate::ground::{fresh_name, rows, until};

/// A namespace with one table.
struct Inhabited {
    client: ProxyClient,
    namespace: String,
    table: String,
}

impl Inhabited {
    async fn new() -> Option<Self> {
        let client = client().await?;
        let namespace = fresh_name("space");
        client
            .namespace_operations()
            .create(&namespace)
            .await
            .unwrap();
        let table = format!("{namespace}.t");
        client
            .table_operations()
            .create(&table, true, TimeType::Millis)
            .await
            .unwrap();
        Some(Self {
            client,
            namespace,
            table,
        })
    }

    async fn end(self) {
        self.client
            .table_operations()
            .delete(&self.table)
            .await
            .unwrap();
        self.client
            .namespace_operations()
            .delete(&self.namespace)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_namespace_is_created_renamed_and_deleted() {
    let Some(client) = client().await else { return };
    let (namespaces, tables) = (client.namespace_operations(), client.table_operations());
    let name = fresh_name("life");
    assert!(!namespaces.exists(&name).await.unwrap());
    namespaces.create(&name).await.unwrap();
    assert!(namespaces.exists(&name).await.unwrap());
    assert!(namespaces.list().await.unwrap().contains(&name));
    let id = namespaces.id_map().await.unwrap()[&name].clone();
    let error = namespaces.create(&name).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::NamespaceExists, "createNamespace")
    );
    assert!(error.reason().contains("exists"), "{error}");

    tables
        .create(&format!("{name}.t"), true, TimeType::Millis)
        .await
        .unwrap();
    let new_name = fresh_name("renamed");
    namespaces.rename(&name, &new_name).await.unwrap();
    assert_eq!(namespaces.id_map().await.unwrap()[&new_name], id);
    let table = format!("{new_name}.t");
    assert!(tables.exists(&table).await.unwrap());

    let error = namespaces.delete(&new_name).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::NamespaceNotEmpty, "deleteNamespace")
    );
    assert_eq!(error.subject(), Some(new_name.as_str()));
    assert!(error.reason().contains("not empty"), "{error}");
    tables.delete(&table).await.unwrap();
    namespaces.delete(&new_name).await.unwrap();
    let error = namespaces.delete(&new_name).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::NamespaceNotFound, "deleteNamespace")
    );
    assert!(error.reason().contains("does not exist"), "{error}");
}

#[tokio::test]
async fn a_table_needs_its_namespace() {
    let Some(client) = client().await else { return };
    let table = format!("{}.t", fresh_name("nowhere"));
    let error = client
        .table_operations()
        .create(&table, true, TimeType::Millis)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "createTable"),
        "{error}"
    );
    assert_eq!(
        error.reason(),
        "Cannot create table in non-existent namespace"
    );
}

#[tokio::test]
async fn every_instance_has_two_predefined_namespaces() {
    let Some(client) = client().await else { return };
    let namespaces = client.namespace_operations();
    assert_eq!(namespaces.system_namespace().await.unwrap(), "accumulo");
    assert_eq!(namespaces.default_namespace().await.unwrap(), "");
    let all = namespaces.list().await.unwrap();
    assert!(all.contains("accumulo") && all.contains(""), "{all:?}");
}

#[tokio::test]
async fn a_property_of_a_namespace_holds_for_its_tables() {
    let Some(place) = Inhabited::new().await else {
        return;
    };
    let (namespaces, tables) = (
        place.client.namespace_operations(),
        place.client.table_operations(),
    );
    namespaces
        .set_property(&place.namespace, "table.custom.from", "above")
        .await
        .unwrap();
    until("the table has the property", async || {
        let properties = tables.properties(&place.table).await.unwrap();
        properties
            .get("table.custom.from")
            .is_some_and(|value| value == "above")
    })
    .await;
    let properties = namespaces.properties(&place.namespace).await.unwrap();
    assert_eq!(properties["table.custom.from"], "above");
    namespaces
        .remove_property(&place.namespace, "table.custom.from")
        .await
        .unwrap();
    until("the table no longer has the property", async || {
        !tables
            .properties(&place.table)
            .await
            .unwrap()
            .contains_key("table.custom.from")
    })
    .await;
    place.end().await;
}

#[tokio::test]
async fn an_iterator_of_a_namespace_runs_in_its_tables() {
    let Some(place) = Inhabited::new().await else {
        return;
    };
    let namespaces = place.client.namespace_operations();
    let written = ["keep-1", "drop-2"].map(|row| Mutation::new(row).put("f", "q", "v"));
    place
        .client
        .low_level()
        .update_and_flush(&place.table, &written)
        .await
        .unwrap();
    let grep = IteratorSetting::new(
        30,
        "grep",
        "org.apache.accumulo.core.iterators.user.GrepIterator",
    )
    .option("term", "keep");
    let scan = [IteratorScope::Scan];
    namespaces
        .check_iterator_conflicts(&place.namespace, &grep, &scan)
        .await
        .unwrap();
    namespaces
        .attach_iterator(&place.namespace, &grep, &scan)
        .await
        .unwrap();
    let iterators = namespaces.iterators(&place.namespace).await.unwrap();
    assert_eq!(iterators["grep"], BTreeSet::from(scan));
    let setting = namespaces
        .iterator(&place.namespace, "grep", IteratorScope::Scan)
        .await
        .unwrap();
    assert_eq!(setting, Some(grep.clone()));
    let other = namespaces
        .iterator(&place.namespace, "other", IteratorScope::Scan)
        .await
        .unwrap();
    assert_eq!(other, None);
    until("the iterator runs", async || {
        rows(&place.client, &place.table).await == ["keep-1"]
    })
    .await;

    let checked = namespaces
        .check_iterator_conflicts(&place.namespace, &grep, &scan)
        .await;
    assert_eq!(checked.unwrap_err().kind(), ErrorKind::Accumulo);
    namespaces
        .remove_iterator(&place.namespace, "grep", &scan)
        .await
        .unwrap();
    until("the iterator is gone", async || {
        rows(&place.client, &place.table).await.len() == 2
    })
    .await;
    place.end().await;
}

#[tokio::test]
async fn a_constraint_of_a_namespace_holds_for_its_tables() {
    let Some(place) = Inhabited::new().await else {
        return;
    };
    let namespaces = place.client.namespace_operations();
    let class = "org.apache.accumulo.core.constraints.NoDeleteConstraint";
    let number = namespaces
        .add_constraint(&place.namespace, class)
        .await
        .unwrap();
    assert_eq!(
        namespaces.constraints(&place.namespace).await.unwrap()[class],
        number
    );
    // The table was created with a constraint of the same number, which overrides that of the
    // namespace.
    let tables = place.client.table_operations();
    assert_eq!(number, 1);
    assert_ne!(
        tables.constraints(&place.table).await.unwrap().get(class),
        Some(&1)
    );
    tables.remove_constraint(&place.table, 1).await.unwrap();
    assert_eq!(tables.constraints(&place.table).await.unwrap()[class], 1);
    let low_level = place.client.low_level();
    let delete = [Mutation::new("a").delete("f", "q")];
    until("the constraint is in force", async || {
        let written = low_level.update_and_flush(&place.table, &delete).await;
        written.is_err_and(|error| error.kind() == ErrorKind::MutationsRejected)
    })
    .await;
    namespaces
        .remove_constraint(&place.namespace, number)
        .await
        .unwrap();
    assert!(
        !namespaces
            .constraints(&place.namespace)
            .await
            .unwrap()
            .contains_key(class)
    );
    place.end().await;
}

#[tokio::test]
async fn checks_whether_a_namespace_loads_a_class() {
    let Some(place) = Inhabited::new().await else {
        return;
    };
    let namespaces = place.client.namespace_operations();
    let grep = "org.apache.accumulo.core.iterators.user.GrepIterator";
    let iterator = "org.apache.accumulo.core.iterators.SortedKeyValueIterator";
    assert!(
        namespaces
            .test_class_load(&place.namespace, grep, iterator)
            .await
            .unwrap()
    );
    assert!(
        !namespaces
            .test_class_load(&place.namespace, "no.Such", iterator)
            .await
            .unwrap()
    );
    place.end().await;
}
