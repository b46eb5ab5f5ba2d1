//! A simulated ZooKeeper and network, in place of the real ones.
//!
//! Everything runs on one thread, in simulated time. The state belongs to the thread, and each
//! thread has its own runs. A process is the host `p1`, `p2`.. of the addresses that its parts use.

pub(crate) mod connection;
pub(crate) mod net;
mod process;
pub(crate) mod zookeeper;

use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::Applications;
use fluo_table::{Clock, Result, TableAdmin};
use tokio::time::sleep;

pub use self::process::Dials;
use crate::coordination::{AccumuloCluster, ZooKeeperApplications};
use crate::zookeeper::{Keeper, SessionOptions};

/// The session timeout of all processes.
pub const SESSION: Duration = Duration::from_secs(12);

/// The clock of all processes. It shows the simulated time since the beginning of the run.
#[derive(Debug)]
pub struct WallClock;

impl Clock for WallClock {
    fn now_ms(&self) -> i64 {
        i64::try_from(process::elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}

/// Begins a run: forgets everything of the run before.
pub fn begin(seed: u64, dials: Dials) {
    fastrand::seed(seed);
    process::begin(seed, dials);
    net::begin();
    zookeeper::begin();
}

/// Creates a node with its parents, at once and for ever.
pub fn create(path: &str, data: &str) {
    zookeeper::create_all(path, data);
}

/// Connects a process to all applications.
pub async fn connect(process: u32, tables: Arc<dyn TableAdmin>) -> Result<Arc<dyn Applications>> {
    let mut options = SessionOptions::new(&format!("p{process}:2181/fluo"))?;
    options.timeout = SESSION;
    let keeper = Keeper::connect(options).await?;
    let cluster = AccumuloCluster::find(&*keeper.session().await?, None).await?;
    Ok(Arc::new(ZooKeeperApplications::new(keeper, cluster, tables)))
}

/// Checks whether no message reaches a process.
pub fn is_silent(process: u32) -> bool {
    let state = process::state_of(process);
    state.is_frozen || state.is_dead
}

/// Returns the data of a node.
pub fn text(path: &str) -> Option<String> {
    zookeeper::text(path)
}

/// Returns the names of the children of a node.
pub fn children(path: &str) -> Vec<String> {
    zookeeper::children(path)
}

/// Suspends a process for a while: no message reaches it or leaves it.
pub async fn freeze(process: u32, time: Duration) {
    process::change(process, |process| process.is_frozen = true);
    sleep(time).await;
    process::change(process, |process| process.is_frozen = false);
}

/// Cuts a process off from ZooKeeper for a while.
pub async fn cut(process: u32, time: Duration) {
    process::change(process, |process| process.is_cut = true);
    zookeeper::show_connection(process, false);
    sleep(time).await;
    process::change(process, |process| process.is_cut = false);
    zookeeper::show_connection(process, true);
}

/// Kills a process. Its sessions end by their timeouts.
pub fn kill(process: u32) {
    process::change(process, |process| process.is_dead = true);
}

/// Ends the faults of messages, for the rest of the run.
pub fn heal() {
    process::turn(|dials| *dials = Dials { max_delay: Duration::from_millis(5), losses: 0.0 });
}
