//! The port for supervisors. Metrics are those of the whole program, so this is the only test here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must say so")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fluo_engine::{Column, Error, ErrorKind};
use fluo_process::{ProcessOptions, Profile};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::sleep;

const TEXT: Column = Column::from_static("page", "text");

fn options(directory: &Path) -> ProcessOptions {
    let options = ProcessOptions::at(&format!("embedded:{}", directory.display())).unwrap();
    options.http(([127, 0, 0, 1], 0))
}

/// Sends a request, and returns the status line and the body.
async fn ask(address: SocketAddr, request: &str) -> (String, String) {
    ask_at(address, "test", request).await
}

async fn ask_at(address: SocketAddr, host: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{request} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// Waits until `/ready` has this answer.
async fn wait_until(address: SocketAddr, expected: &str) {
    while ask(address, "GET /ready").await.1 != expected {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_answers_supervisors_until_it_is_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let process = options(directory.path()).start().await.unwrap();
    let address = process.http_address().unwrap();
    let (ok, unavailable) = ("HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable");
    let answer = async |request| ask(address, request).await;
    let pair = |status: &str, body: &str| (status.to_owned(), body.to_owned());
    assert_eq!(answer("GET /live").await, pair(ok, "live\n"));
    let starts = "not ready: the process is starting\n";
    assert_eq!(answer("GET /ready").await, pair(unavailable, starts));
    let not_found = pair("HTTP/1.1 404 Not Found", "the paths are /live, /ready and /metrics\n");
    assert_eq!(answer("GET /").await, not_found);
    let no_method = "HTTP/1.1 405 Method Not Allowed";
    assert_eq!(answer("POST /live").await, pair(no_method, "the methods are GET and HEAD\n"));

    let (started, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let finish = Arc::new(Notify::new());
    let finishing = finish.clone();
    let web = process.application("web").observe(&TEXT, "measure", move |tx, page| {
        let (started, finishing) = (started.clone(), finishing.clone());
        async move {
            let text = tx.get(page, &TEXT).await?.unwrap_or_default();
            if text == "slow" {
                started.send(()).unwrap();
                finishing.notified().await;
            }
            Ok::<_, Error>(())
        }
    });
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
    let client = web.recipe(&words).open_or_create().await.unwrap();
    let (stopper, worker) = (process.stopper(), client.worker());
    let running = tokio::spawn(process.run_worker(worker));
    wait_until(address, "ready\n").await;
    client.run(async |tx| tx.set("org.wikipedia", &TEXT, "an encyclopedia")).await.unwrap();
    client.wait_until_idle().await.unwrap();
    // A worker counts what it has done after the commit that ends the notification.
    let counted = "fluo_notifications_total{outcome=\"committed\"} 1\n";
    let metrics = loop {
        let (status, metrics) = answer("GET /metrics").await;
        assert_eq!(status, ok);
        if metrics.contains(counted) {
            break metrics;
        }
        sleep(Duration::from_millis(10)).await;
    };
    for line in [
        "fluo_notification_tries_count 1\n",
        "fluo_notifications_total{outcome=\"failed\"} 0\n",
        "fluo_oracle_terms_total 0\n",
        "# TYPE fluo_notification_tries histogram\n",
        "# HELP fluo_notifications_queued notifications that wait in memory\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }

    // The first reading of the backlog may not have ended.
    let waiting = "fluo_queue_waiting_entries{queue=\"wc\"} 0\n";
    while !answer("GET /metrics").await.1.contains(waiting) {
        sleep(Duration::from_millis(10)).await;
    }
    let metrics = answer("GET /metrics").await.1;
    for line in [
        "# HELP fluo_queue_waiting_bytes bytes of the entries",
        "fluo_queue_oldest_entry_age_seconds{queue=\"wc\"} 0\n",
        "fluo_queue_dead_letters_total{queue=\"wc\"} 0\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }

    // A second request for metrics must not count the samples again.
    assert!(answer("GET /metrics").await.1.contains("fluo_notification_tries_count 1\n"));

    // No other process can look into the directory, so the message names the port.
    let at = format!("embedded:{}", directory.path().display());
    let held = Profile::parse(&at).unwrap().open().await.unwrap_err().to_string();
    assert!(held.contains(&format!(", at http://{address}); ")), "{held}");
    // The worker has the directory open, so it is also the monitor of it.
    let monitored = "fluo_monitor_workers{application=\"web\"} 1\n";
    while !ask_at(address, "localhost", "GET /metrics").await.1.contains(monitored) {
        sleep(Duration::from_millis(10)).await;
    }
    let paths = "the paths are /, /figures, /history, /live, /ready and /metrics\n";
    assert_eq!(answer("GET /x").await.1, paths);
    let figures = ask_at(address, "localhost", "GET /figures").await.1;
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures["work"]["sources"][0]["name"], "this process", "{figures}");
    assert_eq!(figures["applications"][0]["queues"][0]["entries"], 0, "{figures}");
    // A page from elsewhere cannot read them.
    let refused =
        "the host of the request is another name; open the page at an address, or localhost\n";
    assert_eq!(answer("GET /figures").await, pair("HTTP/1.1 403 Forbidden", refused));
    assert!(!answer("GET /metrics").await.1.contains("fluo_monitor_"));

    client.run(async |tx| tx.set("org.rust", &TEXT, "slow")).await.unwrap();
    begun.recv().await.unwrap();
    stopper.stop();
    wait_until(address, "not ready: the process is stopping\n").await;
    assert_eq!(answer("GET /live").await, pair(ok, "live\n"));
    finish.notify_one();
    running.await.unwrap().unwrap();
    while TcpStream::connect(address).await.is_ok() {
        // The task that serves the port ends when it next runs.
        sleep(Duration::from_millis(10)).await;
    }

    let other = tempfile::tempdir().unwrap();
    let process = options(other.path()).start().await.unwrap();
    let address = process.http_address().unwrap();
    let again = ask(address, "GET /metrics").await.1;
    assert!(again.contains("fluo_notifications_total{outcome=\"committed\"} 2\n"), "{again}");
    let taken = options(other.path()).http(address).start().await.unwrap_err();
    assert_eq!(taken.kind(), ErrorKind::Unavailable);
    let message = format!("cannot listen at {address} for /live, /ready and /metrics");
    assert_eq!(taken.to_string(), message);
}
