//! The handle of the client: [`OracleClient`].

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Error, Result};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::leader::follow;
use super::sender::Sender;
use super::waiting::Waiter;
use crate::oracle::application::ServedApplication;
use crate::oracle::options::OracleOptions;
use crate::oracle::server::MAX_COUNT;

/// The maximum number of tasks in the queue. Further ones wait before it.
const QUEUE: usize = 10_000;
/// The time after which a task gets an error if no oracle answers.
const PATIENCE: Duration = Duration::from_secs(60);

/// Timestamps of an application, from its leading oracle: one of this crate or one of Fluo in Java.
///
/// All tasks of a process should share one client: it sends one request for all tasks that wait. It
/// finds the leader in ZooKeeper, and follows to another one within a call and between calls.
///
/// # Examples
///
/// ```no_run
/// use std::num::NonZeroU32;
///
/// use fluo_accumulo::{OracleClient, OracleOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let client = OracleClient::connect(&OracleOptions::new("localhost:2181/fluo", "web")?).await?;
/// let block = client.timestamps(NonZeroU32::MIN).await?;
/// assert!(block.horizon <= block.first);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct OracleClient {
    queue: mpsc::Sender<Waiter>,
}

impl OracleClient {
    /// Connects to the ZooKeeper of an application. The oracle itself need not run yet.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the application does not exist;
    /// [`Denied`](fluo_table::ErrorKind::Denied) if the secret is missing or wrong;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if ZooKeeper does not answer.
    pub async fn connect(options: &OracleOptions) -> Result<Self> {
        Ok(Self::new(ServedApplication::connect(options).await?))
    }

    /// Creates a client of an application. Its tasks run on the present runtime and end after the
    /// client is dropped.
    pub(crate) fn new(application: ServedApplication) -> Self {
        let (publish, leader) = watch::channel(None);
        let (queue, waiters) = mpsc::channel(QUEUE);
        tokio::spawn(follow(application.clone(), publish));
        tokio::spawn(Sender::new(application, leader).run(waiters));
        Self { queue }
    }

    /// Requests `count` timestamps, which this caller alone gets.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the count is too large for one request;
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the application was removed;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if no oracle answers for a minute;
    /// [`Uncertain`](fluo_table::ErrorKind::Uncertain): the same, and timestamps may have been used
    /// up without a caller.
    pub async fn timestamps(&self, count: NonZeroU32) -> Result<TimestampBlock> {
        if count.get() > MAX_COUNT {
            return Err(Error::invalid(format!(
                "{count} timestamps are too many for one request; request at most {MAX_COUNT}"
            )));
        }
        let (reply, block) = oneshot::channel();
        let waiter = Waiter { count, until: Instant::now() + PATIENCE, reply };
        self.queue.send(waiter).await.map_err(|_| ended())?;
        block.await.map_err(|_| ended())?
    }
}

fn ended() -> Error {
    Error::unavailable("the task that requests timestamps has ended with its runtime")
}
