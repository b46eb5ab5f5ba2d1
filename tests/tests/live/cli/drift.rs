//! A table drifts from its spec, and verify reports the differences.

use fluo_accumulo::AccumuloTables;
use fluo_table::TableAdmin;
use fluo_table::balancer::{BalancerClass, group_balancers};
use fluo_table::table::property;

use super::{Fluo, assert_says, fluo, name};

const DEFAULT_BALANCER: &str = "org.apache.accumulo.server.master.balancer.DefaultLoadBalancer";
/// Interval of the group balancer. Its default is a minute, which is too long for a test.
const LOOK_EVERY: &str = "table.custom.balancer.group.regex.wait.time";

/// A table that matches its spec: one group of four tablets.
pub(super) struct Ground {
    pub(super) fluo: Fluo,
    pub(super) tables: AccumuloTables,
    pub(super) table: String,
}

pub(super) async fn ground() -> Option<Ground> {
    let (fluo, tables) = (fluo()?, crate::cluster::tables().await?);
    let table = name("cli_drift");
    fluo.spec(&["p"], 4);
    fluo.run(&format!("create {table}")).succeeds();
    tables.set_property(&table, LOOK_EVERY, "1s").await.unwrap();
    let ground = Ground { fluo, tables, table };
    ground.repair();
    Some(ground)
}

impl Ground {
    /// Returns the differences that verify reports.
    fn differences(&self, more: &str) -> Vec<String> {
        let arguments = format!("verify --spec s.toml --rows skip --json {more} {}", self.table);
        let verdict = self.fluo.run(&arguments).json();
        let differences = verdict["differences"].as_array().unwrap().iter();
        differences.map(|difference| difference["sentence"].as_str().unwrap().to_owned()).collect()
    }

    /// Applies the spec again, and waits until the table matches it.
    pub(super) fn repair(&self) {
        self.fluo.run(&format!("apply --spec s.toml --prune --yes {}", self.table)).succeeds();
        self.fluo.run(&format!("verify --spec s.toml --wait 300s {}", self.table)).succeeds();
    }

    /// Sets a property, returns the first difference that verify reports for it, and repairs the
    /// table.
    async fn with_property(&self, property: &str, value: &str) -> String {
        self.tables.set_property(&self.table, property, value).await.unwrap();
        let told = self.differences("");
        self.repair();
        told.into_iter().find(|told| told.contains(property)).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_changed_balancer_or_pattern() {
    let Some(ground) = ground().await else { return };
    let properties = ground.tables.properties(&ground.table).await.unwrap();
    let class = &properties[property::BALANCER];
    assert_eq!(BalancerClass::from_name(class), BalancerClass::ByGroup);

    let told = ground.with_property(property::BALANCER, DEFAULT_BALANCER).await;
    assert_eq!(
        told,
        format!("property table.balancer is `{DEFAULT_BALANCER}`, it should be `{class}`")
    );
    let told = ground.with_property(property::BALANCER, "org.example.Typo").await;
    assert_eq!(
        told,
        "the servers cannot load `org.example.Typo` of property table.balancer, so tablets may stay on no server"
    );
    // The class of Accumulo 2.1, which these servers do not have.
    let newer = group_balancers().next().unwrap().1;
    let told = ground.with_property(property::BALANCER, &newer).await;
    assert_says(&told, &format!("the servers cannot load `{newer}` of property table.balancer"));

    let told = ground.with_property(property::GROUP_PATTERN, "(x).*").await;
    assert_eq!(
        told,
        format!("property {} is `(x).*`, it should be `(\\Qp:\\E).*`", property::GROUP_PATTERN)
    );
}

/// Splits a table, whose tablets stay on one server until the balancer runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_group_that_is_not_spread_and_waits_for_it() {
    let Some(fluo) = fluo() else { return };
    fluo.spec(&["p"], 10);
    let told = (0..5).find_map(|_| {
        let table = name("cli_spread");
        fluo.run(&format!("create {table}")).succeeds();
        let run = fluo.run(&format!("apply --spec s.toml --no-wait {table}")).succeeds();
        assert!(!run.stderr.contains("\nspread: "), "{}", run.stderr);
        let early = fluo.run(&format!("verify --spec s.toml {table}"));
        (early.code == Some(1)).then_some((table, early.stdout))
    });
    let (table, early) = told.expect("every balancer was faster than this test");
    assert_says(&early, "  ! group `p:`: ");
    assert_says(&early, "not spread");
    fluo.run(&format!("verify --spec s.toml --wait 2m {table}")).succeeds();
}
