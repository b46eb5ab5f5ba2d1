//! The proxy's client and the tables on it, live: each figure beside a loop of plain calls, in the
//! same run.
//!
//! | figure | beside | budget |
//! |---|---|---|
//! | conditional rows of 64 tasks, gathered | one row a call | at least 4 times |
//! | a scan | bare `nextK(1000)` | within 10 % |
//! | `apply` of 1,000 split points | one `addSplits` | at most 1.2 times |
//! | a call to a server that answers immediately | nothing | |
//!
//! Both ways of writing conditional rows use the same connections: the default number of a client,
//! and then twice as many. The last figure is the client's own cost.
//!
//! `cargo xtask bench live` prints them, on a cluster of its own or on the one of `FLUO_CLUSTER`.
//! With `-- transactions` it compares transactions with those of Apache Fluo, with `-- queues` it
//! measures recipes and transactions that conflict, with `-- hot` an observer whose runs conflict,
//! and with `-- workers` workers that restart.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot run must say so, and what it measured"
)]

mod answering;
mod application;
mod conditional;
mod cpu;
mod figures;
mod hot;
mod queues;
mod scanning;
mod splitting;
mod transacting;
mod workers;

use std::num::NonZeroUsize;

use accumulo_proxy::{Credentials, ProxyClient, ProxyOptions};
use fluo_cluster::Cluster;

use crate::transacting::Choice;

const MORE_CONNECTIONS: NonZeroUsize = NonZeroUsize::new(8).unwrap();

#[tokio::main]
async fn main() {
    answering::run().await;
    if !fluo_cluster::wanted() {
        return;
    }
    let cluster = Cluster::shared().unwrap();
    let arguments: Vec<String> = std::env::args().collect();
    let after = |word| {
        let at = arguments.iter().position(|argument| argument == word)?;
        arguments.get(at + 1..)
    };
    let count = |arguments: &[String], default| {
        arguments.first().and_then(|count| count.parse().ok()).unwrap_or(default)
    };
    if let Some(arguments) = after("transactions") {
        return transacting::run(cluster, &Choice::of(arguments)).await;
    }
    if let Some(arguments) = after("queues") {
        return queues::run(cluster, count(arguments, 20_000)).await;
    }
    if let Some(arguments) = after("hot") {
        return hot::run(cluster, count(arguments, 1_000)).await;
    }
    if let Some(arguments) = after("workers") {
        return workers::run(cluster, count(arguments, 50)).await;
    }
    let credentials = Credentials::password(cluster.user(), cluster.password());
    let mut options = ProxyOptions::new(cluster.proxy().unwrap().address(), credentials);
    let client = ProxyClient::connect(options.clone()).await.unwrap();
    conditional::run(&client, 4).await;
    options = options.connections(MORE_CONNECTIONS);
    let client = ProxyClient::connect(options).await.unwrap();
    conditional::run(&client, MORE_CONNECTIONS.get()).await;
    scanning::run(&client).await;
    splitting::run(&client).await;
}
