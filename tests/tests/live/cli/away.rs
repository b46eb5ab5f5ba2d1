//! The proxy becomes unreachable while a command works or waits.

use std::process::Child;

use super::gate::Gate;
use super::{Fluo, Run, assert_says, fluo, name};
use crate::faults_ground::blocking;

/// Number of rejected connections after which a check has certainly failed and another one has
/// begun. A call makes one connection for each of its eight tries.
const MANY: usize = 10;

/// A command that waits for a table that matches its spec, through a gate.
struct Waiting {
    root: Fluo,
    table: String,
    gate: Gate,
    fluo: Fluo,
    child: Child,
}

impl Waiting {
    /// Starts a command on a new table behind a gate that lets some calls pass. Returns `None` if
    /// live tests are not wanted.
    fn start(command: &str, call: &'static str, passing: usize) -> Option<Self> {
        let (root, cluster) = (fluo()?, crate::cluster::cluster()?);
        let table = name("cli_away");
        root.spec(&["p"], 4);
        root.run(&format!("create {table}")).succeeds();
        root.run(&format!("apply --spec s.toml {table}")).succeeds();
        root.run(&format!("verify --spec s.toml --wait 300s {table}")).succeeds();
        let gate = Gate::before(&cluster.proxy().unwrap().address(), call, passing);
        let fluo = Fluo::new(gate.address(), cluster.user(), cluster.password());
        fluo.spec(&["p"], 4);
        let child = fluo.command(&format!("{command} {table}")).spawn().unwrap();
        Some(Self { root, table, gate, fluo, child })
    }

    /// Makes the proxy unreachable at the call at which the gate stops, for longer than one check.
    fn shut_and_reopen(&self) {
        blocking(|| {
            self.gate.wait();
            self.gate.shut();
            self.gate.wait_turned_away(MANY);
            self.gate.open();
        });
    }

    /// Waits for the end of the command, and deletes the table.
    fn ended(self) -> Run {
        let run = blocking(|| self.fluo.judge(self.child.wait_with_output().unwrap()));
        self.root.run(&format!("delete --yes {}", self.table)).succeeds();
        run
    }
}

/// Regression test: the command ended with the error of its first check that failed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_verify_retries_until_the_proxy_is_back() {
    let verify = Waiting::start("verify --spec s.toml --wait 300s", "getTabletServers", 0);
    let Some(verify) = verify else { return };
    verify.shut_and_reopen();
    let table = verify.table.clone();
    let expected = format!("\nOK: table {table}; it has no rows, so evenness is not proved.\n");
    assert_says(&verify.ended().succeeds().stdout, &expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_verify_fails_if_the_proxy_stays_unreachable() {
    let verify = Waiting::start("verify --spec s.toml --wait 2s", "getTabletServers", 0);
    let Some(verify) = verify else { return };
    blocking(|| {
        verify.gate.wait();
        verify.gate.shut();
    });
    let address = verify.gate.address().to_owned();
    let message = verify.ended().fails();
    assert!(message.starts_with("gave up after "), "{message}");
    assert_says(&message, &address);
}

/// Regression test: the command ended with the error of its first check that failed, although all
/// steps were done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_apply_retries_until_the_proxy_is_back() {
    // The plan requests the list of servers once. Then each check requests it.
    let apply = Waiting::start("apply --spec s.toml --wait 300s", "getTabletServers", 1);
    let Some(apply) = apply else { return };
    apply.shut_and_reopen();
    let table = apply.table.clone();
    let run = apply.ended().succeeds();
    let expected = format!(
        "nothing to do: table `{table}` already matches\nspread: every group within one tablet per server after "
    );
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
}
