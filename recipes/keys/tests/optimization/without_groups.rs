//! Key designs whose rows have no common prefix: split points, no group, and the remains of earlier
//! groups.

use std::collections::BTreeMap;

use fluo_keys::{
    Difference, HashInput, KeyDesign, Modulo, Plan, TableOptimizations, TableRequirement, Verdict,
};
use fluo_table::table::property;
use fluo_table::{Authorizations, Bytes, Column, MemoryTables, Mutation, TableAdmin};

use crate::scene::{by_host, hashed, modulo, of};
use crate::servers::Servers;
use crate::{TABLE, assert_ordered, edited, group_balancer, sentences, steps, table};

const PRUNE: bool = true;
const KEEP: bool = false;

async fn applied(
    admin: &dyn TableAdmin,
    optimizations: &TableOptimizations,
    options: bool,
) -> Plan {
    let plan = optimizations.plan(admin, TABLE).prune(options).await.unwrap();
    plan.apply(admin).await.unwrap();
    plan
}

async fn verdict(admin: &dyn TableAdmin, optimizations: &TableOptimizations) -> Verdict {
    optimizations.verify(admin, TABLE).await.unwrap()
}

async fn write(admin: &dyn TableAdmin, rows: impl IntoIterator<Item = Bytes>) {
    let pages = admin.open_table(TABLE, Authorizations::none()).await.unwrap();
    let column = Column::new("page", "uri");
    let mutation = |row| Mutation::new(row).put(column.clone(), "");
    pages.write(rows.into_iter().map(mutation).collect()).await.unwrap();
}

async fn balancer_properties(tables: &MemoryTables) -> usize {
    let properties = tables.properties(TABLE).await.unwrap();
    properties.keys().filter(|name| name.contains("balancer")).count()
}

/// Returns a table that was once optimized for a row hasher.
async fn hashed_before() -> MemoryTables {
    let tables = table().await;
    applied(&tables, &hashed("0", 4), KEEP).await;
    tables
}

#[tokio::test]
async fn plans_applies_and_verifies_a_design() {
    let tables = table().await;
    let optimizations = of(&modulo(10), 10);
    let plan = applied(&tables, &optimizations, KEEP).await;
    assert!(plan.is_without_groups);
    assert_eq!(plan.group_pattern(), None);
    assert_eq!(steps(&plan), ["add 9 split points, `01` to `09`"]);
    assert_eq!(plan.groups[0].tablets, 10);
    assert_eq!(plan.groups[0].per_server, [5, 5]);
    assert_eq!(balancer_properties(&tables).await, 0);

    let rows = (0..2_000).map(|n| modulo(10).encode_row(format!("row {n}").as_bytes()).unwrap());
    write(&tables, rows).await;
    let told = verdict(&tables, &optimizations).await;
    assert!(told.ok, "{told}");
    assert!(told.properties.is_empty());
    let rows = &told.rows[0];
    assert_eq!((rows.load.total, rows.load.places), (2_000, 10));
    assert!(rows.chi_square.is_some() && rows.least > 0, "{rows:?}");

    write(&tables, [Bytes::from("07|polygenelubricants"), "zzz".into()]).await;
    let told = verdict(&tables, &optimizations).await;
    assert_eq!(
        sentences(&told),
        ["key design modulo: rows that are not its keys: 2, the first is `07|polygenelubricants`"]
    );
}

#[tokio::test]
async fn reports_rows_that_collapse_into_few_salts() {
    let tables = table().await;
    let design = KeyDesign::new(Modulo { of: HashInput::Number, ..Modulo::default() }).unwrap();
    let optimizations = of(&design, 5);
    applied(&tables, &optimizations, KEEP).await;
    // Even numbers leave half of the buckets empty. Five tablets of two buckets each do not show
    // that; multiples of five do.
    let keys = |step: u32| {
        let design = design.clone();
        (0..1_000).map(move |n| design.encode_row((n * step).to_string().as_bytes()).unwrap())
    };
    write(&tables, keys(2)).await;
    assert!(verdict(&tables, &optimizations).await.ok);
    write(&tables, keys(5)).await;
    let told = sentences(&verdict(&tables, &optimizations).await);
    let uneven = "key design modulo: its 1,800 rows are not spread evenly (p = ";
    assert!(told[0].starts_with(uneven), "{told:?}");
}

