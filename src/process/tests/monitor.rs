//! The figures that a monitor reads, and the answers of its port.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must say so")]

use std::net::SocketAddr;
use std::time::Duration;

use fluo_engine::{Client, Column, Instance, InstanceExt};
use fluo_keys::{RowHasher, VerifyOptions};
use fluo_process::monitor::{
    Figures, History, METRICS, Monitor, MonitorOptions, MonitorPort, MonitoredTable, WorkFigures,
};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_table::coordination::{FailedNotification, ObserverKind};
use fluo_table::{RowColumn, TableAdmin, Timestamp, Versions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

const TEXT: Column = Column::from_static("page", "text");

fn options() -> MonitorOptions {
    MonitorOptions::new("memory")
}

/// Creates an application with an observed column, a queue and a row hasher.
async fn web(fluo: &Instance) -> Client {
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
    let pages = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    let web = fluo.application("web").recipe(&words).recipe(&pages);
    web.observe(&TEXT, "measure", async |_, _| Ok::<_, fluo_engine::Error>(()))
        .create()
        .await
        .unwrap()
}

/// Adds entries to the queue of the application.
async fn count_words(client: &Client) {
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
    client.run(async |tx| words.extend(&tx, [("cat", 1), ("dog", 1)])).await.unwrap();
}

#[tokio::test]
async fn reads_applications_and_their_tables() {
    let fluo = Instance::in_memory();
    let client = web(&fluo).await;
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    count_words(&client).await;
    let coordination = fluo.applications().open("web").await.unwrap();
    let cell = RowColumn { row: "org.rust".into(), column: TEXT };
    let at = Timestamp::FIRST;
    let failed = FailedNotification {
        cell,
        timestamp: at,
        kind: ObserverKind::Strong,
        tries: 5,
        error: "no network".to_owned(),
        failed_at_ms: 0,
    };
    coordination.add_dead_letter(failed).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();
    transactor.publish_oldest_active(Some(at)).await.unwrap();
    let _worker = coordination.join_workers().await.unwrap();
    let figures = Monitor::new(fluo.clone(), options()).read().await;
    assert!(figures.errors.is_empty(), "{figures:?}");
    let [web] = &figures.applications[..] else { panic!("{figures:?}") };
    let waiting = web.notifications.unwrap();
    // The queue has one for the bucket of each entry, or one for both.
    assert!((2..=3).contains(&waiting.count) && waiting.is_complete, "{waiting:?}");
    assert_eq!((web.dead_letters, web.oldest_active), (1, Some(2)));
    assert_eq!((web.queues[0].id.as_str(), web.queues[0].entries), ("wc", 2));
    assert_eq!(web.workers.len(), 1);
    assert_eq!((web.workers[0].part, web.workers[0].ranges), (Some([1, 1]), 1));
    let [table] = &figures.tables[..] else { panic!("{figures:?}") };
    assert_eq!((table.name.as_str(), table.tablets), ("web", 1));
    assert!(table.differences.as_ref().unwrap()[0].contains("split point"), "{table:?}");
    let alarms = figures.alarms.join("\n");
    assert!(alarms.contains("application `web`: 1 dead letter"), "{alarms}");
    assert!(alarms.contains("table `web`: "), "{alarms}");
}

#[tokio::test]
async fn reads_a_table_against_its_spec() {
    let fluo = Instance::in_memory();
    fluo.create_table("pages", Versions::default()).await.unwrap();
    let wanted = RowHasher::new("p").unwrap().table_optimizations(4).unwrap();
    wanted.plan(&fluo, "pages").await.unwrap().apply(&fluo).await.unwrap();
    let pages = MonitoredTable::new("pages").wanted(wanted, VerifyOptions::new());
    let tables = [pages, MonitoredTable::new("none")];
    let figures = Monitor::new(fluo, options().tables(tables)).read().await;
    assert_eq!(figures.errors, ["table `none`: there is no table `none`"]);
    assert_eq!(figures.alarms, figures.errors);
    let table = &figures.tables[0];
    assert_eq!((table.tablets, table.differences.as_deref()), (5, Some(&[][..])));
    assert_eq!((table.groups[0].name.as_str(), table.groups[0].tablets), ("p:", 4));
}

#[tokio::test]
async fn checks_the_limit() {
    let error = options().limit(Duration::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "option `limit` is 0ns; it must be at least 1ms");
    let fluo = Instance::in_memory();
    let _client = web(&fluo).await;
    let figures = Monitor::new(fluo, options().limit(Duration::MAX).unwrap()).read().await;
    assert!(figures.errors.is_empty(), "{figures:?}");
}

/// An error in one application hides no other one.
#[tokio::test]
async fn reads_other_applications_after_an_error() {
    let fluo = Instance::in_memory();
    let _client = web(&fluo).await;
    let names = ["nope", "web"].map(str::to_owned);
    let figures = Monitor::new(fluo, options().applications(names)).read().await;
    assert_eq!(figures.errors.len(), 1, "{figures:?}");
    assert!(figures.errors[0].starts_with("application `nope`: "), "{figures:?}");
    assert_eq!(figures.applications[0].notifications, None);
    assert!(figures.applications[1].notifications.is_some());
}

/// Answers each request with the next of some texts.
async fn serve(texts: Vec<&'static str>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for text in texts {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1_024];
            let read = stream.read(&mut request).await.unwrap();
            let request = request.get(..read).unwrap();
            assert!(request.starts_with(b"GET /metrics HTTP/1.1\r\n"));
            stream.write_all(text.as_bytes()).await.unwrap();
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn divides_the_increase_of_counters_by_the_time() {
    let first = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\
        # TYPE fluo_transactions_total counter\n\
        fluo_transactions_total{outcome=\"committed\"} 1000000\n\
        fluo_transactions_total{outcome=\"conflict\"} 5\n\
        fluo_transactions_recovered_total 7\n";
    let second = "HTTP/1.0 200 OK\r\n\r\n\
        fluo_transactions_total{outcome=\"committed\"} 20\n\
        fluo_transactions_recovered_total{cause=\"dead\"} 8\n\
        fluo_transactions_recovered_total{cause=\"timed out\"} 1\n";
    let page = "HTTP/1.0 200 OK\r\n\r\n<p>fluo_transactions_total</p>";
    let timed = "HTTP/1.0 200 OK\r\n\r\n\
        fluo_transactions_total{a=\"outcome\", outcome=\"committed\"} 7 1795999000000\n\
        fluo_transactions_total{other=\"conflict\"} 1\n\
        fluo_transactions_total{outcome=\"conflict\"} NaN\n";
    let third = "HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n";
    let address = serve(vec![first, second, timed, timed, third, page]).await.to_string();
    let mut monitor = Monitor::new(Instance::in_memory(), options().metrics([&*address]).unwrap());
    let work = monitor.read().await.work.unwrap();
    assert_eq!((work.transactions, &work.sources[0].error), (None, &None), "{work:?}");
    let work = monitor.read().await.work.unwrap();
    // The process was restarted, so 20 are new; 2 recovered ones of 9 are.
    let ratio = work.transactions.unwrap() / work.recoveries.unwrap();
    assert!((ratio - 10.0).abs() < 1e-6, "{work:?}");
    assert_eq!(work.conflicts, Some(0.0));
    for _ in 0..2 {
        let work = monitor.read().await.work.unwrap();
        assert_eq!((work.conflicts, &work.sources[0].error), (Some(0.0), &None), "{work:?}");
    }
    let figures = monitor.read().await;
    let failed = format!("metrics of {address}: the answer at /metrics has the status 500");
    assert_eq!(figures.alarms, [failed]);
    let figures = monitor.read().await;
    let other = format!("metrics of {address}: the answer has no `fluo_transactions_total`");
    assert_eq!(figures.alarms, [other]);
    // No process listens any more.
    let figures = monitor.read().await;
    assert!(figures.alarms[0].starts_with(&format!("metrics of {address}: ")), "{figures:?}");
    for wrong in
        ["", "worker", "https://worker:9464", "http://:9464", "a b:1", "a:0", "a:1/?b", "b@a:1"]
    {
        let error = options().metrics([wrong]).unwrap_err();
        assert!(error.to_string().ends_with("write HOST:PORT"), "{wrong}: {error}");
    }
}

#[test]
fn the_history_covers_an_hour() {
    let mut history = History::default();
    let mut figures = Figures::default();
    figures.work = Some(WorkFigures::default());
    for minute in 0..=90 {
        figures.time_ms = minute * 60_000;
        let work = figures.work.as_mut().unwrap();
        work.transactions = Some(1.0);
        work.conflicts = (40..50).contains(&minute).then_some(1.5);
        history.add(&figures);
    }
    assert_eq!(history.times_ms.len(), 61);
    assert_eq!(history.times_ms[0], 30 * 60_000);
    let conflicts = &history.series["fluo_monitor_conflicts_per_second"];
    let found = conflicts.iter().map(Option::is_some);
    let found: Vec<_> = found.enumerate().filter(|(_, found)| *found).map(|(at, _)| at).collect();
    assert_eq!(found, (10..20).collect::<Vec<_>>());
    assert_eq!(conflicts.len(), 61);
    figures.time_ms = 111 * 60_000;
    history.add(&figures);
    assert!(!history.series.contains_key("fluo_monitor_conflicts_per_second"));
    // The number of readings is bounded, whatever the pause is.
    for second in 1_u32..=12 {
        figures.time_ms = 111 * 60_000 + u64::from(second) * 1_000;
        figures.work.as_mut().unwrap().transactions = Some(f64::from(second));
        history.add(&figures);
    }
    let seconds = history.times_ms.iter().rev().take(4).map(|time| time / 1_000 % 60);
    assert_eq!(seconds.collect::<Vec<_>>(), [12, 10, 5, 0]);
    let rates = &history.series["fluo_monitor_transactions_per_second"];
    assert_eq!(rates.len(), history.times_ms.len());
    let newest = rates.iter().rev().take(3).flatten().copied();
    assert_eq!(newest.collect::<Vec<_>>(), [12.0, 10.0, 5.0]);
}

async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn the_port_shows_each_metric_and_the_page() {
    let fluo = Instance::in_memory();
    let client = web(&fluo).await;
    count_words(&client).await;
    let _snapshot = client.snapshot().await.unwrap();
    let address = serve(vec![
        "HTTP/1.0 200 OK\r\n\r\nfluo_transactions_total{outcome=\"committed\"} 1\n",
        "HTTP/1.0 200 OK\r\n\r\nfluo_transactions_total{outcome=\"committed\"} 2\n",
    ])
    .await
    .to_string();
    // The queues of an application without an oracle are not read: a snapshot would wait for one.
    let needy = options().needs_oracle(true);
    let figures = Monitor::new(fluo.clone(), needy).read().await;
    assert!(figures.errors.is_empty() && figures.applications[0].queues.is_empty(), "{figures:?}");
    let alarm = "application `web`: no oracle runs, so no transaction can begin";
    assert_eq!(figures.alarms[0], alarm);
    let options = options().metrics([&*address, &*address]).unwrap();
    let pause = Duration::from_millis(50);
    let port = MonitorPort::open(([127, 0, 0, 1], 0).into(), Monitor::new(fluo, options), pause);
    let open = port.await.unwrap();
    let port = open.address();
    assert!(get(port, "/live").await.ends_with("\r\n\r\nlive\n"));
    let rate = "\nfluo_monitor_transactions_per_second ";
    let text = loop {
        let text = get(port, "/metrics").await;
        if text.contains(rate) {
            break text;
        }
        sleep(Duration::from_millis(10)).await;
    };
    for metric in METRICS.iter().filter(|metric| metric.name != "fluo_monitor_oracles") {
        assert!(text.contains(&format!("# HELP {} {}\n", metric.name, metric.description)));
        for (label, _) in metric.labels {
            let line = text.lines().find(|line| line.starts_with(&format!("{}{{", metric.name)));
            assert!(line.unwrap().contains(&format!("{label}=\"")), "{line:?}");
        }
    }
    let figures = get(port, "/figures").await;
    assert!(figures.contains("\"pause_seconds\":0.05,"), "{figures}");
    assert!(get(port, "/history").await.contains("{\"format\":1,\"times_ms\":["));
    let page = get(port, "/").await;
    assert!(page.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(get(port, "/nope").await.starts_with("HTTP/1.1 404 "));
}

/// Covers a gauge that the page on monitoring does not list, and a panel on a metric that nothing
/// records.
#[test]
fn the_page_and_the_dashboard_name_the_metrics() {
    let page = include_str!("../../../docs/monitoring.md");
    let rows = page.lines().filter(|line| line.starts_with("| `fluo_monitor_"));
    let expected = METRICS.iter().map(|metric| {
        let labels = metric.labels.iter().map(|(label, _)| format!("`{label}`"));
        let labels = labels.collect::<Vec<_>>().join(", ");
        format!("| `{}` | {labels} | {} |", metric.name, metric.description).replace("|  |", "| |")
    });
    assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<_>>());

    let dashboard = include_str!("../../../docs/grafana.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    let others = fluo_engine::telemetry::METRICS.iter();
    let others = others.chain(fluo_accumulo::telemetry::METRICS);
    let others = others.chain(fluo_recipes::telemetry::METRICS).map(|metric| metric.name);
    let names: Vec<_> = METRICS.iter().map(|metric| metric.name).chain(others).collect();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 10);
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    for expression in targets.map(|target| target["expr"].as_str().unwrap()) {
        let mut words = expression.split(|c: char| c != '_' && !c.is_ascii_lowercase());
        let name = words.find(|word| word.starts_with("fluo_")).unwrap();
        // A histogram has one series for each part.
        let name = name.strip_suffix("_bucket").unwrap_or(name);
        assert!(names.contains(&name), "{expression}");
    }
}
