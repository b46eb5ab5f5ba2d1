//! Files of tables: flushes, compactions, clones, exports and imports.

use std::fs;
use std::path::{Path, PathBuf};

use accumulo_proxy::{
    CloneOptions, Compaction, CompactionPlan, ErrorKind, IteratorSetting, Plugin, TimeType,
};

use crate::ground::{Ground, fresh_name, rows, until};

#[tokio::test]
async fn a_flush_makes_files_and_a_compaction_drops_entries() {
    let Some(ground) = Ground::new("compact").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["keep-1", "drop-2", "keep-3"]).await;
    assert_eq!(usage(&ground).await, 0);
    tables.flush(table, None, None, true).await.unwrap();
    until("the files are counted", async || usage(&ground).await > 0).await;

    let grep = IteratorSetting::new(
        30,
        "grep",
        "org.apache.accumulo.core.iterators.user.GrepIterator",
    );
    let compaction = Compaction::default().iterator(grep.option("term", "keep"));
    tables.compact(table, compaction).await.unwrap();
    assert_eq!(ground.rows().await, ["keep-1", "keep-3"]);

    // Only tablets with rows after the start are compacted.
    tables.add_splits(table, ["keep-2"]).await.unwrap();
    let grep = IteratorSetting::new(
        30,
        "grep",
        "org.apache.accumulo.core.iterators.user.GrepIterator",
    );
    let compaction = Compaction::default().rows(Some("keep-2"), None::<&str>);
    tables
        .compact(table, compaction.iterator(grep.option("term", "nothing")))
        .await
        .unwrap();
    assert_eq!(ground.rows().await, ["keep-1"]);
    ground.end().await;
}

async fn usage(ground: &Ground) -> i64 {
    let usage = ground
        .client
        .table_operations()
        .disk_usage([&ground.table])
        .await
        .unwrap();
    assert_eq!(usage.len(), 1, "{usage:?}");
    assert_eq!(usage[0].tables, [ground.table.as_str()]);
    usage[0].bytes
}

#[tokio::test]
async fn a_compaction_accepts_a_strategy_and_no_plan_of_another_version() {
    let Some(ground) = Ground::new("plan").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["a"]).await;
    let strategy =
        Plugin::new("org.apache.accumulo.tserver.compaction.EverythingCompactionStrategy");
    let compaction = Compaction::default().plan(CompactionPlan::Strategy(strategy));
    tables.compact(table, compaction).await.unwrap();
    assert_eq!(ground.rows().await, ["a"]);

    let plan = CompactionPlan::Plugins {
        selector: Some(Plugin::new("any")),
        configurer: None,
    };
    let error = tables
        .compact(table, Compaction::default().plan(plan))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Invalid, "compactTable")
    );
    assert_eq!(error.subject(), Some(table));
    ground.end().await;
}

#[tokio::test]
async fn a_clone_has_the_data_and_the_requested_properties() {
    let Some(ground) = Ground::new("clone").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["a", "b"]).await;
    tables
        .set_property(table, "table.custom.left", "out")
        .await
        .unwrap();
    let mut options = CloneOptions::default();
    options
        .set
        .insert("table.custom.origin".to_owned(), table.to_owned());
    options.exclude.insert("table.custom.left".to_owned());
    let clone = fresh_name("cloned");
    tables
        .clone_table(table, &clone, options.clone())
        .await
        .unwrap();
    assert_eq!(rows(&ground.client, &clone).await, ["a", "b"]);
    let properties = tables.properties(&clone).await.unwrap();
    assert_eq!(properties["table.custom.origin"], table);
    assert!(!properties.contains_key("table.custom.left"));
    let error = tables
        .clone_table(table, &clone, options)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::TableExists, "cloneTable")
    );
    // The two tables share their files.
    let usage = tables.disk_usage([table, &clone]).await.unwrap();
    assert!(
        usage.iter().any(|usage| usage.tables.len() == 2),
        "{usage:?}"
    );
    tables.delete(&clone).await.unwrap();
    ground.end().await;
}

#[tokio::test]
async fn an_offline_table_is_exported_and_its_files_are_imported() {
    let Some(ground) = Ground::new("export").await else {
        return;
    };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let folder = tempfile::tempdir().unwrap();
    ground.put(&["a", "b"]).await;
    tables
        .set_property(table, "table.custom.kept", "yes")
        .await
        .unwrap();
    tables.flush(table, None, None, true).await.unwrap();

    let export = folder.path().join("export");
    let error = tables.export_table(table, path(&export)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.call()),
        (ErrorKind::Accumulo, "exportTable"),
        "{error}"
    );
    tables.offline(table, true).await.unwrap();
    tables.export_table(table, path(&export)).await.unwrap();
    let files = exported_files(&export);
    assert!(!files.is_empty());

    let bulk = folder.path().join("bulk");
    let failures = folder.path().join("failures");
    for folder in [&bulk, &failures] {
        fs::create_dir(folder).unwrap();
    }
    for file in &files {
        let name = file.file_name().unwrap();
        fs::copy(file, export.join(name)).unwrap();
        fs::copy(file, bulk.join(name)).unwrap();
    }
    let imported = fresh_name("imported");
    tables.import_table(&imported, path(&export)).await.unwrap();
    assert_eq!(rows(&ground.client, &imported).await, ["a", "b"]);
    assert_eq!(
        tables.properties(&imported).await.unwrap()["table.custom.kept"],
        "yes"
    );
    tables.delete(&imported).await.unwrap();

    tables.online(table, true).await.unwrap();
    assert_eq!(ground.rows().await, ["a", "b"]);

    let bulk_table = fresh_name("bulk");
    tables
        .create(&bulk_table, true, TimeType::Millis)
        .await
        .unwrap();
    tables
        .import_directory(&bulk_table, path(&bulk), path(&failures), false)
        .await
        .unwrap();
    assert_eq!(rows(&ground.client, &bulk_table).await, ["a", "b"]);
    assert_eq!(fs::read_dir(&failures).unwrap().count(), 0);
    tables.delete(&bulk_table).await.unwrap();
    ground.end().await;
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the data files that an export lists.
fn exported_files(export: &Path) -> Vec<PathBuf> {
    let list = fs::read_to_string(export.join("distcp.txt")).unwrap();
    let files = list
        .lines()
        .map(|line| PathBuf::from(line.trim_start_matches("file:")));
    files
        .filter(|file| file.extension().is_some_and(|extension| extension == "rf"))
        .collect()
}