/// The hash is even, and one part has two thirds of the rows: only the maximum shows it.
#[tokio::test]
async fn compares_only_the_fullest_tablet_if_rows_share_a_salt() {
    let design = by_host(2);
    let optimizations = of(&design, 4);
    let tables = table().await;
    applied(&tables, &optimizations, KEEP).await;
    let small = (0..600).map(|n| format!("big-{n}/x"));
    let big = (0..1_200).map(|n| format!("big/{n}"));
    let key = |row: String| design.encode_row(row.as_bytes()).unwrap();
    write(&tables, small.chain(big).map(key)).await;
    let told = verdict(&tables, &optimizations).await;
    assert_eq!(told.rows[0].chi_square, None);
    let hot = "key design digest-salt: the last tablet on server-002 holds 1,360 of 1,800 rows, 3.02 times";
    assert!(sentences(&told)[0].starts_with(hot), "{told}");
}

#[tokio::test]
async fn given_split_points_have_no_expected_shares() {
    let tables = table().await;
    let design = modulo(10);
    let requirement = TableRequirement::for_key_design_at(&design, [Bytes::from("03|m")]).unwrap();
    let optimizations = TableOptimizations::from(requirement);
    applied(&tables, &optimizations, KEEP).await;
    assert_eq!(tables.splits(TABLE).await.unwrap(), ["03|m"]);
    let rows = (0..100).map(|n| design.encode_row(n.to_string().as_bytes()).unwrap());
    write(&tables, rows).await;
    let told = verdict(&tables, &optimizations).await;
    assert!(told.ok, "{told}");
    let rows = &told.rows[0];
    assert_eq!((rows.chi_square, rows.load.total), (None, 100));
}

#[tokio::test]
async fn keeps_the_remains_of_earlier_groups_until_pruning() {
    let tables = hashed_before().await;
    let optimizations = of(&modulo(10), 10);
    let keeping = optimizations.plan(&tables, TABLE).prune(KEEP).await.unwrap();
    let left: Vec<_> = keeping.unrequested_properties().map(|(name, _)| name).collect();
    assert_eq!(left, [property::BALANCER, property::GROUP_DEFAULT, property::GROUP_PATTERN]);
    assert_eq!(keeping.steps().len(), 1, "only split points: {:?}", keeping.steps());
    keeping.apply(&tables).await.unwrap();

    // The points of the hasher begin with `0:`, so its tablets are a separate group.
    let told = verdict(&tables, &optimizations).await;
    assert_eq!(
        sentences(&told),
        [
            r"no recipe asked for groups by `(\Q0:\E).*`; a plan that prunes removes the pattern",
            "4 split points are not part of any recipe, the first is `0:9000`",
        ]
    );
    let properties = told.properties.iter();
    let expected: Vec<_> = properties.map(|one| one.is_as_expected).collect();
    assert_eq!(expected, [true, true, false]);
    assert_eq!(
        optimizations.plan(&tables, TABLE).prune(KEEP).await.unwrap().group_pattern(),
        Some(r"(\Q0:\E).*"),
        "it stays in force"
    );

    let pruning = applied(&tables, &optimizations, PRUNE).await;
    assert_eq!(pruning.group_pattern(), None);
    let class = group_balancer();
    assert_eq!(
        steps(&pruning),
        [
            format!("remove table.balancer, which is `{class}`"),
            "remove table.custom.balancer.group.regex.default, which is `none`".to_owned(),
            r"remove table.custom.balancer.group.regex.pattern, which is `(\Q0:\E).*`".to_owned(),
            "remove 4 split points, `0:9000` to `0:~`".to_owned(),
        ]
    );
    assert_eq!(balancer_properties(&tables).await, 0);
    assert!(verdict(&tables, &optimizations).await.ok);
    // An interrupted plan can be applied again, and leaves nothing to do.
    let again = pruning.apply(&tables).await.unwrap();
    assert_eq!((again.done, again.already_so), (0, 4));
}

