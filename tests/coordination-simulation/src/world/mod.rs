//! A simulated ZooKeeper and network, in place of the real ones.
//!
//! Everything runs on one thread, in simulated time. The state belongs to the thread, and each
//! thread has its own runs. A process is the host `p1`, `p2`.. of the addresses that its parts use.

pub(crate) mod connection;
pub(crate) mod net;
mod process;
pub(crate) mod task;
pub(crate) mod zookeeper;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fluo_table::coordination::Applications;
use fluo_table::{Clock, Result, TableAdmin};
use tokio::time::sleep;

pub use self::process::Dials;
pub use self::task::run;
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

pub(crate) fn wall_clock() -> SystemTime {
    SystemTime::UNIX_EPOCH + process::elapsed()
}

/// Begins a run: forgets everything of the run before.
pub fn begin(seed: u64, dials: Dials) {
    process::begin(seed, dials);
    task::begin();
    net::begin();
    zookeeper::begin();
    // The first state of a thread has drawn.
    fastrand::seed(seed);
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

/// Checks whether a process does not run.
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

/// Suspends a process for a while: none of its tasks runs, and messages to it wait.
pub async fn freeze(process: u32, time: Duration) {
    process::change(process, |process| process.is_frozen = true);
    sleep(time).await;
    process::change(process, |process| process.is_frozen = false);
    zookeeper::resume(process, time);
    task::resume(process);
}

/// Cuts a process off from ZooKeeper for a while.
pub async fn cut(process: u32, time: Duration) {
    process::change(process, |process| process.is_cut = true);
    zookeeper::disconnect_all(process);
    sleep(time).await;
    process::change(process, |process| process.is_cut = false);
}

/// Kills a process. Its sessions end by their timeouts.
pub fn kill(process: u32) {
    process::change(process, |process| process.is_dead = true);
}

/// Returns a number that differs between two runs that have drawn differently.
pub fn fingerprint() -> u64 {
    process::draw(|random| random.u64(..)) ^ fastrand::u64(..)
}

/// Ends the faults of messages, for the rest of the run.
pub fn heal() {
    process::turn(|dials| {
        *dials = Dials { max_delay: Duration::from_millis(5), ..Dials::default() };
    });
}
