//! Commands on applications in the ZooKeeper of a cluster.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use accumulo_proxy::{CloneOptions, ProxyClient};
use fluo_accumulo::{AccumuloOptions, ProxyOptions};
use fluo_cluster::Cluster;
use fluo_engine::{Client, InstanceExt, Transaction};
use fluo_table::{Column, Instance, TableAdmin, Versions};
use zookeeper_client::{Acls, CreateMode};

use super::{Fluo, Run, assert_says, fluo, name};

const CHROOT: &str = "/commands";
const ROWS: usize = 20;
/// Workers begin after a second, and not after a minute.
pub(super) const SHORT_PAUSE: &str = "fluo.impl.worker.finder.maxSleep=1000";

/// An operator whose configuration file has the cluster as the profile `here`.
pub(super) struct Operator {
    pub(super) fluo: Fluo,
    pub(super) zookeepers: String,
    pub(super) application: String,
}

impl Operator {
    pub(super) fn new() -> Option<Self> {
        Some(Self::of(fluo()?, &name("commands")))
    }

    /// Returns an operator with the user of this command.
    pub(super) fn of(fluo: Fluo, application: &str) -> Self {
        // The shared secret of Accumulo 2.x is in the environment, and a profile has no secrets.
        let user = match fluo.secret {
            Some(_) => String::new(),
            None => format!("user = \"{}\"\n", fluo.user),
        };
        let site = Cluster::shared().unwrap().site();
        let zookeepers = format!("{}{CHROOT}", site.zookeepers);
        let target = format!("target = \"proxy:{}\"\n", fluo.address);
        fluo.file(
            "config.toml",
            format!("[at.here]\n{target}{user}zookeepers = \"{zookeepers}\"\n"),
        );
        Self { fluo, zookeepers, application: application.to_owned() }
    }

    /// Returns a command on the application, not yet started.
    pub(super) fn command(&self, arguments: &str) -> Command {
        let mut command = self.fluo.bare();
        command
            .args(arguments.split_whitespace())
            .arg(&self.application)
            .env("FLUO_CONFIG", "config.toml")
            .env("FLUO_AT", "here");
        command
    }

    pub(super) fn run(&self, arguments: &str) -> Run {
        self.fluo.judge(self.command(arguments).output().unwrap())
    }

    /// Runs a command on a queue of the application.
    pub(super) fn run_on(&self, arguments: &str, queue: &str) -> Run {
        let mut command = self.command(arguments);
        self.fluo.judge(command.arg(queue).output().unwrap())
    }

    pub(super) fn zookeepers(&self) -> &str {
        &self.zookeepers
    }

    /// The address of the proxy.
    pub(super) fn address(&self) -> &str {
        &self.fluo.address
    }

    pub(super) fn application(&self) -> &str {
        &self.application
    }

    /// Connects this process, as a program of the application.
    pub(super) async fn instance(&self) -> Instance {
        let credentials = Cluster::shared().unwrap().site().credentials();
        let proxy = ProxyOptions::new(&self.fluo.address, credentials);
        let options = AccumuloOptions::new(proxy, &self.zookeepers);
        fluo_accumulo::connect(options).await.unwrap()
    }

    /// Starts an oracle, and waits until it leads.
    pub(super) fn oracle(&self) -> Child {
        let mut oracle = self.command("oracle --host localhost").spawn().unwrap();
        let mut line = String::new();
        let output = oracle.stdout.as_mut().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert!(line.starts_with("leads at localhost:"), "{line}");
        oracle
    }

    /// Stops an oracle with SIGTERM, and checks that it stops with grace.
    pub(super) fn stop(&self, oracle: Child) {
        let killed = Command::new("kill").arg(oracle.id().to_string()).status();
        assert!(killed.unwrap().success());
        let run = self.fluo.judge(oracle.wait_with_output().unwrap());
        assert_says(&run.succeeds().stderr, "has stopped\n");
    }
}

fn links() -> Column {
    Column::new("page", "links")
}

