//! Drift that only real servers have: classes that they do not load, tablets that have not moved,
//! and their own split points.

use std::collections::BTreeSet;

use fluo_keys::{
    ApplyError, Difference, RowCounting, RowHasher, TableOptimizations, Verdict, VerifyOptions,
    groups,
};
use fluo_table::balancer::group_balancers;
use fluo_table::table::property;
use fluo_table::{Bytes, ErrorKind, TableAdmin};

use crate::servers::{Servers, probes};
use crate::{TABLE, group_balancer, sentences, table};

const OLD_PACKAGE: &str = "org.apache.accumulo.server.master.balancer";

fn optimizations() -> TableOptimizations {
    RowHasher::new("p").unwrap().table_optimizations(4).unwrap()
}

/// Returns servers with an optimized table.
async fn servers() -> Servers {
    let servers = Servers::over(table().await);
    let plan = optimizations().plan(&servers, TABLE).await.unwrap();
    plan.apply(&servers).await.unwrap();
    servers
}

async fn verdict(servers: &Servers, allow_extra_splits: bool) -> Verdict {
    let options =
        VerifyOptions::new().rows(RowCounting::Skip).allow_extra_splits(allow_extra_splits);
    optimizations().verify(servers, TABLE).options(&options).await.unwrap()
}

async fn add_split(servers: &Servers, split: &'static str) {
    servers.add_splits(TABLE, &BTreeSet::from([Bytes::from(split)])).await.unwrap();
}

#[tokio::test]
async fn servers_without_a_group_balancer_are_a_difference_and_allow_no_plan() {
    let servers = Servers { loaded: Vec::new(), ..servers().await };
    let told = verdict(&servers, false).await;
    let class = told.properties[2].found.clone().unwrap();
    assert_eq!(
        told.differences,
        [Difference::NoGroupBalancer, Difference::BalancerNotLoaded { class }]
    );
    let json = serde_json::to_value(&told).unwrap();
    assert_eq!(json["properties"][2]["expected"], serde_json::Value::Null);

    servers.remove_property(TABLE, property::BALANCER).await.unwrap();
    assert_eq!(sentences(&verdict(&servers, false).await)[0], "the servers load no group balancer");

    let probes = probes().join(" and ");
    let error = optimizations().plan(&servers, TABLE).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (
            ErrorKind::Unavailable,
            format!(
                "the servers of table `pages` load no group balancer; they were asked for {probes}"
            )
        )
    );
}

