//! The child processes, which work until they are killed, or stopped by SIGTERM.

use std::env;
use std::io::Write;
use std::num::NonZeroU32;
use std::time::Duration;

use fluo_accumulo::{Oracle, OracleOptions};
use fluo_engine::Client;
use fluo_tests::shop;
use futures::future::join;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::access::Access;
use crate::crew::{Arguments, IN_CHILD, Role};
use crate::letters;

/// The time between two orders. All orders conflict on a few rows, so workers tally some ten of
/// them in a second, and none during most faults.
const PAUSE: Duration = Duration::from_millis(250);
/// Number of times that an observer rejects an order before that is a dead letter.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(4).unwrap();
/// The longest pause of workers in milliseconds, which is also that after a change of their number.
const MAX_SLEEP: &str = "fluo.impl.worker.finder.maxSleep";

/// Runs only as a child process of the test.
#[test]
fn a_child_that_is_killed() {
    let Ok(arguments) = env::var(IN_CHILD) else { return };
    let (role, access, number) = serde_json::from_str::<Arguments>(&arguments).unwrap();
    Runtime::new().unwrap().block_on(async {
        // A signal during the start is not lost.
        let stopped = signal(SignalKind::terminate()).unwrap();
        match role {
            Role::Oracle => lead(access, stopped).await,
            Role::Worker => observe(access, stopped).await,
            Role::Client => place(access, number, stopped).await,
            Role::Creator => create(access, number).await,
            Role::Operator => requeue(access).await,
        }
    });
}

/// Initializes the application, with the longest pause of workers.
async fn create(access: Access, max_sleep: u64) {
    let application = access.application().await.set(MAX_SLEEP, max_sleep.to_string());
    application.initialize().await.unwrap();
}

/// Requeues the dead letters of the other build.
async fn requeue(access: Access) {
    let client = access.application().await.open().await.unwrap();
    letters::requeue(&client, access.build.other()).await;
}

async fn lead(access: Access, mut stopped: Signal) {
    let options = OracleOptions::new(access.zookeepers(), shop::NAME).unwrap();
    let options = options.host("localhost").session_timeout(Access::SESSION);
    let mut oracle = Oracle::start(options).await.unwrap();
    let leading = async {
        while let Ok(leads_at) = oracle.wait_for_change().await {
            if leads_at.is_some() {
                println!("leads.");
            }
        }
    };
    tokio::select! {
        () = leading => panic!("the oracle has ended"),
        _ = stopped.recv() => {}
    }
    oracle.stop().await;
}

async fn observe(access: Access, mut stopped: Signal) {
    let has_gate = access.gate.is_some();
    let client = access.application().await.open().await.unwrap();
    let worker = client.worker();
    // A rejected order becomes a dead letter within a second.
    let worker = if has_gate { worker.max_attempts(ATTEMPTS) } else { worker };
    let worker = worker.start().await.unwrap();
    stopped.recv().await;
    worker.stop().await;
}

/// Places orders, and prints the number of each once it has committed. Transfers beside.
async fn place(access: Access, first: u64, mut stopped: Signal) {
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
        _ = stopped.recv() => {}
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
