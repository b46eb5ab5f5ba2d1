//! A table drifts from its spec, and verify reports the differences.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};

use fluo_accumulo::AccumuloTables;
use fluo_table::balancer::{BalancerClass, group_balancers};
use fluo_table::table::property;
use fluo_table::{Bytes, TableAdmin};

use super::gate::Gate;
use super::{Fluo, assert_says, fluo, name};
use crate::faults_ground::blocking;

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
    let ground = Ground {
        fluo,
        tables,
        table,
    };
    ground.repair();
    Some(ground)
}

impl Ground {
    /// Returns the differences that verify reports.
    fn differences(&self, more: &str) -> Vec<String> {
        let arguments = format!(
            "verify --spec s.toml --rows skip --json {more} {}",
            self.table
        );
        let verdict = self.fluo.run(&arguments).json();
        let differences = verdict["differences"].as_array().unwrap().iter();
        differences
            .map(|difference| difference["sentence"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Applies the spec again, and waits until the table matches it.
    pub(super) fn repair(&self) {
        self.fluo
            .run(&format!("apply --spec s.toml --prune {}", self.table))
            .succeeds();
        self.fluo
            .run(&format!("verify --spec s.toml --wait 300s {}", self.table))
            .succeeds();
    }

    /// Sets a property, returns the first difference that verify reports for it, and repairs the
    /// table.
    async fn with_property(&self, property: &str, value: &str) -> String {
        self.tables
            .set_property(&self.table, property, value)
            .await
            .unwrap();
        let told = self.differences("");
        self.repair();
        told.into_iter()
            .find(|told| told.contains(property))
            .unwrap()
    }

    async fn add_split(&self, split: &'static str) {
        let splits = BTreeSet::from([Bytes::from(split)]);
        self.tables.add_splits(&self.table, &splits).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_missing_extra_and_stray_split_points() {
    let Some(ground) = ground().await else { return };
    let (tables, table) = (&ground.tables, ground.table.as_str());

    tables
        .merge(table, Some(b"p:9000"), Some(b"p:i000\0"))
        .await
        .unwrap();
    assert_says(
        &ground.differences("").join("\n"),
        "the split point `p:i000` is missing",
    );
    ground.repair();

    ground.add_split("p:5").await;
    assert_says(
        &ground.differences("").join("\n"),
        "the split point `p:5` is not part of any recipe",
    );
    ground.repair();

    tables
        .merge(table, Some(b"p:r000"), Some(b"p:~\0"))
        .await
        .unwrap();
    ground.add_split("pb").await;
    let told = ground.differences("--allow-extra-splits");
    let told = told.join("\n");
    assert_says(&told, "the split point `p:~` is missing");
    assert_says(
        &told,
        "row hasher `p`: the split point `pb` is outside its group",
    );
    ground.repair();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_changed_balancer_or_pattern() {
    let Some(ground) = ground().await else { return };
    let properties = ground.tables.properties(&ground.table).await.unwrap();
    let class = &properties[property::BALANCER];
    assert_eq!(BalancerClass::from_name(class), BalancerClass::ByGroup);

    let told = ground
        .with_property(property::BALANCER, DEFAULT_BALANCER)
        .await;
    assert_eq!(
        told,
        format!("property table.balancer is `{DEFAULT_BALANCER}`, it should be `{class}`")
    );
    let told = ground
        .with_property(property::BALANCER, "org.example.Typo")
        .await;
    assert_eq!(
        told,
        "the servers cannot load `org.example.Typo` of property table.balancer, so tablets may stay on no server"
    );
    // The class of Accumulo 2.1, which these servers do not have.
    let newer = group_balancers().next().unwrap().1;
    let told = ground.with_property(property::BALANCER, &newer).await;
    assert_says(
        &told,
        &format!("the servers cannot load `{newer}` of property table.balancer"),
    );

    let told = ground.with_property(property::GROUP_PATTERN, "(x).*").await;
    assert_eq!(
        told,
        format!(
            "property {} is `(x).*`, it should be `(\\Qp:\\E).*`",
            property::GROUP_PATTERN
        )
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
        let run = fluo
            .run(&format!("apply --spec s.toml --no-wait {table}"))
            .succeeds();
        assert!(!run.stderr.contains("\nspread: "), "{}", run.stderr);
        let early = fluo.run(&format!("verify --spec s.toml {table}"));
        (early.code == Some(1)).then_some((table, early.stdout))
    });
    let (table, early) = told.expect("every balancer was faster than this test");
    assert_says(&early, "  ! group `p:`: ");
    assert_says(&early, "not spread");
    fluo.run(&format!("verify --spec s.toml --wait 2m {table}"))
        .succeeds();
}

/// Ends with exit code 0, because all steps are done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_that_waited_too_briefly_reports_the_groups() {
    let Some(fluo) = fluo() else { return };
    fluo.spec(&["p"], 10);
    for json in ["", "--json"] {
        let told = (0..5).find_map(|_| {
            let table = name("cli_vain");
            fluo.run(&format!("create {table}")).succeeds();
            let run = fluo
                .run(&format!("apply --spec s.toml --wait 10ms {json} {table}"))
                .succeeds();
            fluo.run(&format!("delete --yes {table}")).succeeds();
            run.stderr.contains("not spread after ").then_some(run)
        });
        let run = told.expect("every balancer was faster than this test");
        let sentence = run.stderr.lines().next_back().unwrap();
        assert!(
            sentence.starts_with("not spread after 0.")
                || sentence.starts_with("not spread after 1"),
            "{sentence}"
        );
        assert_says(sentence, " s: group `p:` has ");
        let end = "; the servers continue by themselves, `fluo table verify` looks again";
        assert!(sentence.ends_with(end), "{sentence}");
        if json.is_empty() {
            assert_eq!(run.stdout, "");
            continue;
        }
        let tablets = &run.json()["tablets"];
        assert_eq!(tablets["spread"], false, "{tablets}");
        assert!(tablets["to_move"].as_u64().unwrap() > 0, "{tablets}");
        assert!(tablets["seconds"].as_f64().unwrap() >= 0.01, "{tablets}");
        let group = &tablets["groups"][0];
        assert_eq!(
            (&group["group"], &group["tablets"]),
            (&"p:".into(), &10.into())
        );
    }
}

/// Output of a watch for a table that matches its spec, and whose rows are not read.
const OK: &str =
    "OK; its rows were not counted and their keys not checked, so evenness is not proved";

/// Returns the next line of a watch, without its time.
fn line(lines: &mut impl BufRead) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (_, told) = line
        .split_once("Z table ")
        .unwrap_or_else(|| panic!("{line:?}"));
    told.trim_end().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_reports_each_change_once() {
    let Some(ground) = ground().await else { return };
    let (tables, table) = (&ground.tables, ground.table.as_str());
    let cluster = crate::cluster::cluster().unwrap();
    // Every check requests the split points once.
    let gate = Gate::before(
        &cluster.proxy().unwrap().address(),
        "listSplits",
        usize::MAX,
    );
    let fluo = Fluo::new(gate.address(), cluster.user(), cluster.password());
    fluo.spec(&["p"], 4);
    let arguments = format!("watch --spec s.toml --interval 100ms {table}");
    let mut child = fluo.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    assert_eq!(line(&mut lines), format!("{table}: {OK}"));
    for value in ["other", "another"] {
        let told = format!(
            "property {} is `{value}`, it should be `none`",
            property::GROUP_DEFAULT
        );
        tables
            .set_property(table, property::GROUP_DEFAULT, value)
            .await
            .unwrap();
        assert_eq!(line(&mut lines), format!("{table}: drift: {told}"));
        blocking(|| gate.wait_for(4));
        tables
            .set_property(table, property::GROUP_DEFAULT, "none")
            .await
            .unwrap();
        assert_eq!(line(&mut lines), format!("{table}: fixed: {told}"));
        assert_eq!(line(&mut lines), format!("{table}: {OK}"));
        blocking(|| gate.wait_for(4));
    }
    child.kill().unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "no other output is expected");
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_ends_at_the_first_drift_with_exit_code_1() {
    let Some(ground) = ground().await else { return };
    let table = ground.table.as_str();
    let arguments = format!("watch --spec s.toml --once --interval 5s {table}");
    let mut child = ground.fluo.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    lines.read_line(&mut first).unwrap();
    assert_says(&first, &format!("Z table {table}: {OK}\n"));
    ground
        .tables
        .merge(table, Some(b"p:9000"), Some(b"p:i000\0"))
        .await
        .unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_says(
        &rest,
        &format!("Z table {table}: drift: the split point `p:i000` is missing\n"),
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
