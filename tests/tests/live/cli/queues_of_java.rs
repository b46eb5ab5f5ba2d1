//! Commands on queues that Java has configured.

use std::time::Instant;

use fluo_cluster::{Cluster, JavaPeer};
use fluo_tests::STUCK;

use super::applications::Operator;
use super::assert_says;

const ENTRIES: usize = 6;

/// No command found the queues and the ranges of an application that Java has initialized.
#[test]
fn list_plan_verify_and_compact_them() {
    let Some(operator) = Operator::new() else { return };
    let cluster = Cluster::shared().unwrap();
    if cluster.secret().is_some() {
        return;
    }
    let settings = [("fluo.app.queues", "true")];
    let (zookeepers, name) = (operator.zookeepers(), operator.application());
    let mut java = JavaPeer::start(cluster, zookeepers, name, &settings).unwrap();
    for command in [
        "initialize",
        "start-oracle",
        &format!("combine 0 {ENTRIES} 3"),
        &format!("export 0 {ENTRIES} 3"),
    ] {
        java.ask(command).unwrap();
    }
    let list = operator.run("queue list").succeeds().stdout;
    for queue in ["sums", "out"] {
        assert_says(&list, queue);
    }
    let show = operator.run_on("queue show", "out").succeeds().stdout;
    let entries = show.lines().map(|line| line.split('\t').nth(1).unwrap());
    let entries: usize = entries.map(|text| text.parse::<usize>().unwrap()).sum();
    assert_eq!(entries, ENTRIES);
    let config = operator.run("app config").succeeds().stdout;
    assert_says(&config, "recipes.cfm.sums.buckets = 7\n");
    assert_says(&config, "fluo.accumulo.password = ***\n");
    let plan = operator.run("app plan").succeeds().stdout;
    assert_says(&plan, "+ sums:u:~\n");
    operator.run("app apply").succeeds();
    // New tablets are on no server until the balancer has run.
    operator.run("app verify --wait 5m").succeeds();
    let compacted = operator.run("app compact-transient").succeeds();
    assert_says(&compacted.stdout, "sums");
    // The client of Java lives.
    let refused = operator.run_on("app rebucket --buckets 5", "sums").fails();
    assert_says(&refused, "is running; stop its clients and workers first");
    // It is killed with its oracle, and its sessions end some time later.
    drop(java);
    let oracle = operator.oracle();
    let begun = Instant::now();
    let refused = loop {
        let refused = operator.run_on("app rebucket --buckets 5", "sums").fails();
        if !refused.contains("is running") || begun.elapsed() > STUCK {
            break refused;
        }
    };
    assert_says(&refused, "is not empty: it has the row `sums:u:");
    operator.stop(oracle);
}
