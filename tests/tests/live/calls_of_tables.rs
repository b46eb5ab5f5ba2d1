//! The calls of the proxy about tables: each is made on a real server, and its answer or its effect
//! is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::path::{Path, PathBuf};

use accumulo_proxy::{
    BatchScanOptions, BatchWriterOptions, CloneOptions, Compaction, CompactionPlan, Condition,
    ConditionalWriterOptions, ErrorKind, IteratorScope, IteratorSetting, Mutation, Plugin,
    ProxyClient, Range, Result, ScanOptions, TimeType,
};

use crate::cluster::client;
use crate::ground::{Ground, entries, fails, fresh_name, read, rows, text, until};

pub(crate) const GREP: &str = "org.apache.accumulo.core.iterators.user.GrepIterator";
pub(crate) const NO_DELETES: &str = "org.apache.accumulo.core.constraints.NoDeleteConstraint";
const REGEX: &str = "org.apache.accumulo.core.iterators.user.RegExFilter";
const EVERYTHING: &str = "org.apache.accumulo.tserver.compaction.EverythingCompactionStrategy";
const THRESHOLD: &str = "table.split.threshold";

pub(crate) fn grep(term: &str) -> IteratorSetting {
    IteratorSetting::new(30, "grep", GREP).option("term", term)
}

#[tokio::test]
async fn a_table_is_created_renamed_and_deleted() -> Result<()> {
    let Some(ground) = Ground::new("life").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    assert!(tables.exists(table).await? && tables.list().await?.contains(table));
    let id = tables.id_map().await?[table].clone();
    let again = tables.create(table, true, TimeType::Millis).await;
    let error = again.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TableExists);
    assert!(!error.may_have_taken_effect());
    let (address, reason) = (&ground.client.options().address, error.reason());
    let expected = format!("createTable of `{table}` at {address}: {reason}");
    assert_eq!(error.to_string(), expected);
    let refused = tables.create("no blanks", true, TimeType::Millis).await;
    fails(refused, ErrorKind::Accumulo, "createTable");

    let new_name = fresh_name("renamed");
    tables.rename(table, &new_name).await?;
    assert!(!tables.exists(table).await?);
    assert_eq!(tables.id_map().await?[&new_name], id);
    tables.delete(&new_name).await?;
    let gone = ErrorKind::TableNotFound;
    fails(tables.delete(&new_name).await, gone, "deleteTable");
    fails(tables.properties(&new_name).await, gone, "getTableProperties");
    let splits = tables.list_splits(&new_name, None).await;
    fails(splits, gone, "listSplits");
    let cleared = tables.clear_locator_cache(&new_name).await;
    fails(cleared, gone, "clearLocatorCache");
    Ok(())
}

#[tokio::test]
async fn reads_and_writes_of_a_missing_table_do_nothing() {
    const MISSING: &str = "no_such_table";
    let Some(client) = client().await else { return };
    let put = || Mutation::new("r").put("f", "q", "v");
    let batch_writer = client.batch_writer(MISSING, BatchWriterOptions::default());
    batch_writer.add(put()).await.unwrap();
    let conditional = client.conditional_writer(MISSING, ConditionalWriterOptions::default());
    let create = put().when([Condition::absent("f", "q")]);
    let errors = [
        client.write(MISSING, vec![put()]).await.unwrap_err(),
        conditional.write(create).await.unwrap_err(),
        batch_writer.close().await.unwrap_err(),
        read(client.scanner(MISSING, ScanOptions::default())).await.unwrap_err(),
        read(client.batch_scanner(MISSING, BatchScanOptions::over([Range::all()])))
            .await
            .unwrap_err(),
    ];
    assert!(errors.iter().all(|error| error.kind() == ErrorKind::TableNotFound), "{errors:?}");
    assert!(errors[..2].iter().all(|error| !error.may_have_taken_effect()), "{errors:?}");
}