async fn load(client: &Client) {
    for number in 0..ROWS {
        let body = async |tx: Transaction| tx.set(format!("page{number:02}"), &links(), "a b");
        client.run(body).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_is_made_served_watched_and_removed_by_commands() {
    let Some(operator) = Operator::new() else { return };
    let name = &operator.application;
    let run = operator.run(&format!(
        "app init --observe page:links=strong,count --set limit=3 --set {SHORT_PAUSE}"
    ));
    assert_says(&run.succeeds().stderr, "initialized application `commands");
    assert_eq!(operator.run("app status").succeeds().stdout, "STOPPED\n");
    assert_says(&operator.run("app config").succeeds().stdout, "limit = 3\n");
    // Covers a bug: without an oracle the command took a minute, whatever its timeout.
    let unknown = operator.run("wait --timeout 0s").fails();
    assert_says(&unknown, "an oracle, which hands out timestamps, did not answer within");

    let oracle = operator.oracle();
    let fluo = operator.instance().await;
    let nothing = async |_, _| Ok::<(), fluo_engine::Error>(());
    let application = fluo.application(name).observe(&links(), "count", nothing);
    let client = application.open().await.unwrap();
    load(&client).await;
    let run = operator.run("notifications list").succeeds();
    assert_eq!(run.stdout.lines().count(), ROWS, "{}", run.stdout);
    assert_says(&run.stderr, "20 notifications wait");
    operator.run("wait --timeout 0s").differs();
    let refused = operator.run("app remove --yes").fails();
    assert_says(&refused, "is running; stop its clients and workers first");

    // Another oracle leads at once, and not after the 30 s of a lost session.
    operator.stop(oracle);
    let (servers, path) = operator.zookeepers.split_once('/').unwrap();
    let zookeeper = zookeeper_client::Client::connect(servers).await.unwrap();
    let candidates = zookeeper.list_children(&format!("/{path}/{name}/oracle/server"));
    assert_eq!(candidates.await.unwrap(), [""; 0]);
    let oracle = operator.oracle();

    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    assert_eq!(operator.run("app status").succeeds().stdout, "RUNNING\n");
    operator.run("wait --timeout 60s").succeeds();
    let run = operator.run("scan").succeeds();
    assert_eq!(run.stdout.lines().count(), ROWS);
    assert_says(&run.stdout, "page07 page links");
    assert_says(&operator.run("queue list").succeeds().stderr, "0 queues");
    worker.stop().await;
    drop((client, fluo));
    let stopped = || operator.run("app status").succeeds().stdout == "STOPPED\n";
    while !stopped() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let run = operator.run("app remove --yes").succeeds();
    assert_says(&run.stderr, "removed application `commands");
    // The oracle of a removed application ends, and states the reason once.
    let run = operator.fluo.judge(oracle.wait_with_output().unwrap());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let reasons = run.stderr.matches("does not exist").count();
    assert_eq!(reasons, 1, "{}", run.stderr);
    assert_eq!(operator.run("app status").succeeds().stdout, "NOT_FOUND\n");
    let missing = operator.run("oracle --host localhost").fails();
    assert_says(&missing, "does not exist; create it first, with `fluo app init`");
}

/// ZooKeeper is restored from an older backup than the table.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_finds_a_table_that_is_newer_than_zookeeper() {
    let Some(operator) = Operator::new() else { return };
    let name = &operator.application;
    operator.run("app init --observe page:links=strong,count").succeeds();
    let oracle = operator.oracle();
    let fluo = operator.instance().await;
    let nothing = async |_, _| Ok::<(), fluo_engine::Error>(());
    let client = fluo.application(name).observe(&links(), "count", nothing).open().await.unwrap();
    load(&client).await;
    let (servers, path) = operator.zookeepers.split_once('/').unwrap();
    let zookeeper = zookeeper_client::Client::connect(servers).await.unwrap();
    let count = format!("/{path}/{name}/transactor/count");
    let (counted, _) = zookeeper.get_data(&count).await.unwrap();
    let older = format!("The coordination is older than table `{name}`: restore a later backup");
    zookeeper.delete(&count, None).await.unwrap();
    let run = operator.run("app check").differs();
    let alive = format!(
        "NOT OK: transactor 1 of application `{name}` is alive, and `/transactor/count` has 0\nRestore another backup"
    );
    assert_says(&run.stdout, &alive);
    drop((client, fluo));
    while operator.run("app status").succeeds().stdout != "STOPPED\n" {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let run = operator.run("app check").differs();
    let lock =
        format!("is a lock of transactor 1; the last one of application `{name}` is 0\n{older}");
    assert_says(&run.stdout, &lock);
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    zookeeper.create(&count, &counted, &options).await.unwrap();
    let run = operator.run("app check").succeeds();
    assert_says(&run.stdout, &format!("OK: application `{name}` fits table `{name}`: "));
    operator.stop(oracle);

    let counter = format!("/{path}/{name}/oracle/max-timestamp");
    zookeeper.set_data(&counter, b"2", None).await.unwrap();
    let oracle = operator.oracle();
    let run = operator.run("app check").differs();
    assert_says(&run.stdout, "has a timestamp that application");
    assert_says(&run.stdout, "The coordination is older than table");
    operator.stop(oracle);
    operator.run("app remove --yes").succeeds();
}

/// Sets a value in each row, as a program that stops afterwards.
async fn set_all(operator: &Operator, value: &'static str) {
    let fluo = operator.instance().await;
    let nothing = async |_, _| Ok::<(), fluo_engine::Error>(());
    let application = fluo.application(&operator.application);
    let client = application.observe(&links(), "count", nothing).open().await.unwrap();
    for number in 0..ROWS {
        let body = async |tx: Transaction| tx.set(format!("page{number:02}"), &links(), value);
        client.run(body).await.unwrap();
    }
    drop((client, fluo));
    while operator.run("app status").succeeds().stdout != "STOPPED\n" {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn assert_all_have(operator: &Operator, value: &str) {
    let rows = operator.run("scan").succeeds().stdout;
    assert_eq!(rows.lines().count(), ROWS, "{rows}");
    assert!(rows.lines().all(|row| row.ends_with(value)), "{rows}");
}

/// Does what "Backup and restore" in `docs/operating.md` says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_is_backed_up_and_restored() {
    let Some(operator) = Operator::new() else { return };
    let name = &operator.application;
    let (copy, newer) = (format!("{name}_backup"), format!("{name}_newer"));
    let credentials = Cluster::shared().unwrap().site().credentials();
    let proxy = ProxyClient::connect(ProxyOptions::new(operator.address(), credentials));
    let proxy = proxy.await.unwrap();
    let tables = proxy.table_operations();
    let clone = async |from: &str, to: &str| {
        tables.clone_table(from, to, CloneOptions::default()).await.unwrap();
    };
    operator.run("app init --observe page:links=strong,count").succeeds();
    let oracle = operator.oracle();
    set_all(&operator, "old").await;
    clone(name, &copy).await;
    let run = operator.run_on("app backup", "web.nodes").succeeds();
    assert_says(&run.stderr, &format!("nodes of application `{name}` to web.nodes"));
    set_all(&operator, "new").await;
    let refused = operator.run_on("app restore", "web.nodes").fails();
    assert_says(&refused, "is already initialized; open it, or remove it first");
    operator.stop(oracle);

    operator.run("app remove --yes").succeeds();
    clone(&copy, name).await;
    operator.run_on("app restore", "web.nodes").succeeds();
    let oracle = operator.oracle();
    let ok = format!("OK: application `{name}` fits table `{name}`: ");
    assert_says(&operator.run("app check").succeeds().stdout, &ok);
    assert_all_have(&operator, "old");
    set_all(&operator, "later").await;
    assert_all_have(&operator, "later");
    assert_says(&operator.run("app check").succeeds().stdout, &ok);
    operator.stop(oracle);

    // The nodes of the backup with the later table.
    tables.rename(name, &newer).await.unwrap();
    operator.run("app remove --yes").succeeds();
    tables.rename(&newer, name).await.unwrap();
    operator.run_on("app restore", "web.nodes").succeeds();
    let run = operator.run("app check").differs();
    let old = format!("NOT OK: the coordination of the application `{name}` is an old copy; use");
    assert_says(&run.stdout, &old);
    operator.run("app remove --yes").succeeds();
    tables.delete(&copy).await.unwrap();
}

/// Jars that only one class path has: a class without methods, as `javac` compiles it.
fn only_here(folder: &Path) {
    let mut class = b"\xca\xfe\xba\xbe\0\0\0\x34\0\x0a".to_vec();
    let text = |text: &str| [&[1, 0, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    class.extend(b"\x07\0\x02");
    class.extend(text("OnlyHere"));
    class.extend(b"\x07\0\x04");
    class.extend(text("java/lang/Object"));
    class.extend(text("<init>"));
    class.extend(text("()V"));
    class.extend(text("Code"));
    // Its constructor calls that of the class above.
    class.extend(b"\x0c\0\x05\0\x06\x0a\0\x03\0\x08");
    class.extend(b"\0\x21\0\x01\0\x03\0\0\0\0\0\x01\0\x01\0\x05\0\x06\0\x01");
    class.extend(b"\0\x07\0\0\0\x11\0\x01\0\x01\0\0\0\x05\x2a\xb7\0\x09\xb1\0\0\0\0\0\0");
    std::fs::write(folder.join("OnlyHere.class"), class).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_loads_its_iterators_from_jars_of_its_own() {
    let Some(operator) = Operator::new() else { return };
    let name = &operator.application;
    let jars = std::fs::read_dir(&Cluster::shared().unwrap().site().jars).unwrap();
    let jars = jars.map(|jar| jar.unwrap().path()).filter(|jar| {
        let name = jar.file_name().unwrap().to_str().unwrap();
        name.starts_with("fluo-accumulo") || name.starts_with("fluo-api")
    });
    let folder = tempfile::tempdir().unwrap();
    only_here(folder.path());
    let mut urls = vec![format!("file://{}/", folder.path().display())];
    for jar in jars {
        let copy = folder.path().join(jar.file_name().unwrap());
        std::fs::copy(&jar, &copy).unwrap();
        urls.push(format!("file://{}", copy.display()));
    }
    assert_eq!(urls.len(), 3, "{urls:?}");
    let (first, others) = urls.split_first().unwrap();
    let others = others.join(",");
    let init = format!("app init --observe page:links=strong,count --jars {first} --jars {others}");
    operator.run(&init).succeeds();

    let fluo = operator.instance().await;
    let context = format!("fluo-{name}");
    assert_eq!(fluo.class_path(&context).await.unwrap(), Some(urls.join(",")));
    assert_eq!(fluo.properties(name).await.unwrap()["table.classpath.context"], context);
    let other = format!("{name}_other");
    fluo.create_table(&other, Versions::All).await.unwrap();
    for (table, loads) in [(name, true), (&other, false)] {
        let found = fluo.can_load(table, "OnlyHere", "java.lang.Object").await.unwrap();
        assert_eq!(found, loads, "{table}");
    }
    fluo.delete_table(&other).await.unwrap();

    let oracle = operator.oracle();
    let nothing = async |_, _| Ok::<(), fluo_engine::Error>(());
    let client = fluo.application(name).observe(&links(), "count", nothing).open().await.unwrap();
    load(&client).await;
    drop(client);
    operator.run("app gc").succeeds();
    operator.run("app check").succeeds();
    fluo.set_class_path(&context, None).await.unwrap();
    let run = operator.run("app check").differs();
    let missing = format!(
        "NOT OK: no system property has the jars of `{context}`, the class path of table `{name}`"
    );
    assert_says(&run.stdout, &missing);
    fluo.set_class_path(&context, Some(&urls.join(","))).await.unwrap();
    drop(fluo);
    operator.stop(oracle);
    operator.run("app remove --yes").succeeds();
    let fluo = operator.instance().await;
    assert_eq!(fluo.class_path(&context).await.unwrap(), None);
}

/// No command waits for ever for a server that is not there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_address_of_zookeeper_is_an_error() {
    let Some(operator) = Operator::new() else { return };
    let refused = operator.run("app status --zookeepers localhost:1/x").fails();
    assert_says(&refused, "ZooKeeper at `localhost:1` cannot be reached");
    let refused = operator.run("app status --zookeepers localhost:1").fails();
    assert_says(&refused, "write HOST:PORT,HOST:PORT/PATH");
}
