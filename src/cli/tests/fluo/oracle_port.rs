//! The port for supervisors of `fluo oracle`.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

use tokio::time::sleep;
use zookeeper_client::{Acls, CreateMode};

use crate::command::{Place, assert_says, ended, get, signal};
use crate::log::{Application, SERVERS};

struct Oracle {
    /// The process, until it has ended.
    child: Option<Child>,
    address: String,
}

impl Drop for Oracle {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Oracle {
    fn start(web: &Application) -> Self {
        let child = web.command(&["--http", "127.0.0.1:0"]).spawn().unwrap();
        let mut oracle = Self { child: Some(child), address: String::new() };
        let mut line = String::new();
        let stderr = oracle.child.as_mut().unwrap().stderr.as_mut().unwrap();
        BufReader::new(stderr).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("/live, /ready and /metrics are at http://");
        oracle.address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        oracle
    }

    fn get(&self, path: &str) -> String {
        get(&self.address, path)
    }

    /// Waits until `/ready` has this answer.
    async fn waits_for(&self, answer: &str) {
        while !self.get("/ready").ends_with(&format!("\r\n\r\n{answer}\n")) {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_oracle_is_ready_while_it_leads_or_stands_by() {
    let web = Application::new().await;
    web.client.delete(SERVERS, None).await.unwrap();
    let leader = Oracle::start(&web);
    leader.waits_for("not ready: the parent of the election nodes was deleted").await;
    assert_says(&leader.get("/ready"), "HTTP/1.1 503 ");
    assert_says(&leader.get("/live"), "HTTP/1.1 200 ");
    let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
    web.client.mkdir(SERVERS, &persistent).await.unwrap();
    leader.waits_for("ready").await;
    while !leader.get("/metrics").contains("\nfluo_oracle_leads 1\n") {
        sleep(Duration::from_millis(10)).await;
    }
    let standby = Oracle::start(&web);
    standby.waits_for("ready").await;
    assert_says(&standby.get("/metrics"), "\nfluo_oracle_terms_total 0\n");
    for mut oracle in [standby, leader] {
        let child = oracle.child.take().unwrap();
        signal(child.id(), "TERM");
        ended(child).succeeds();
    }
}

#[test]
fn refuses_an_address_without_a_port() {
    let run = Place::new().fluo("oracle --zookeepers localhost:1/fluo --http 127.0.0.1 web");
    assert_says(&run.refuses_arguments(), "'127.0.0.1' for '--http <IP:PORT>'");
}
