//! A worker with an oracle as a process of its own, which reads Fluo's own files of properties.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fluo_engine::{Column, InstanceExt};

use super::applications::{Operator, SHORT_PAUSE};
use super::programs;

const TEXT: Column = Column::from_static("page", "text");
const LENGTH: Column = Column::from_static("page", "length");

/// A child that is killed if the test fails.
pub(super) struct Running(pub(super) Child);

impl Running {
    /// Returns the first line of the output.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Starts the process, and returns the address for supervisors that its log names.
fn start(operator: &Operator) -> (Running, String) {
    operator.fluo.file(
        "fluo-conn.properties",
        format!(
            "fluo.connection.application.name={}\nfluo.connection.zookeepers={}\n",
            operator.application,
            operator.zookeepers.replace(':', "\\:")
        ),
    );
    operator.fluo.file(
        "fluo-app.properties",
        format!(
            "fluo.accumulo.user={}\nfluo.accumulo.password={}\n",
            operator.fluo.user, operator.fluo.password
        ),
    );
    let folder = programs(&["--package", "fluo-rs", "--example", "21_worker"]);
    let mut command = Command::new(folder.join("examples/21_worker"));
    command
        .arg(&operator.application)
        .current_dir(operator.fluo.directory.path())
        .env("FLUO_AT", format!("proxy:{}", operator.fluo.address))
        .env("FLUO_PROPERTIES", "fluo-conn.properties:fluo-app.properties")
        .env("FLUO_HTTP", "127.0.0.1:0")
        .env("FLUO_HOST", "localhost")
        .stderr(Stdio::piped());
    let mut process = Running(command.spawn().unwrap());
    let mut log = BufReader::new(process.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = log.find(|line| line.contains("/metrics are at http://")).unwrap();
    let address = line.rsplit_once("http://").unwrap().1.to_owned();
    // The rest is not checked, but a full pipe would stop the process.
    std::thread::spawn(move || log.for_each(drop));
    (process, address)
}

pub(super) fn ask(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_with_an_oracle_is_one_process() {
    let Some(operator) = Operator::new() else { return };
    let init = format!("app init --observe page:text=strong,measure --set {SHORT_PAUSE}");
    operator.run(&init).succeeds();
    let (mut process, address) = start(&operator);
    while ask(&address, "/ready") != "ready\n" {
        assert!(process.0.try_wait().unwrap().is_none(), "the process has ended");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    let fluo = operator.instance().await;
    let client = fluo.application(&operator.application).open().await.unwrap();
    for text in ["a", "bb", "ccc"] {
        client.run(async |tx| tx.set(text, &TEXT, text)).await.unwrap();
    }
    client.wait_until_idle().await.unwrap();
    let now = client.snapshot().await.unwrap();
    for text in ["a", "bb", "ccc"] {
        let length = now.get(text, &LENGTH).await.unwrap().unwrap();
        assert_eq!(length, text.len().to_string());
    }
    let metrics = ask(&address, "/metrics");
    assert!(metrics.contains("fluo_notifications_total{outcome=\"committed\"} 3\n"), "{metrics}");
    assert!(metrics.contains("# HELP fluo_oracle_"), "{metrics}");
    drop((now, client, fluo));

    let killed = Command::new("kill").arg(process.0.id().to_string()).status();
    assert!(killed.unwrap().success());
    assert!(process.0.wait().unwrap().success());
    while operator.run("app status").succeeds().stdout != "STOPPED\n" {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    operator.run("app remove --yes").succeeds();
}
