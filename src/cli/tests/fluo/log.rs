//! The log on standard error: warnings by default, and other levels by arguments or `FLUO_LOG`.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command};

use fluo_zookeeper::{Link, ZooKeeper};
use zookeeper_client::{Acls, Client, CreateMode, Error};

use crate::command::{Place, Run, assert_says, ended, signal};

const SECRET: &str = "hunter2";
const ID: &str = "/fluo/web/config/fluo.application.id";
pub(crate) const SERVERS: &str = "/fluo/web/oracle/server";
const LOST: &str = "WARN fluo_accumulo::oracle::server::run: the oracle does not lead any more ";

/// The application `web`, as Fluo creates it in ZooKeeper.
pub(crate) struct Application {
    place: Place,
    zookeeper: ZooKeeper,
    pub(crate) client: Client,
    /// The link of the client, which is closed when this is dropped.
    _own: Link,
    link: Link,
}

impl Application {
    pub(crate) async fn new() -> Self {
        let zookeeper = ZooKeeper::new();
        let [own, link] = [zookeeper.link(), zookeeper.link()];
        let client = Client::connect(&own.address()).await.unwrap();
        let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
        for folder in ["/fluo/web/config", SERVERS, "/fluo/web/transactor/timestamps"] {
            client.mkdir(folder, &persistent).await.unwrap();
        }
        for (path, data) in [
            (ID, "id"),
            ("/fluo/web/oracle/max-timestamp", "2"),
            ("/fluo/web/oracle/gc-timestamp", "0"),
        ] {
            let created = client.create(path, data.as_bytes(), &persistent);
            created.await.unwrap();
        }
        Self { place: Place::new(), zookeeper, client, _own: own, link }
    }

    /// Returns the command of an oracle, not yet started.
    pub(crate) fn command(&self, options: &[&str]) -> Command {
        let zookeepers = format!("{}/fluo", self.link.address());
        let arguments = ["oracle", "--host", "localhost", "--zookeepers"];
        let arguments = arguments.into_iter().chain([&*zookeepers, "web"]);
        let mut command = self.place.command(arguments.chain(options.iter().copied()));
        command.env("FLUO_ZOOKEEPER_SECRET", SECRET);
        command
    }

    /// Starts an oracle, and waits until it leads.
    fn oracle(&self, options: &[&str], directives: Option<&str>) -> Oracle {
        let mut command = self.command(options);
        if let Some(directives) = directives {
            command.env("FLUO_LOG", directives);
        }
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut oracle = Oracle { child, stdout };
        assert_says(&oracle.line(), "leads at localhost:");
        oracle
    }

    /// Removes the election node of the oracle, which then stands for election again.
    async fn depose(&self) {
        for name in self.zookeeper.children(SERVERS) {
            let deleted = self.client.delete(&format!("{SERVERS}/{name}"), None).await;
            // An oracle that ends by itself removes its node.
            assert!(matches!(deleted, Ok(()) | Err(Error::NoNode)), "{deleted:?}");
        }
    }

    /// Runs an oracle that loses the lead once, and stops it. Returns its standard error.
    async fn deposed(&self, options: &[&str], directives: Option<&str>) -> String {
        let mut oracle = self.oracle(options, directives);
        self.depose().await;
        assert_eq!(oracle.line(), "does not lead any more\n");
        assert_says(&oracle.line(), "leads at localhost:");
        let run = oracle.stopped().succeeds();
        assert!(!run.stderr.contains(SECRET), "{}", run.stderr);
        run.stderr
    }
}

struct Oracle {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Oracle {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    fn stopped(self) -> Run {
        signal(self.child.id(), "TERM");
        ended(self.child)
    }
}

/// Checks the time at the beginning of a line, such as `2026-07-01T12:00:00.000000Z`.
#[track_caller]
fn assert_begins_with_time(line: &str) {
    let time = line.split(' ').next().unwrap_or_default();
    assert!(humantime::parse_rfc3339(time).is_ok(), "{line}");
}

/// Covers a bug: an oracle that lost its lead gave no reason.
#[tokio::test(flavor = "multi_thread")]
async fn warnings_are_logged_unless_told_otherwise() {
    let web = Application::new().await;
    let log = web.deposed(&[], None).await;
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 3, "{log}");
    assert_eq!(lines[0], "oracle for `web`: waiting to become leader");
    assert_begins_with_time(lines[1]);
    assert_says(lines[1], LOST);
    assert!(!log.contains('\u{1b}'), "{log}");
    assert_eq!(lines[2], "the oracle of application `web` has stopped");

    let log = web.deposed(&[], Some("error")).await;
    assert_eq!(log.lines().count(), 2, "{log}");
    let log = web.deposed(&[], Some("fluo_accumulo=off")).await;
    assert_eq!(log.lines().count(), 2, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_is_logged_on_request() {
    let web = Application::new().await;
    let leads = "INFO fluo_accumulo::oracle::server::run: the oracle at localhost:";
    for (options, directives) in [
        (&["-v"][..], None),
        // An argument takes precedence.
        (&["--verbose"], Some("off")),
        (&[], Some("info")),
        (&[], Some("off,fluo_accumulo=info")),
    ] {
        let log = web.deposed(options, directives).await;
        assert_says(&log, leads);
        assert_says(&log, LOST);
        assert!(!log.contains(" DEBUG "), "{log}");
    }
    let log = web.deposed(&["-vv"], None).await;
    assert_says(&log, "DEBUG connect: zookeeper_client::session: ");
    assert!(!log.contains(" TRACE "), "{log}");
    web.deposed(&["-vvv"], None).await;
}

/// Tests that the error of the command is not also a line of the log.
#[tokio::test(flavor = "multi_thread")]
async fn the_oracle_of_a_removed_application_ends_with_one_message() {
    let web = Application::new().await;
    let mut oracle = web.oracle(&[], None);
    web.client.delete(ID, None).await.unwrap();
    web.depose().await;
    assert_eq!(oracle.line(), "does not lead any more\n");
    assert_eq!(oracle.line(), "");
    let run = ended(oracle.child);
    assert_eq!(run.code, Some(2));
    let removed = "application `web` does not exist; create it first, with `fluo app init`";
    assert_eq!(run.error(), removed);
    let told = run.stderr.matches("does not exist").count();
    assert_eq!(told, 1, "{}", run.stderr);
}

/// Connects to a server that closes its first connection while a progress line is drawn.
#[test]
fn lines_are_written_above_the_progress_at_a_terminal() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let oracle = format!("oracle --zookeepers {address}/fluo web");
    let session = Place::new().at_terminal(&oracle, &[]);
    let connection = server.accept().unwrap();
    let progress = "connecting to ZooKeeper (";
    session.waits_for(progress);
    drop(connection);
    session.waits_for(" WARN zookeeper_client");
    let (code, shown) = session.ended();
    assert_eq!(code, Some(2), "{shown}");
    let warning = shown.lines().find(|line| line.contains(" WARN ")).unwrap();
    // The terminal shows the text after the last deletion of the line.
    let (_, visible) = warning.rsplit_once("\u{1b}[2K").unwrap();
    assert_begins_with_time(visible);
    assert!(!visible.contains(progress), "{visible}");
}
