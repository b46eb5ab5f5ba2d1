//! A9 and A10: properties, and the classes that the servers can load.

use std::sync::Arc;

use fluo_table::balancer::group_balancers;
use fluo_table::table::property;
use fluo_table::{ErrorKind, Garbage, LocalityGroups, Mutation, Span, TableAdmin, Versions};

use super::ground::{CUSTOM, Ground, assert_kind, cell, column};

/// Checks A9: setting, replacing or removing a property takes effect for the next call.
pub async fn a9_a_property_takes_effect_at_once(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let other = Ground::new(&tables, Versions::default()).await;
    let inherited = tables.inherited_properties(&ground.name).await.unwrap();
    assert!(!inherited.contains_key(CUSTOM));
    let before = tables.properties(&ground.name).await.unwrap();
    assert_eq!(Versions::for_scan(&before), Versions::default());
    let values =
        ["v", "a = b, c", r"(\Qp:\E|\Qm1:\E[du]:).*", "\u{e9}\u{1f600}", "x".repeat(3_000).leak()];
    for value in values {
        tables.set_property(&ground.name, CUSTOM, value).await.unwrap();
        let mut expected = before.clone();
        expected.insert(CUSTOM.to_owned(), value.to_owned());
        assert_eq!(tables.properties(&ground.name).await.unwrap(), expected);
    }
    assert_eq!(tables.properties(&other.name).await.unwrap(), before, "of another table");
    let unchanged = tables.inherited_properties(&ground.name).await.unwrap();
    assert_eq!(unchanged, inherited, "by a property of the table itself");
    tables.remove_property(&ground.name, CUSTOM).await.unwrap();
    assert_eq!(tables.properties(&ground.name).await.unwrap(), before);

    let groups = LocalityGroups::default().with("one", ["f", "a,b", "\\"]).with("two", ["g"]);
    tables.set_locality_groups(&ground.name, &groups).await.unwrap();
    assert_eq!(tables.locality_groups(&ground.name).await.unwrap(), groups);
    other.end().await;
}

/// Checks A9: changes of properties are made in order, up to the first one that fails.
pub async fn a9_changes_of_properties_end_at_the_first_error(tables: Arc<dyn TableAdmin>) {
    const OTHER: &str = "table.custom.other";
    let ground = Ground::new(&tables, Versions::default()).await;
    let before = tables.properties(&ground.name).await.unwrap();
    let change = async |changes: &[(&str, Option<&str>)]| {
        let changed = tables.change_properties(&ground.name, changes).await;
        let mut shown = tables.properties(&ground.name).await.unwrap();
        shown.retain(|name, value| before.get(name) != Some(value));
        let shown: Vec<_> = shown.into_iter().collect();
        (changed.map_err(|(index, error)| (index, error.kind())), shown)
    };
    let shown = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(change(&[]).await, (Ok(()), vec![]));
    let changes = [(CUSTOM, Some("a")), (OTHER, Some("b")), (CUSTOM, Some("c"))];
    let expected = vec![shown(CUSTOM, "c"), shown(OTHER, "b")];
    assert_eq!(change(&changes).await, (Ok(()), expected));
    let changes = [(OTHER, None), (CUSTOM, Some("d"))];
    assert_eq!(change(&changes).await, (Ok(()), vec![shown(CUSTOM, "d")]));

    let changes = [(CUSTOM, None), (OTHER, Some("e")), ("no", None), (CUSTOM, Some("f"))];
    let expected = Err((2, ErrorKind::Invalid));
    assert_eq!(change(&changes).await, (expected, vec![shown(OTHER, "e")]));
    let changed = tables.change_properties("no_such_table", &changes).await;
    let (index, error) = changed.unwrap_err();
    assert_eq!((index, error.kind()), (0, ErrorKind::NotFound));
    assert!(tables.change_properties("no_such_table", &[]).await.is_ok());
}

/// Checks A9: every call except creation and deletion may be repeated.
pub async fn a9_a_call_may_be_repeated(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let name = &ground.name;
    let row = Mutation::new("r").put_at(column("q"), 1, "v");
    ground.write(vec![row]).await;
    for _ in 0..3 {
        ground.add_splits(["b", "d", "f"]).await;
    }
    for _ in 0..3 {
        tables.merge(name, Some(b"b"), Some(b"f")).await.unwrap();
        tables.set_property(name, CUSTOM, "v").await.unwrap();
        tables.flush(name).await.unwrap();
        tables.compact(name, &Span::all(), Garbage::Keep).await.unwrap();
    }
    assert_eq!(ground.splits().await, ["b", "f"]);
    assert_eq!(tables.properties(name).await.unwrap().get(CUSTOM).unwrap(), "v");
    for _ in 0..3 {
        tables.remove_property(name, CUSTOM).await.unwrap();
        tables.remove_property(name, "table.custom.never.set").await.unwrap();
    }
    assert!(!tables.properties(name).await.unwrap().contains_key(CUSTOM));
    assert_eq!(ground.all().await, [cell("r", "q", 1, "v")]);
}

/// Checks A10: a name that is not that of a table property is rejected.
pub async fn a10_an_invalid_property_name_is_rejected(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let before = tables.properties(&ground.name).await.unwrap();
    for wrong in ["", "table.", "custom", "tserver.port", "table.custom.a b", "table.custom.a=b"] {
        assert!(property::check(wrong).is_err());
        let set = tables.set_property(&ground.name, wrong, "v").await;
        assert_kind(set, ErrorKind::Invalid, &format!("set_property({wrong:?})"));
        let removed = tables.remove_property(&ground.name, wrong).await;
        assert_kind(removed, ErrorKind::Invalid, &format!("remove_property({wrong:?})"));
    }
    assert_eq!(tables.properties(&ground.name).await.unwrap(), before);
}

/// Checks A10: the servers report which package of balancers they have, and load no class that does
/// not exist.
pub async fn a10_the_servers_load_only_existing_classes(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let can_load = async |class: &str| {
        let as_object = tables.can_load(&ground.name, class, "java.lang.Object");
        as_object.await.unwrap()
    };
    assert!(!can_load("org.example.NoSuchBalancer").await);
    assert!(!can_load("").await);
    let mut packages = 0;
    for (probe, balancer) in group_balancers() {
        assert!(!can_load(&balancer).await, "it has no constructor without arguments");
        packages += usize::from(can_load(&probe).await);
    }
    assert!(packages > 0, "no package of balancers loads");
}

/// Checks A13: servers that load no jars refuse a class path. All others have it until its removal.
pub async fn a13_a_class_path_is_set_or_refused(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let (name, jars) = (ground.name.as_str(), "file:///none/a.jar,file:///none/b.jar");
    let found = tables.class_path(name).await;
    assert_eq!(found.unwrap(), None);
    let Err(refused) = tables.set_class_path(name, Some(jars)).await else {
        assert_eq!(tables.class_path(name).await.unwrap().as_deref(), Some(jars));
        tables.set_class_path(name, None).await.unwrap();
        assert_eq!(tables.class_path(name).await.unwrap(), None);
        return;
    };
    assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");
    assert_eq!(tables.class_path(name).await.unwrap(), None);
}
