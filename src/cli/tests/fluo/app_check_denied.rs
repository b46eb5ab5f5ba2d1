//! `fluo app check` by a user who may not read the properties of the table.

use fluo_accumulo::{AccumuloOptions, Oracle, OracleOptions};
use fluo_table::coordination::Application;
use fluo_zookeeper::ZooKeeper;
use serde_json::json;
use zookeeper_client::{Acls, Client, CreateMode};

use crate::command::{Place, Run};
use crate::fake::{Fake, PASSWORD};
use crate::servers::{OLD, PAGES};

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_alter_table_reads_what_was_not_checked() {
    let (place, zookeeper) = (Place::new(), ZooKeeper::new());
    let link = zookeeper.link();
    let client = Client::connect(&link.address()).await.unwrap();
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    client.mkdir("/accumulo/instances", &options).await.unwrap();
    client.create("/accumulo/instances/fluo", b"instance-1", &options).await.unwrap();
    let proxy = Fake::start(|request| OLD.answer(request)).await;
    let address = format!("{}/fluo", link.address());
    let fluo = AccumuloOptions::new(proxy.settings(), &*address);
    let fluo = fluo_accumulo::connect(fluo).await.unwrap();
    fluo.applications().initialize("web", Application::new("1", PAGES)).await.unwrap();
    let oracle = OracleOptions::new(&*address, "web").unwrap().host("localhost");
    let mut oracle = Oracle::start(oracle).await.unwrap();
    oracle.wait_for_lead().await.unwrap();
    let check = |more: &str| {
        let at = format!("--at proxy:{} --user root --zookeepers {address}", proxy.address());
        let arguments = format!("app check {at} {more} web");
        let mut command = place.command(arguments.split_whitespace());
        Run::of(command.env("FLUO_PASSWORD", PASSWORD).output().unwrap()).succeeds()
    };

    let run = check("");
    let lacks = "user `root` lacks the permission ALTER_TABLE on table `pages` (";
    let starts = [
        format!("note: the table was not compared with its coordination: {lacks}"),
        format!("note: the class path of the table was not checked: {lacks}"),
    ];
    let notes: Vec<_> = run.stderr.lines().collect();
    assert_eq!(notes.len(), 2, "{}", run.stderr);
    for (note, start) in notes.into_iter().zip(starts) {
        assert!(note.starts_with(&start), "{note}");
    }
    let ok = "OK: application `web` fits table `pages`: 0 entries, all before timestamp ";
    let (next, unknown) = run.text().strip_prefix(ok).unwrap().split_once("; ").unwrap();
    assert!(next.parse::<u64>().is_ok(), "{next}");
    assert_eq!(unknown, "the epochs were not compared\n");

    let shown = check("--json").json();
    let found = ["ok", "table_compared", "table_error", "missing_class_path"];
    let found = found.map(|name| shown[name].clone());
    assert_eq!(found, [json!(true), json!(false), json!(null), json!(null)], "{shown}");
    oracle.stop().await;
}
