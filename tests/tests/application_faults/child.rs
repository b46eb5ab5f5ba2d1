//! The child processes, which work until they are killed, or stopped by SIGTERM.

use std::env;
use std::io::Write;
use std::time::Duration;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_engine::Client;
use fluo_tests::shop;
use futures::future::join;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::access::Access;
use crate::crew::{Arguments, IN_CHILD, Role};

/// The time between two orders. All orders conflict on a few rows, so workers tally some ten of
/// them in a second, and none during most faults.
const PAUSE: Duration = Duration::from_millis(250);

/// Runs only as a child process of the test.
#[test]
fn a_child_that_is_killed() {
    let Ok(arguments) = env::var(IN_CHILD) else { return };
    let (role, access, first) = serde_json::from_str::<Arguments>(&arguments).unwrap();
    Runtime::new().unwrap().block_on(async {
        match role {
            Role::Oracle => lead(access).await,
            Role::Worker => observe(access).await,
            Role::Client => place(access, first).await,
        }
    });
}

async fn stopped() {
    signal(SignalKind::terminate()).unwrap().recv().await;
}

async fn lead(access: Access) {
    let options = OracleOptions::new(access.zookeepers(), shop::NAME).unwrap();
    let options = options.host("localhost").session_timeout(Access::SESSION);
    let oracle = Oracle::start(options).await.unwrap();
    stopped().await;
    oracle.stop().await;
}

async fn observe(access: Access) {
    let client = access.application().await.open().await.unwrap();
    let worker = client.worker().start();
    let worker = worker.await.unwrap();
    stopped().await;
    worker.stop().await;
}

/// Places orders, and prints the number of each once it has committed. Transfers beside.
async fn place(access: Access, first: u64) {
    let client = access.application().await.open().await.unwrap();
    let placing = async {
        let loaders = client.loaders().tasks(4).start().unwrap();
        for number in first.. {
            tokio::time::sleep(PAUSE).await;
            let loading = loaders.submit(number, shop::place).await;
            tokio::spawn(async move {
                // An order that failed was not acknowledged.
                match loading.await {
                    Ok(()) => writeln!(std::io::stdout().lock(), "placed {number}."),
                    Err(error) => writeln!(std::io::stderr().lock(), "order {number}: {error}"),
                }
            });
        }
    };
    tokio::select! {
        _ = join(placing, transfer(client.clone(), first)) => {}
        () = stopped() => {}
    }
}

/// Transfers for ever. After a fault a transfer may fail, with all its effects or none.
async fn transfer(client: Client, first: u64) {
    for round in 0.. {
        if let Err(error) = shop::transfer(&client, first, round).await {
            eprintln!("transfer: {error}");
        }
    }
}
