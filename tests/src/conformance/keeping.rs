//! A6 and A8: split points, properties and compactions leave the visible cells unchanged.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use fluo_table::balancer::group_balancers;
use fluo_table::table::property;
use fluo_table::{
    Cell, Column, ColumnSelector, Filter, Garbage, LocalityGroups, Mutation, Scan, Span,
    TableAdmin, Versions,
};

use super::ground::{CUSTOM, Ground, column, read};

/// Checks A6: split points, merges, locality groups, the balancer, and properties without an effect
/// on scans leave every scan unchanged.
pub async fn a6_split_points_and_properties_change_no_scan(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    write_variety(&ground).await;
    let before = every_look(&ground).await;
    let groups = LocalityGroups::default().with("one", ["f", "h"]).with("two", ["g"]);
    let other_groups = LocalityGroups::default().with("two", ["f"]);
    for step in 0..9 {
        match step {
            0 => ground.add_splits(["a", "m", "m\0"]).await,
            1 => tables.set_locality_groups(&ground.name, &groups).await.unwrap(),
            2 if tables.locality_groups(&ground.name).await.unwrap() != groups => {
                panic!("the locality groups do not read back")
            }
            2 => tables.flush(&ground.name).await.unwrap(),
            3 => tables.merge(&ground.name, Some(b"a"), None).await.unwrap(),
            4 => tables.set_locality_groups(&ground.name, &other_groups).await.unwrap(),
            5 => tables.set_property(&ground.name, CUSTOM, "v").await.unwrap(),
            6 => balance_by_groups(&ground).await,
            7 => tables.remove_property(&ground.name, property::BALANCER).await.unwrap(),
            _ => tables.merge(&ground.name, None, None).await.unwrap(),
        }
        assert!(every_look(&ground).await == before, "a scan changed at step {step}");
    }
}

async fn balance_by_groups(ground: &Ground) {
    let (tables, name) = (&ground.tables, &ground.name);
    tables.set_property(name, property::GROUP_PATTERN, "(.).*").await.unwrap();
    for (probe, balancer) in group_balancers() {
        if tables.can_load(name, &probe, "java.lang.Object").await.unwrap() {
            tables.set_property(name, property::BALANCER, &balancer).await.unwrap();
            return;
        }
    }
}

/// Checks A8: a compaction changes no scan of any handle.
pub async fn a8_a_compaction_changes_no_scan(tables: Arc<dyn TableAdmin>) {
    let two = Versions::Latest(NonZeroU32::new(2).unwrap());
    for versions in [Versions::All, Versions::default(), two] {
        let ground = Ground::new(&tables, versions).await;
        write_variety(&ground).await;
        let before = every_look(&ground).await;
        let spans =
            [Span::rows("a", Some("m".into())), Span::row("none"), Span::all(), Span::all()];
        for span in spans {
            tables.compact(&ground.name, &span, Garbage::Keep).await.unwrap();
            assert!(every_look(&ground).await == before, "{versions:?}: compaction of {span}");
        }
        ground.add_splits(["b", "n"]).await;
        tables.flush(&ground.name).await.unwrap();
        tables.compact(&ground.name, &Span::all(), Garbage::Keep).await.unwrap();
        assert!(every_look(&ground).await == before, "{versions:?}: compaction by tablet");
        ground.end().await;
    }
}

/// Checks A8: after a compaction a tablet still has an entry for each cell that some handle shows.
pub async fn a8_a_compaction_keeps_every_visible_cell(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let marked = column("q").with_visibility("A&B");
    ground.write(vec![Mutation::new("r").put_at(marked, 1, "v").put_at(column("q"), 1, "v")]).await;
    tables.flush(&ground.name).await.unwrap();
    tables.compact(&ground.name, &Span::all(), Garbage::Keep).await.unwrap();

    let seer = ground.reader(&["A", "B"]).await;
    assert_eq!(read(&*seer, Scan::over(Span::all())).await.len(), 2);
    let tablets = tables.tablets(&ground.name).await.unwrap();
    assert!(tablets.as_slice()[0].entries >= 2, "{tablets:?}");
}

async fn write_variety(ground: &Ground) {
    let marked = column("q").with_visibility("A");
    let mut mutations = Vec::new();
    for (n, row) in ["", "a", "a\0", "b", "m", "m\0", "n", "\u{ff}"].into_iter().enumerate() {
        let mut mutation = Mutation::new(row);
        for timestamp in [3, i64::MIN, 1, 2] {
            mutation = mutation
                .put_at(column("q"), timestamp, "v")
                .put_at(marked.clone(), timestamp, "marked")
                .put_at(Column::new("g", ""), timestamp, "v");
        }
        let deleted = [column("q"), marked.clone(), Column::new("g", "")][n % 3].clone();
        mutations
            .push(mutation.delete_at(deleted.clone(), [1, 3, 2][n % 3]).put_at(deleted, 9, "w"));
    }
    ground.write(mutations).await;
}

/// Returns the results of scans of several shapes, through a handle without authorizations and one
/// with authorizations.
async fn every_look(ground: &Ground) -> Vec<Vec<Cell>> {
    let over = || Scan::over(Span::all());
    let scans = [
        over(),
        over().filter(Filter::FirstOfRow),
        over().column(ColumnSelector::family("g")),
        over().column(ColumnSelector::qualifier("f", "q")).filter(Filter::FirstOfRow),
        over().batch_cells(NonZeroUsize::new(3).unwrap()),
        Scan::over_all([Span::row("m"), Span::prefix("a"), Span::cell("b", &column("q"))]),
    ];
    let mut looks = Vec::new();
    for reader in [ground.table.clone(), ground.reader(&["A"]).await] {
        for scan in &scans {
            looks.push(read(&*reader, scan.clone()).await);
        }
    }
    looks
}
