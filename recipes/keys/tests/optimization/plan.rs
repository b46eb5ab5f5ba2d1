//! Plan, apply and verify, step by step.

use std::collections::BTreeSet;

use fluo_keys::{
    ApplyError, KeyDesign, Plan, RowCounting, RowHasher, Step, TableOptimizations,
    TableRequirement, Unsalted, VerifyOptions,
};
use fluo_table::table::property;
use fluo_table::{Authorizations, Bytes, Column, ErrorKind, MemoryTables, Mutation, TableAdmin};

use crate::scene::two;
use crate::{TABLE, assert_ordered, edited, group_balancer, sentences, steps, table};

fn optimizations() -> TableOptimizations {
    two(20, 4)
}

fn rows(rows: &[&'static str]) -> BTreeSet<Bytes> {
    rows.iter().map(|row| Bytes::from(*row)).collect()
}

async fn planned(tables: &MemoryTables, prune: bool) -> Plan {
    optimizations().plan(tables, TABLE).prune(prune).await.unwrap()
}

async fn applied(tables: &MemoryTables, plan: &Plan) -> Vec<String> {
    let mut told = Vec::new();
    plan.apply(tables).on_event(|event| told.push(format!("{event:?}"))).await.unwrap();
    told
}

async fn load(tables: &MemoryTables, hasher: &RowHasher, count: u32) {
    let pages = tables.open_table(TABLE, Authorizations::none()).await.unwrap();
    let mutation = |n: u32| {
        Mutation::new(hasher.add(format!("row-{n}").as_bytes()))
            .put(Column::new("page", "uri"), n.to_string())
    };
    pages.write((0..count).map(mutation).collect()).await.unwrap();
}

#[tokio::test]
async fn an_applied_plan_leaves_nothing_to_do() {
    let tables = table().await;
    let first = planned(&tables, false).await;
    assert_eq!(first.steps().len(), 4);
    assert_eq!(first.splits_to_add.len(), 24);
    assert_eq!(tables.splits(TABLE).await.unwrap(), Vec::<Bytes>::new(), "a plan writes nothing");

    assert_eq!(applied(&tables, &first).await.len(), 8);
    let properties = tables.properties(TABLE).await.unwrap();
    assert_eq!(properties[property::GROUP_PATTERN], r"(\Qp:\E|\Qq:\E).*");
    assert_eq!(properties[property::GROUP_DEFAULT], "none");
    assert_eq!(properties[property::BALANCER], group_balancer());

    let second = planned(&tables, false).await;
    assert!(second.is_empty() && second.steps().is_empty());
    assert_eq!(applied(&tables, &second).await, Vec::<String>::new());
}

/// Checks the order that makes an interruption safe: see the module page of the optimizations.
#[tokio::test]
async fn orders_the_steps_so_that_an_interruption_is_safe() {
    let tables = table().await;
    tables.add_splits(TABLE, &rows(&["z"])).await.unwrap();
    let steps = steps(&planned(&tables, true).await);
    let starts = [
        "add 24 split points, `p:1sst` to `q:~`",
        "set table.custom.balancer.group.regex.pattern to ",
        "set table.custom.balancer.group.regex.default to ",
        "set table.balancer to ",
        "remove the split point `z`",
    ];
    assert_eq!(steps.len(), starts.len(), "{steps:?}");
    for (step, start) in steps.iter().zip(starts) {
        assert!(step.starts_with(start), "{step}");
    }
}

#[tokio::test]
async fn forecasts_the_placement_of_tablets() {
    let tables = table().await;
    let plan = planned(&tables, false).await;
    applied(&tables, &plan).await;
    let options = VerifyOptions::new().rows(RowCounting::Skip);
    let verdict = optimizations().verify(&tables, TABLE).options(&options).await.unwrap();
    assert!(verdict.ok, "{verdict}");
    let forecast: Vec<_> =
        plan.groups.iter().map(|g| (g.group.clone(), g.tablets, g.per_server.clone())).collect();
    let found: Vec<_> = verdict
        .groups
        .iter()
        .map(|g| (g.group.clone(), g.tablets, g.per_server.values().copied().collect::<Vec<_>>()))
        .collect();
    assert_eq!(forecast, found);
    assert_eq!(
        forecast,
        [
            ("p:".into(), 20, vec![10, 10]),
            ("q:".into(), 4, vec![2, 2]),
            ("none".to_owned(), 1, vec![1, 0])
        ]
    );
}

#[tokio::test]
async fn removes_extra_split_points_only_when_pruning() {
    let tables = table().await;
    tables.add_splits(TABLE, &rows(&["a", "p:0", "p:1", "p:5zzz", "z"])).await.unwrap();
    let keeping = planned(&tables, false).await;
    assert_eq!(keeping.unrequested_splits.len(), 5);
    assert!(keeping.splits_to_remove.is_empty());
    applied(&tables, &keeping).await;
    assert_eq!(tables.splits(TABLE).await.unwrap().len(), 29);

    let options = VerifyOptions::new().rows(RowCounting::Skip);
    let verdict = optimizations().verify(&tables, TABLE).options(&options).await.unwrap();
    assert_eq!(
        sentences(&verdict),
        ["5 split points are not part of any recipe, the first is `a`"]
    );
    let lenient = options.allow_extra_splits(true);
    assert!(optimizations().verify(&tables, TABLE).options(&lenient).await.unwrap().ok);

    let pruning = planned(&tables, true).await;
    assert_eq!(
        steps(&pruning),
        [
            "remove 3 split points, `a` to `p:1`",
            "remove the split point `p:5zzz`",
            "remove the split point `z`"
        ]
    );
    applied(&tables, &pruning).await;
    let left: BTreeSet<_> = tables.splits(TABLE).await.unwrap().into_iter().collect();
    assert_eq!(left, optimizations().splits());
}

#[tokio::test]
async fn rejects_a_table_that_has_changed() {
    let tables = table().await;
    tables.add_splits(TABLE, &rows(&["kept"])).await.unwrap();
    let plan = planned(&tables, false).await;
    let refused = async || match plan.apply(&tables).await {
        Err(ApplyError::Refused(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let message = |what: &str| {
        format!(
            "table `pages` has changed since the plan was made: {what}; nothing was done, make a new plan"
        )
    };

    tables.add_splits(TABLE, &rows(&["new"])).await.unwrap();
    assert_eq!(refused().await, message("split point `new` was added"));
    tables.merge(TABLE, Some(b"kept"), Some(b"new\0")).await.unwrap();
    tables.merge(TABLE, None, Some(b"kept\0")).await.unwrap();
    assert_eq!(refused().await, message("split point `kept` was removed"));
    tables.add_splits(TABLE, &rows(&["kept"])).await.unwrap();
    tables.set_property(TABLE, property::GROUP_PATTERN, "(x).*").await.unwrap();
    assert_eq!(
        refused().await,
        message(&format!("property {} was not set and is `(x).*` now", property::GROUP_PATTERN))
    );
    tables.remove_property(TABLE, property::GROUP_PATTERN).await.unwrap();
    assert_eq!(tables.splits(TABLE).await.unwrap().len(), 1, "nothing was done");
    plan.apply(&tables).await.unwrap();
}

#[tokio::test]
async fn reads_a_saved_plan_and_rejects_an_edited_one() {
    let tables = table().await;
    tables.add_splits(TABLE, &rows(&["\0\u{7f}é\\"])).await.unwrap();
    let plan = planned(&tables, true).await;
    let json = serde_json::to_string_pretty(&plan).unwrap();
    assert!(json.contains(r#""\\x00\\x7f\\xc3\\xa9\\x5c""#), "{json}");
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);

    assert_eq!(
        edited(&json, "\"format\": 1", "\"format\": 2"),
        "the plan has format 2, but this build reads format 1"
    );
    let table = edited(&json, "\"table\": \"pages\"", "\"table\": \"../x\"");
    assert!(table.contains("cannot be the name of a table"), "{table}");
    let found = r#""\\x00\\x7f\\xc3\\xa9\\x5c""#;
    let class = group_balancer();
    for (from, to, reason) in [
        ("p:1sst", "p:zzzz", "its add_splits are not ascending rows"),
        ("p:1sst", "", "its add_splits are not ascending rows"),
        (found, "\"a\"", r"it removes `\x00\x7f\xc3\xa9\x5c`, which it did not find"),
        (found, "\"p:1sst\"", "it adds `p:1sst`, which it found"),
        (
            "\"name\": \"table.balancer\"",
            "\"name\": \"table.file.replication\"",
            "it contains property `table.file.replication`, which is not a property of the balancer",
        ),
        (
            "\"before\": null",
            "\"before\": \"x\"",
            "it has two old values of property table.custom.balancer.group.regex.pattern",
        ),
        (&class, "com.example.Typo", "`com.example.Typo` is not a group balancer"),
        (
            r"(\\Qp:\\E|\\Qq:\\E).*",
            "(a)(b)",
            "the pattern `(a)(b)` has 2 capturing groups; the balancer ignores a pattern that does not have exactly one",
        ),
    ] {
        let message = format!("the plan was edited: {reason}; make a new one");
        assert_eq!(edited(&json, from, to), message);
    }
    assert_ordered(&json, property::GROUP_PATTERN, property::BALANCER);
    let unescaped = json.replacen("p:1sst", r"p:\\q", 1);
    assert!(
        serde_json::from_str::<Plan>(&unescaped)
            .unwrap_err()
            .to_string()
            .contains("row `p:\\q`: at byte 2")
    );
}

#[tokio::test]
async fn verify_reports_each_kind_of_drift() {
    let tables = table().await;
    applied(&tables, &planned(&tables, false).await).await;
    load(&tables, &RowHasher::new("p").unwrap(), 5_000).await;
    load(&tables, &RowHasher::new("q").unwrap(), 100).await;
    let differences = async || sentences(&optimizations().verify(&tables, TABLE).await.unwrap());
    assert_eq!(differences().await, Vec::<String>::new());

    tables.merge(TABLE, Some(b"p:5eef"), Some(b"p:9001")).await.unwrap();
    assert_eq!(differences().await, ["the split point `p:7778` is missing"]);
    tables.add_splits(TABLE, &rows(&["p:7778"])).await.unwrap();

    tables.set_property(TABLE, property::BALANCER, "org.example.Typo").await.unwrap();
    let told = differences().await;
    let balancer = group_balancer();
    assert_eq!(
        told[..3],
        [
            "the servers cannot load `org.example.Typo` of property table.balancer, so tablets may stay on no server"
                .to_owned(),
            format!("property table.balancer is `org.example.Typo`, it should be `{balancer}`"),
            "group `p:`: 20 of 20 tablets are on no server".to_owned(),
        ]
    );
    tables.remove_property(TABLE, property::BALANCER).await.unwrap();
    let told = differences().await;
    assert_eq!(
        told[..2],
        [
            format!("property table.balancer is not set, it should be `{balancer}`"),
            "group `p:`: a server holds 13 of its 20 tablets, another 7".to_owned(),
        ]
    );
    tables.set_property(TABLE, property::BALANCER, &group_balancer()).await.unwrap();

    let pages = tables.open_table(TABLE, Authorizations::none()).await.unwrap();
    pages.write(vec![Mutation::new("p:plain").put(Column::new("f", "q"), "v")]).await.unwrap();
    assert_eq!(
        differences().await,
        ["row hasher `p`: rows that are not its keys: 1, the first is `p:plain`"]
    );
    pages
        .write(vec![Mutation::new("p:plain").delete_at(Column::new("f", "q"), i64::MAX)])
        .await
        .unwrap();

    // Each of these rows is a key of the hasher, but all of them are in one tablet.
    let hasher = RowHasher::new("q").unwrap();
    let skewed: Vec<_> = (0u32..400_000)
        .map(|n| hasher.add(format!("twin-{n}").as_bytes()))
        .filter(|key| key.starts_with(b"q:0"))
        .take(2_000)
        .map(|key| Mutation::new(key).put(Column::new("f", "q"), "v"))
        .collect();
    assert_eq!(skewed.len(), 2_000);
    pages.write(skewed).await.unwrap();
    let told = differences().await;
    assert!(
        told[0]
            .starts_with("row hasher `q`: its 2,100 rows are not spread evenly (p below 1e-300)"),
        "{told:?}"
    );
    assert!(told[1].starts_with("row hasher `q`: tablet `q:9000` on "), "{told:?}");
    assert_eq!(told.len(), 2, "{told:?}");
}

#[tokio::test]
async fn counts_rows_by_tablet_and_does_not_read_a_large_table() {
    let tables = table().await;
    applied(&tables, &planned(&tables, false).await).await;
    load(&tables, &RowHasher::new("p").unwrap(), 2_000).await;
    let counted = async |rows| {
        let options = VerifyOptions::new().rows(rows);
        let mut seen = 0;
        let verdict = optimizations()
            .verify(&tables, TABLE)
            .options(&options)
            .on_progress(|rows, _| {
                seen = rows;
            })
            .await
            .unwrap();
        (verdict.rows[0].clone(), seen)
    };
    let (exact, seen) = counted(RowCounting::All).await;
    assert_eq!(
        (exact.load.places, exact.load.total, exact.load.counted, seen),
        (20, 2_000, true, 2_000)
    );
    assert!(
        (exact.load.mean() - 100.0).abs() < 1e-9 && exact.least > 60 && exact.load.largest < 140,
        "{exact:?}"
    );
    assert!(exact.chi_square.unwrap().p_value > 0.001, "{exact:?}");

    let (entries, seen) = counted(RowCounting::UpTo(1_999)).await;
    assert_eq!(
        (entries.load.counted, entries.load.total, entries.chi_square, seen),
        (false, 2_000, None, 0)
    );
}

#[tokio::test]
async fn reports_a_missing_table_and_missing_recipes() {
    let tables = MemoryTables::new();
    let error = optimizations().plan(&tables, TABLE).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::NotFound, "there is no table `pages`".into())
    );
    let empty = TableOptimizations::default();
    let error = empty.plan(&table().await, TABLE).await.unwrap_err();
    assert_eq!(error.to_string(), "the optimizations are empty; name at least one recipe");
    let error = empty.verify(&table().await, TABLE).await.unwrap_err();
    assert_eq!(error.to_string(), "the optimizations are empty; name at least one recipe");
}

/// Each of a thousand removals was a step of its own.
#[tokio::test]
async fn many_split_points_are_removed_in_a_hundred_steps() {
    let tables = table().await;
    let point = |n: u32| Bytes::from(format!("{n:04}"));
    let every_second = || (0..2_000).step_by(2).map(point);
    tables.add_splits(TABLE, &(0..2_000).map(point).collect()).await.unwrap();
    let design = KeyDesign::new(Unsalted {}).unwrap();
    let wanted = TableRequirement::for_key_design_at(&design, every_second()).unwrap();
    let wanted = TableOptimizations::from(wanted);
    let plan = wanted.plan(&tables, TABLE).prune(true).await.unwrap();
    let removals = |step: &Step| matches!(step, Step::RemoveSplits(splits) if splits.len() == 10);
    assert_eq!(plan.steps().iter().filter(|step| removals(step)).count(), 100);
    applied(&tables, &plan).await;
    assert_eq!(tables.splits(TABLE).await.unwrap(), every_second().collect::<Vec<_>>());
}
