//! The proxy becomes unreachable while a command works or waits.

use std::process::Child;

use fluo_cluster::Cluster;

use super::gate::Gate;
use super::{Fluo, ROWS, Run, assert_says, fluo, name};
use crate::faults_ground::{Broken, blocking};

/// Number of rejected connections after which a check has certainly failed and another one has
/// begun. A call makes one connection for each of its eight tries.
const MANY: usize = 10;

/// Returns the command that connects through a gate, with the spec of a table.
fn before(gate: &Gate, cluster: &Cluster) -> Fluo {
    let fluo = Fluo::new(gate.address(), cluster.user(), cluster.password());
    fluo.spec(&["p"], 4);
    fluo
}

/// Creates a table, and applies its spec.
fn applied(fluo: &Fluo, topic: &str) -> String {
    let table = name(topic);
    fluo.spec(&["p"], 4);
    fluo.run(&format!("create {table}")).succeeds();
    fluo.run(&format!("apply --spec s.toml {table}")).succeeds();
    fluo.run(&format!("verify --spec s.toml --wait 300s {table}")).succeeds();
    table
}

fn ended(fluo: &Fluo, child: Child) -> Run {
    fluo.judge(child.wait_with_output().unwrap())
}

/// Makes the proxy unreachable at the call at which the gate stops, for longer than one check.
fn shut_and_reopen(gate: &Gate) {
    gate.wait();
    gate.shut();
    gate.wait_turned_away(MANY);
    gate.open();
}

/// Regression test: the command ended with the error of its first check that failed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_verify_retries_until_the_proxy_is_back() {
    let Some(root) = fluo() else { return };
    let cluster = crate::cluster::cluster().unwrap();
    let table = applied(&root, "cli_away");
    let gate = Gate::before(&cluster.proxy().unwrap().address(), "listSplits", 0);
    let fluo = before(&gate, cluster);
    let arguments = format!("verify --spec s.toml --wait 300s {table}");
    let child = fluo.command(&arguments).spawn().unwrap();
    blocking(|| shut_and_reopen(&gate));
    let run = blocking(|| ended(&fluo, child)).succeeds();
    assert_says(
        &run.stdout,
        &format!("\nOK: table {table}; it has no rows, so evenness is not proved.\n"),
    );
    root.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_verify_fails_if_the_proxy_stays_unreachable() {
    let Some(root) = fluo() else { return };
    let cluster = crate::cluster::cluster().unwrap();
    let table = applied(&root, "cli_gone");
    let gate = Gate::before(&cluster.proxy().unwrap().address(), "listSplits", 0);
    let fluo = before(&gate, cluster);
    let arguments = format!("verify --spec s.toml --wait 2s {table}");
    let child = fluo.command(&arguments).spawn().unwrap();
    blocking(|| {
        gate.wait();
        gate.shut();
    });
    let message = blocking(|| ended(&fluo, child)).fails();
    assert!(message.starts_with("gave up after "), "{message}");
    assert_says(&message, gate.address());
    root.run(&format!("delete --yes {table}")).succeeds();
}

/// Regression test: the command ended with the error of its first check that failed, although all
/// steps were done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_apply_retries_until_the_proxy_is_back() {
    let Some(root) = fluo() else { return };
    let cluster = crate::cluster::cluster().unwrap();
    let table = applied(&root, "cli_away");
    // The plan requests the list of servers once. Then each check requests it.
    let gate = Gate::before(&cluster.proxy().unwrap().address(), "getTabletServers", 1);
    let fluo = before(&gate, cluster);
    let arguments = format!("apply --spec s.toml --wait 300s {table}");
    let child = fluo.command(&arguments).spawn().unwrap();
    blocking(|| shut_and_reopen(&gate));
    let run = blocking(|| ended(&fluo, child)).succeeds();
    let expected = format!(
        "nothing to do: table `{table}` already matches\nspread: every group within one tablet per server after "
    );
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    root.run(&format!("delete --yes {table}")).succeeds();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_whose_proxy_is_killed_reports_the_kept_changes_and_can_be_finished() {
    let Some(broken) = Broken::new("cli_killed").await else {
        return;
    };
    let (root, table) = (fluo().unwrap(), broken.name.as_str());
    root.spec(&["p"], 4);
    root.file("rows.txt", ROWS);
    root.run(&format!("load {table} --prefix p rows.txt")).succeeds();
    let gate = Gate::before(&broken.proxy.address(), "setTableProperty", 0);
    let fluo = before(&gate, crate::cluster::cluster().unwrap());
    let arguments = format!("apply --spec s.toml {table}");
    let child = fluo.command(&arguments).spawn().unwrap();
    blocking(|| gate.wait());
    broken.kill();
    gate.open();
    let run = blocking(|| ended(&fluo, child)).ends_with_code(2);
    let told = run.stderr.lines().next_back().unwrap();
    let expected = format!(
        "error: step 2 of 4 failed (set table.custom.balancer.group.regex.pattern to `(\\Qp:\\E).*`): setTableProperty of \
         `{table}` at {}: ",
        gate.address()
    );
    assert!(told.starts_with(&expected), "{told}");
    assert_says(
        told,
        &format!("; table `{table}` serves as before but may have kept: set table.custom."),
    );
    assert_says(told, "; add 4 split points, `p:9000` to `p:~` (undoing it failed: ");
    assert_says(told, "; apply again to finish, or plan to see what differs");

    root.run(&format!("apply --spec s.toml {table}")).succeeds();
    let verdict = root
        .run(&format!("verify --spec s.toml --wait 300s --rows count --json {table}"))
        .succeeds()
        .json();
    assert_eq!(verdict["rows"][0]["total"], 4_208, "{verdict}");
    broken.end().await;
}