#[tokio::test]
async fn remains_without_effect_are_no_difference() {
    let tables = hashed_before().await;
    let optimizations = of(&modulo(10), 10);
    applied(&tables, &optimizations, PRUNE).await;
    let class = group_balancer();
    for (name, value) in
        [(property::GROUP_PATTERN, "(\\Qp:\\E).*"), (property::BALANCER, class.as_str())]
    {
        tables.set_property(TABLE, name, value).await.unwrap();
    }
    let told = verdict(&tables, &optimizations).await;
    assert!(told.ok, "{told}");
    assert_eq!(told.properties.len(), 2);
    assert!(told.properties.iter().all(|one| one.is_as_expected));

    tables.set_property(TABLE, property::GROUP_PATTERN, "(?=x)(\\p{IsGreek}).*").await.unwrap();
    let told = verdict(&tables, &optimizations).await;
    assert_eq!(
        told.differences,
        [Difference::EarlierGroups { pattern: "(?=x)(\\p{IsGreek}).*".to_owned() }]
    );
    applied(&tables, &optimizations, KEEP).await;

    // The plan ignores a balancer of any other class, and the properties that it may read.
    tables.set_property(TABLE, property::BALANCER, "org.example.Own").await.unwrap();
    let pruning = optimizations.plan(&tables, TABLE).prune(PRUNE).await.unwrap();
    assert!(pruning.is_empty(), "{:?}", pruning.steps());
}

#[tokio::test]
async fn a_removed_property_returns_to_its_inherited_value() {
    let default = "org.apache.accumulo.core.spi.balancer.SimpleLoadBalancer";
    let servers = Servers {
        loaded: Vec::new(),
        inherited: BTreeMap::from([(property::BALANCER.to_owned(), default.to_owned())]),
        ..Servers::over(hashed_before().await)
    };
    let optimizations = of(&modulo(10), 10);
    let pruning = optimizations.plan(&servers, TABLE).prune(PRUNE).await.unwrap();
    let step = pruning.steps()[1].to_string();
    assert!(
        step.starts_with("remove table.balancer, which is `")
            && step.ends_with(&format!("`, so that `{default}` is in force")),
        "{step}"
    );
    pruning.apply(&servers).await.unwrap();
    let again = optimizations.plan(&servers, TABLE).prune(PRUNE).await.unwrap();
    assert!(again.is_empty());
    assert_eq!(again.unrequested_properties().count(), 0);
    let done = pruning.apply(&servers).await.unwrap();
    assert_eq!(done.done, 0);
}

#[tokio::test]
async fn rejects_an_edited_removal() {
    let tables = hashed_before().await;
    let pruning = of(&modulo(10), 10).plan(&tables, TABLE).prune(PRUNE).await.unwrap();
    let json = serde_json::to_string(&pruning).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), pruning);
    for (from, to, reason) in [
        (
            "\"without_groups\":true",
            "\"without_groups\":false",
            "its properties are not in a safe order",
        ),
        (
            "\"unrequested_properties\":[\"table.balancer\",",
            "\"unrequested_properties\":[",
            "it removes property table.balancer, which earlier groups did not leave",
        ),
        (
            "\"after\":null,\"removed\":true",
            "\"after\":null",
            "it sets property table.balancer to no value",
        ),
        (
            "\"after\":null,\"removed\":true",
            "\"after\":\"x\"",
            "it sets property table.balancer, though no recipe has a group",
        ),
        (
            "\"before\":\"none\",\"after\":null",
            "\"before\":\"none\",\"after\":\"none\"",
            "it removes property table.custom.balancer.group.regex.default, which is not set on the table",
        ),
        (
            "\"unrequested_properties\":[",
            "\"unrequested_properties\":[\"table.file.replication\",",
            "it contains property `table.file.replication`, which is not a property of the balancer",
        ),
    ] {
        let message = format!("the plan was edited: {reason}; make a new one");
        assert_eq!(edited(&json, from, to), message);
    }
    assert_ordered(&json, property::BALANCER, property::GROUP_DEFAULT);
}
