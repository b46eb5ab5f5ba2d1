//! Failures are reported in one sentence, without long waits, and without the password.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::{Fluo, assert_says, fluo, name};

const PASSWORD: &str = "correct-horse-battery";

/// Time limit of commands that fail without a wait, or after the limit of a connection (10 s), or
/// after retries of a refused connection (7 s). It is far below the limits of waits and of retries
/// of transactions, and no busy machine exceeds it.
const LIMIT: Duration = Duration::from_secs(100);

/// Returns the error of a command that must fail soon.
pub(super) fn failure(fluo: &Fluo, arguments: &str) -> String {
    // The first caller builds the command, which takes longer.
    super::binary();
    let start = Instant::now();
    let message = fluo.run(arguments).fails();
    assert!(start.elapsed() < LIMIT, "{:?}: {message}", start.elapsed());
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_wrong_password() {
    let Some(cluster) = crate::cluster::cluster() else {
        return;
    };
    let fluo = Fluo::new(
        &cluster.proxy().unwrap().address(),
        cluster.user(),
        PASSWORD,
    );
    let message = failure(&fluo, "list");
    assert_says(&message, "root");
    assert_says(&message, "BAD_CREDENTIALS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_missing_table() {
    let Some(fluo) = fluo() else { return };
    fluo.spec(&["p"], 2);
    fluo.file("m.toml", super::designs::AFTER);
    for arguments in [
        "show nope",
        "delete --yes nope",
        "load nope --prefix p s.toml",
        "plan --spec s.toml nope",
        "apply --spec s.toml nope",
        "verify --spec s.toml nope",
        "watch --spec s.toml nope",
        "migrate --spec m.toml nope",
    ] {
        assert_eq!(
            failure(&fluo, arguments),
            "there is no table `nope`",
            "{arguments}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_missing_permissions() {
    let Some(root) = fluo() else { return };
    let client = crate::cluster::client().await.unwrap();
    let (user, table) = (name("guest"), name("cli_denied"));
    client
        .security_operations()
        .create_user(&user, PASSWORD)
        .await
        .unwrap();
    root.run(&format!("create {table}")).succeeds();
    let guest = Fluo::new(client.options().address(), &user, PASSWORD);
    guest.spec(&["p"], 2);
    for arguments in [
        format!("load {table} --prefix p s.toml"),
        format!("apply --spec s.toml {table}"),
        format!("delete --yes {table}"),
        "create cli_not_mine".to_owned(),
    ] {
        let start = Instant::now();
        let run = guest.run(&arguments).ends_with_code(2);
        assert!(start.elapsed() < LIMIT, "{}", run.stderr);
        let message = run.stderr.lines().next_back().unwrap_or_default();
        assert_says(message, "PERMISSION_DENIED");
    }
    root.run(&format!("verify --spec ../nope.toml {table}"))
        .fails();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_an_address_without_a_proxy() {
    if !fluo_cluster::wanted() {
        return;
    }
    let http = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = http.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in http.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1_000]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    assert_says(
        &failure(&Fluo::new(&address, "root", PASSWORD), "list"),
        "HTTP",
    );

    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    assert_says(
        &failure(&Fluo::new(&address, "root", PASSWORD), "list"),
        "no answer within 10s",
    );
    drop(silent);
    assert_says(
        &failure(&Fluo::new(&address, "root", PASSWORD), "list"),
        "Connection refused",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_the_other_protocol() {
    let Some(fluo) = fluo() else { return };
    let message = failure(&fluo, "list --protocol binary");
    assert_says(&message, "login of `root` at ");
}