#[tokio::test]
async fn a_table_without_versioning_keeps_every_version() -> Result<()> {
    let Some(ground) = Ground::new("versions").await else { return Ok(()) };
    let (tables, every) = (ground.client.table_operations(), fresh_name("every"));
    tables.create(&every, false, TimeType::Logical).await?;
    let low_level = ground.client.low_level();
    for (table, value) in [(&ground.table, "1"), (&ground.table, "2"), (&every, "1"), (&every, "2")]
    {
        let mutation = Mutation::new("r").put("f", "q", value);
        low_level.update_and_flush(table, &[mutation]).await?;
    }
    let all = ScanOptions::default();
    assert_eq!(entries(&ground.client, &ground.table, &all).await.len(), 1);
    let both = entries(&ground.client, &every, &all).await;
    assert_eq!(both.len(), 2);
    // A logical clock counts.
    assert!(both.iter().all(|entry| entry.key.timestamp < 1000), "{both:?}");
    tables.delete(&every).await?;
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn split_points_and_rows_are_found_and_removed_between_bounds() -> Result<()> {
    let Some(ground) = Ground::new("splits").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let splits = async || {
        let splits = tables.list_splits(table, None).await.unwrap();
        splits.iter().map(|split| text(split)).collect::<Vec<_>>()
    };
    tables.add_splits(table, ["c", "f", "m", "t"]).await?;
    tables.add_splits(table, ["c"]).await?;
    assert_eq!(splits().await, ["c", "f", "m", "t"]);
    assert!(tables.list_splits(table, Some(2)).await?.len() <= 2);
    let two = Range::rows(Some("d".into()), Some("n".into()));
    for (range, most, expected) in
        [(Range::all(), None, 5), (Range::all(), 2.try_into().ok(), 2), (two, None, 3)]
    {
        let ranges = tables.split_range_by_tablets(table, &range, most).await?;
        assert!(ranges.len() <= expected, "{ranges:?}");
        assert!(most.is_some() || ranges.len() == expected, "{ranges:?}");
    }
    tables.merge(table, Some(b"c"), Some(b"m")).await?;
    assert_eq!(splits().await, ["c", "m", "t"]);
    tables.merge(table, None, None).await?;
    assert_eq!(splits().await, [""; 0]);

    assert_eq!(tables.max_row(table, None, Unbounded, Unbounded).await?, None);
    ground.put(&["a", "b", "c", "d"]).await;
    for (start, end, expected) in [
        (Unbounded, Unbounded, Some("d")),
        (Unbounded, Excluded(&b"c"[..]), Some("b")),
        (Included(&b"b"[..]), Included(b"b"), Some("b")),
        (Excluded(b"d"), Unbounded, None),
    ] {
        let last = tables.max_row(table, Some(&BTreeSet::new()), start, end).await?;
        assert_eq!(last.as_deref().map(text).as_deref(), expected);
    }
    tables.delete_rows(table, Some(b"a"), Some(b"c")).await?;
    assert_eq!(ground.rows().await, ["a", "d"]);
    tables.delete_rows(table, Some(b"a"), None).await?;
    assert_eq!(ground.rows().await, ["a"]);
    tables.delete_rows(table, None, None).await?;
    assert_eq!(ground.rows().await, [""; 0]);
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn properties_and_groups_are_set_and_removed() -> Result<()> {
    let Some(ground) = Ground::new("properties").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let threshold = async || tables.properties(table).await.unwrap()[THRESHOLD].clone();
    let default = threshold().await;
    tables.set_property(table, THRESHOLD, "123M").await?;
    until("the property is set", async || threshold().await == "123M").await;
    // The second removal finds nothing to remove.
    for _ in 0..2 {
        tables.remove_property(table, THRESHOLD).await?;
    }
    until("it is removed", async || threshold().await == default).await;
    let refused = tables.set_property(table, "no.such.property", "1").await;
    fails(refused, ErrorKind::Accumulo, "setTableProperty");

    let group = |families: &[&str]| families.iter().map(ToString::to_string).collect();
    let groups: BTreeMap<String, BTreeSet<String>> =
        [("g1".to_owned(), group(&["a", "b"])), ("g2".to_owned(), group(&["c"]))].into();
    for groups in [groups, BTreeMap::new()] {
        tables.set_locality_groups(table, &groups).await?;
        until("the groups are set", async || {
            tables.locality_groups(table).await.unwrap() == groups
        })
        .await;
    }
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn a_constraint_rejects_violations_until_it_is_removed() -> Result<()> {
    let Some(ground) = Ground::new("constraint").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    let number = tables.add_constraint(table, NO_DELETES).await?;
    assert_eq!(tables.constraints(table).await?[NO_DELETES], number);
    let again = tables.add_constraint(table, NO_DELETES).await;
    fails(again, ErrorKind::Accumulo, "addConstraint");
    let delete = [Mutation::new("a").delete("f", "q")];
    let low_level = ground.client.low_level();
    until("the constraint is in force", async || {
        let Err(error) = low_level.update_and_flush(table, &delete).await else { return false };
        let reason = fails(Err::<(), _>(error), ErrorKind::MutationsRejected, "updateAndFlush");
        assert!(reason.contains("constraint violations : 1"), "{reason}");
        true
    })
    .await;
    tables.remove_constraint(table, number).await?;
    assert!(!tables.constraints(table).await?.contains_key(NO_DELETES));
    ground.end().await;
    Ok(())
}

/// The trap of the class test: `RegexGroupBalancer` balances tables on these servers, but the
/// answer is no, because its constructor takes arguments.
#[tokio::test]
async fn the_class_test_fails_for_a_class_that_cannot_be_instantiated() -> Result<()> {
    let Some(ground) = Ground::new("classes").await else { return Ok(()) };
    let tables = ground.client.table_operations();
    let package = "org.apache.accumulo.server.master.balancer";
    let balancer = format!("{package}.TabletBalancer");
    for (class, as_type, expected) in [
        ("TableLoadBalancer", "java.lang.Object", true),
        ("TableLoadBalancer", &balancer, true),
        ("RegexGroupBalancer", &balancer, false),
        ("NoSuchBalancer", "java.lang.Object", false),
    ] {
        let class = format!("{package}.{class}");
        let loads = tables.test_class_load(&ground.table, &class, as_type).await?;
        assert_eq!(loads, expected, "{class}");
    }
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn an_attached_iterator_runs_in_scans_until_it_is_removed() -> Result<()> {
    let Some(ground) = Ground::new("iterator").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["keep-1", "drop-2"]).await;
    let (scan, setting) = ([IteratorScope::Scan], grep("keep"));
    tables.check_iterator_conflicts(table, &setting, &scan).await?;
    tables.attach_iterator(table, &setting, &scan).await?;
    let found = tables.iterator(table, "grep", IteratorScope::Scan).await?;
    assert_eq!(found, Some(setting));
    let compaction = IteratorScope::MajorCompaction;
    assert_eq!(tables.iterator(table, "grep", compaction).await?, None);
    let iterators = tables.iterators(table).await?;
    assert_eq!(iterators["grep"], BTreeSet::from(scan));
    // The iterator that keeps one version of each column.
    assert_eq!(iterators["vers"], BTreeSet::from(IteratorScope::ALL));
    until("the iterator runs", async || ground.rows().await == ["keep-1"]).await;

    let checked = tables.check_iterator_conflicts(table, &grep("other"), &scan).await;
    let reason = fails(checked, ErrorKind::Accumulo, "checkIteratorConflicts");
    assert!(reason.contains("conflict"), "{reason}");
    let attached = tables.attach_iterator(table, &grep("other"), &scan).await;
    fails(attached, ErrorKind::Accumulo, "attachIterator");
    tables.remove_iterator(table, "grep", &scan).await?;
    assert!(!tables.iterators(table).await?.contains_key("grep"));
    until("the iterator is gone", async || ground.rows().await.len() == 2).await;
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn a_flush_makes_files_and_a_compaction_drops_entries() -> Result<()> {
    let Some(ground) = Ground::new("compact").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["keep-1", "drop-2", "keep-3"]).await;
    assert_eq!(tables.disk_usage([table]).await?[0].bytes, 0);
    tables.flush(table, None, None, true).await?;
    until("the files are counted", async || tables.disk_usage([table]).await.unwrap()[0].bytes > 0)
        .await;
    let compaction = Compaction::default().iterator(grep("keep"));
    tables.compact(table, compaction).await?;
    assert_eq!(ground.rows().await, ["keep-1", "keep-3"]);
    // Only tablets with rows after the start are compacted.
    tables.add_splits(table, ["keep-2"]).await?;
    let compaction = Compaction::default().rows(Some("keep-2"), None::<&str>);
    tables.compact(table, compaction.iterator(grep("nothing"))).await?;
    assert_eq!(ground.rows().await, ["keep-1"]);

    let plan = CompactionPlan::Strategy(Plugin::new(EVERYTHING));
    tables.compact(table, Compaction::default().plan(plan)).await?;
    assert_eq!(ground.rows().await, ["keep-1"]);
    let plan = CompactionPlan::Plugins { selector: Some(Plugin::new("any")), configurer: None };
    let refused = tables.compact(table, Compaction::default().plan(plan)).await;
    fails(refused, ErrorKind::Invalid, "compactTable");
    ground.end().await;
    Ok(())
}

#[tokio::test]
async fn a_compaction_is_listed_and_cancelled() -> Result<()> {
    let Some(ground) = Ground::new("cancel").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.clone());
    // The filter accepts every entry after a tenth of a second, in which its pattern finds no
    // match. Between two entries a server checks whether it must stop.
    let value = "x".repeat(22);
    let rows = (0..300).map(|row| Mutation::new(format!("{row:03}")).put("f", "q", value.clone()));
    let rows: Vec<_> = rows.collect();
    ground.client.low_level().update_and_flush(&table, &rows).await?;
    tables.flush(&table, None, None, true).await?;
    let filter = IteratorSetting::new(40, "slow", REGEX).option("valueRegex", r"(x+x+)+\1y");
    let compaction = Compaction::default().iterator(filter.option("negate", "true"));
    let id = tables.id_map().await?[&table].clone();
    let client = ground.client.clone();
    let compacting =
        tokio::spawn(async move { client.table_operations().compact(&table, compaction).await });
    until("it runs", async || is_compacted(&ground.client, &id).await).await;
    tables.cancel_compaction(&ground.table).await?;
    let cancelled = compacting.await.unwrap();
    let reason = fails(cancelled, ErrorKind::Accumulo, "compactTable");
    assert!(reason.to_lowercase().contains("cancel"), "{reason}");
    until("it ends", async || !is_compacted(&ground.client, &id).await).await;
    assert_eq!(ground.rows().await.len(), 300);
    ground.end().await;
    Ok(())
}

async fn is_compacted(client: &ProxyClient, table_id: &str) -> bool {
    let instance = client.instance_operations();
    for server in instance.tablet_servers().await.unwrap() {
        for compaction in instance.active_compactions(&server).await.unwrap() {
            if compaction.extent.as_ref().unwrap().table_id == table_id {
                assert!(!compaction.input_files.is_empty(), "{compaction:?}");
                let mut iterators = compaction.iterators.iter();
                assert!(iterators.any(|iterator| iterator.name == "slow"));
                return true;
            }
        }
    }
    false
}

#[tokio::test]
async fn a_table_is_cloned_exported_and_imported() -> Result<()> {
    let Some(ground) = Ground::new("copies").await else { return Ok(()) };
    let (tables, table) = (ground.client.table_operations(), ground.table.as_str());
    ground.put(&["a", "b"]).await;
    tables.set_property(table, "table.custom.left", "out").await?;
    let mut options = CloneOptions::default();
    let set = ("table.custom.origin".to_owned(), table.to_owned());
    options.set.extend([set]);
    options.exclude.insert("table.custom.left".to_owned());
    let clone = fresh_name("cloned");
    tables.clone_table(table, &clone, options.clone()).await?;
    assert_eq!(rows(&ground.client, &clone).await, ["a", "b"]);
    let properties = tables.properties(&clone).await?;
    assert_eq!(properties["table.custom.origin"], table);
    assert!(!properties.contains_key("table.custom.left"));
    let again = tables.clone_table(table, &clone, options).await;
    fails(again, ErrorKind::TableExists, "cloneTable");
    tables.delete(&clone).await?;

    let folder = tempfile::tempdir().unwrap();
    let [export, bulk, failures] =
        ["export", "bulk", "failures"].map(|name| folder.path().join(name));
    tables.flush(table, None, None, true).await?;
    let online = tables.export_table(table, path(&export)).await;
    fails(online, ErrorKind::Accumulo, "exportTable");
    tables.offline(table, true).await?;
    let low_level = ground.client.low_level();
    let read = match low_level.create_scanner(table, &ScanOptions::default()).await {
        Ok(scanner) => low_level.next_k(&scanner, 1).await.map(drop),
        Err(error) => Err(error),
    };
    let error = read.unwrap_err();
    assert!(error.reason().contains("offline"), "{error:?}");
    tables.export_table(table, path(&export)).await?;
    for folder in [&bulk, &failures] {
        fs::create_dir(folder).unwrap();
    }
    for file in exported_files(&export) {
        let name = file.file_name().unwrap();
        fs::copy(&file, export.join(name)).unwrap();
        fs::copy(&file, bulk.join(name)).unwrap();
    }
    let [imported, bulk_table] = ["imported", "bulk"].map(fresh_name);
    tables.import_table(&imported, path(&export)).await?;
    tables.create(&bulk_table, true, TimeType::Millis).await?;
    let bulk = tables.import_directory(&bulk_table, path(&bulk), path(&failures), false);
    bulk.await?;
    for copy in [imported, bulk_table] {
        assert_eq!(rows(&ground.client, &copy).await, ["a", "b"]);
        tables.delete(&copy).await?;
    }
    tables.online(table, true).await?;
    tables.clear_locator_cache(table).await?;
    assert_eq!(ground.rows().await, ["a", "b"]);
    ground.end().await;
    Ok(())
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the data files that an export lists.
fn exported_files(export: &Path) -> Vec<PathBuf> {
    let list = fs::read_to_string(export.join("distcp.txt")).unwrap();
    let files = list.lines().map(|line| PathBuf::from(line.trim_start_matches("file:")));
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rf")).collect()
}
