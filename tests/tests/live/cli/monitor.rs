//! The figures of an operator: `fluo top` and `fluo monitor`.

use std::process::{Child, Command};
use std::time::Duration;

use fluo_engine::{Column, InstanceExt, Transaction};
use fluo_keys::RowHasher;
use fluo_process::monitor::{Monitor, MonitorOptions};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::table_optimizations;
use fluo_tests::until;
use serde_json::{Value, json};

use super::applications::{Operator, SHORT_PAUSE};
use super::process::{Running, ask};

const TEXT: Column = Column::from_static("page", "text");

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name]).arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
}

#[track_caller]
fn only<'a>(figures: &'a Value, list: &str) -> &'a Value {
    let found = figures[list].as_array().unwrap();
    assert_eq!(found.len(), 1, "{figures}");
    &found[0]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sees_what_waits_and_who_works() {
    let Some(operator) = Operator::new() else { return };
    let name = operator.application();
    let fluo = operator.instance().await;
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap().buckets(1).unwrap();
    let pages = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    let (setting, pause) = SHORT_PAUSE.split_once('=').unwrap();
    let application = fluo.application(name).recipe(&words).recipe(&pages).set(setting, pause);
    let nothing = async |_, _| Ok::<(), fluo_engine::Error>(());
    let application = application.observe(&TEXT, "measure", nothing);
    application.initialize().await.unwrap();
    let wanted = table_optimizations(&application.settings()).unwrap();
    wanted.plan(&fluo, name).await.unwrap().apply(&fluo).await.unwrap();
    let oracle = operator.oracle();
    let client = application.open().await.unwrap();
    let load = async |tx: Transaction| {
        words.extend(&tx, [("cat".to_owned(), 1)])?;
        ["a", "b"].into_iter().try_for_each(|row| tx.set(row, &TEXT, row))
    };
    client.run(load).await.unwrap();

    let figures = operator.run("top --count 1 --json").succeeds().json();
    assert_eq!(figures["errors"], Value::Array(Vec::new()), "{figures}");
    let found = only(&figures, "applications");
    assert_eq!(found["notifications"]["count"], 3, "{found}");
    assert_eq!(found["workers"], Value::Array(Vec::new()));
    assert!(found["oracles"][0].as_str().unwrap().starts_with("localhost:"), "{found}");
    assert_eq!(found["queues"][0]["id"], "wc");
    assert_eq!(found["queues"][0]["entries"], 1);
    let alarm = format!("application `{name}`: notifications wait, and no worker runs");
    assert_eq!(figures["alarms"][0], alarm);
    let table = only(&figures, "tables");
    let tablets = table["tablets"].as_u64().unwrap();
    assert!(tablets > 4, "{table}");
    let servers = table["servers"].as_object().unwrap();
    assert_eq!(servers.len(), 2, "{table}");
    let hosted = servers.values().map(|server| server["tablets"].as_u64().unwrap());
    assert_eq!(hosted.sum::<u64>() + table["unhosted"].as_u64().unwrap(), tablets, "{table}");
    assert_eq!(table["groups"][0]["tablets"], 4, "{table}");
    let shown = operator.run("top --count 1").succeeds().stdout;
    assert!(shown.contains(&alarm) && shown.contains(" by server:\n"), "{shown}");

    let worker = client.worker().start().await.unwrap();
    client.wait_until_idle().await.unwrap();
    let mut command = operator.command("monitor --listen 127.0.0.1:0 --interval 1s --json");
    let mut monitor = Running(command.spawn().unwrap());
    let line: Value = serde_json::from_str(&monitor.line()).unwrap();
    let address = line["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let mut figures = Value::Null;
    let has_share = async || {
        // The answer before the first reading is a sentence.
        figures = serde_json::from_str(&ask(&address, "/figures")).unwrap_or_default();
        figures["applications"][0]["workers"][0]["part"] == json!([1, 1])
    };
    until("the worker has its share", has_share).await;
    let found = only(&figures, "applications");
    assert_eq!(found["notifications"]["count"], 0, "{found}");
    assert_eq!(found["queues"][0]["entries"], 0, "{found}");
    let metrics = ask(&address, "/metrics");
    for line in [
        format!("fluo_monitor_oracles{{application=\"{name}\"}} 1\n"),
        format!("fluo_monitor_workers{{application=\"{name}\"}} 1\n"),
        format!("fluo_monitor_queue_entries{{application=\"{name}\",queue=\"wc\"}} 0\n"),
        format!("fluo_monitor_group_tablets{{table=\"{name}\",group=\"p:\"}} 4\n"),
        "fluo_monitor_errors 0\n".to_owned(),
    ] {
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
    // A monitor that ends by itself leaves no session behind, for which the removal would wait.
    signal(&monitor.0, "INT");
    monitor.0.wait().unwrap();

    // An oracle that was suspended accepts connections, and answers nothing.
    worker.stop().await;
    drop(client);
    let idle = format!("{name}_idle");
    fluo.application(&idle).initialize().await.unwrap();
    signal(&oracle, "STOP");
    let options = MonitorOptions::new("here").needs_oracle(true);
    let options = options.applications([name.to_owned(), idle.clone()]);
    let limit = Duration::from_secs(5);
    let mut monitor = Monitor::new(fluo.clone(), options.limit(limit).unwrap());
    let error = format!("application `{name}`: no answer within 5 s");
    let are_others_read = async || {
        let figures = monitor.read().await;
        let is_read = figures.tables.len() == 2 && figures.applications[1].notifications.is_some();
        is_read && figures.errors.contains(&error)
    };
    until("the other application is read", are_others_read).await;
    drop(monitor);
    signal(&oracle, "CONT");
    operator.stop(oracle);
    drop(application);
    let is_stopped = async || operator.run("app status").succeeds().stdout == "STOPPED\n";
    until("the application is stopped", is_stopped).await;
    operator.run("app remove --yes").succeeds();
    let idle = Operator { application: idle, ..operator };
    idle.run("app remove --yes").succeeds();
}