/// The class was set, and the command reported success.
#[tokio::test]
async fn does_not_set_a_balancer_that_the_servers_no_longer_load() {
    let servers = servers().await;
    for name in [property::BALANCER, property::GROUP_PATTERN] {
        servers.remove_property(TABLE, name).await.unwrap();
    }
    let before = servers.tables.properties(TABLE).await.unwrap();
    let planned = optimizations().plan(&servers, TABLE).await.unwrap();
    let without = Servers { loaded: Vec::new(), ..servers };
    let error = planned.apply(&without).await.unwrap_err();
    let class = group_balancer();
    assert_eq!(
        error.to_string(),
        format!("the servers of table `pages` cannot load `{class}`; make a new plan")
    );
    let ApplyError::Refused(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(without.tables.properties(TABLE).await.unwrap(), before);
}

#[tokio::test]
async fn reports_another_balancer_and_whether_the_servers_load_it() {
    let mut servers = servers().await;
    let by_count = format!("{OLD_PACKAGE}.DefaultLoadBalancer");
    servers.loaded.push(by_count.clone());
    servers.loaded.push("org.example.Own".to_owned());
    let wanted = group_balancer();
    for (class, is_loaded) in [
        (by_count, true),
        (format!("{OLD_PACKAGE}.RegexGroupBalancer"), true),
        ("org.example.Own".to_owned(), true),
        ("org.example.Typo".to_owned(), false),
    ] {
        servers.set_property(TABLE, property::BALANCER, &class).await.unwrap();
        let told = sentences(&verdict(&servers, false).await);
        let expected = [
            format!(
                "the servers cannot load `{class}` of property table.balancer, so tablets may stay on no server"
            ),
            format!("property table.balancer is `{class}`, it should be `{wanted}`"),
        ];
        let expected = &expected[usize::from(is_loaded)..];
        assert!(told.starts_with(expected), "{told:?}");
    }
}

/// The class belongs to newer servers, and these are older ones: tablets stay offline under it.
#[tokio::test]
async fn reports_the_group_balancer_of_newer_servers() {
    let mut servers = servers().await;
    servers.loaded.remove(0);
    let told = verdict(&servers, false).await;
    let [(_, newer), (_, older)] = group_balancers().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(
        told.differences,
        [
            Difference::BalancerNotLoaded { class: newer.clone() },
            Difference::Property {
                name: property::BALANCER.to_owned(),
                found: Some(newer),
                expected: older,
            },
        ]
    );
}

#[tokio::test]
async fn reports_a_split_point_that_takes_a_tablet_out_of_its_group() {
    let servers = servers().await;
    add_split(&servers, "pb").await;
    let told = verdict(&servers, true).await;
    assert!(told.ok, "no row of a recipe is in it: {told}");

    servers.merge(TABLE, Some(b"p:r000"), Some(b"p:~\0")).await.unwrap();
    let told = verdict(&servers, true).await;
    assert_eq!(
        sentences(&told)[..2],
        [
            "the split point `p:~` is missing",
            "row hasher `p`: the split point `pb` is outside its group",
        ]
    );
    assert_eq!(told.groups.iter().map(|group| group.tablets).collect::<Vec<_>>(), [3, 2]);
}

#[tokio::test]
async fn counts_the_tablets_that_have_to_move() {
    let mut servers = servers().await;
    let pattern = optimizations().group_pattern();
    let look = async |servers: &Servers| {
        let groups = groups(servers, TABLE, pattern.as_deref()).await.unwrap();
        groups.iter().map(|group| (group.group.clone(), group.to_move())).collect::<Vec<_>>()
    };
    let moves = |own, rest| vec![("p:".to_owned(), own), ("none".to_owned(), rest)];
    assert_eq!(look(&servers).await, moves(0, 0));
    servers.placed = [Some(0); 5].into();
    assert_eq!(look(&servers).await, moves(2, 0));
    servers.placed = vec![Some(0), None, Some(1), Some(1), None];
    assert_eq!(look(&servers).await, moves(1, 1));
    assert_eq!(
        sentences(&verdict(&servers, false).await),
        [
            "group `p:`: 1 of 4 tablets are on no server",
            "group `none`: 1 of 1 tablets are on no server"
        ]
    );

    let error = groups(&servers, "nope", pattern.as_deref()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

/// The verdict of the command left out the rows, and the watch ended, because each handled the
/// permission by itself.
#[tokio::test]
async fn a_verdict_without_read_permission_covers_everything_except_rows() {
    let servers = Servers { is_unreadable: true, ..servers().await };
    add_split(&servers, "a").await;
    for rows in [RowCounting::All, RowCounting::UpTo(10)] {
        let options = VerifyOptions::new().rows(rows);
        let told = optimizations().verify(&servers, TABLE).options(&options).await;
        let told = told.unwrap();
        assert_eq!(
            sentences(&told),
            [
                "the rows could not be counted: the user lacks READ",
                "the split point `a` is not part of any recipe"
            ]
        );
        assert!(!told.counted && told.clone().into_result().is_err());
    }
    assert!(!verdict(&servers, false).await.extra_splits.is_empty());
}

#[tokio::test]
async fn a_plan_returns_the_pattern_after_its_application() {
    let servers = servers().await;
    let pattern = optimizations().group_pattern();
    let nothing_to_do = optimizations().plan(&servers, TABLE).await.unwrap();
    assert_eq!(nothing_to_do.group_pattern(), pattern.as_deref());
    servers.set_property(TABLE, property::GROUP_PATTERN, "(x).*").await.unwrap();
    let changes = optimizations().plan(&servers, TABLE).await.unwrap();
    assert_eq!(changes.group_pattern(), pattern.as_deref());
}
