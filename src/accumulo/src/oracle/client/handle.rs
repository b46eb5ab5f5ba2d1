//! The handle of the client: [`OracleClient`].

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Error, Result, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::leader::follow;
use super::sender::Sender;
use super::waiting::{Share, Waiter};
use crate::oracle::options::OracleOptions;
use crate::oracle::server::MAX_COUNT;
use crate::oracle::session::{Sessions, application_id};

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
        let sessions = Sessions::connect(options).await?;
        let session = sessions.session().await?;
        let id = application_id(&session, sessions.application()).await?;
        Ok(Self::new(sessions, id))
    }

    /// Creates a client of the application with this id, on sessions of the caller. Its tasks run
    /// on the present runtime and end after the client is dropped.
    pub(crate) fn new(sessions: Sessions, id: String) -> Self {
        let (publish, leader) = watch::channel(None);
        let (queue, waiters) = mpsc::channel(QUEUE);
        tokio::spawn(follow(sessions.clone(), publish));
        let sender = Sender { id, sessions, leader, connection: None, next: Timestamp::ZERO };
        tokio::spawn(sender.run(waiters));
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
        Ok(self.wait(count.get()).await?.block(count))
    }

    /// Returns the horizon that the leader announces. It is in force for all later requests.
    ///
    /// # Errors
    ///
    /// As [`timestamps`](Self::timestamps).
    pub async fn horizon(&self) -> Result<Timestamp> {
        let share = self.wait(0).await?;
        Ok(share.horizon.min(share.first))
    }

    /// Returns the next timestamp without using it up. Another caller may get it.
    ///
    /// # Errors
    ///
    /// As [`timestamps`](Self::timestamps).
    pub async fn next_timestamp(&self) -> Result<Timestamp> {
        Ok(self.wait(0).await?.first)
    }

    async fn wait(&self, count: u32) -> Result<Share> {
        let (reply, share) = oneshot::channel();
        let waiter = Waiter { count, until: Instant::now() + PATIENCE, reply };
        self.queue.send(waiter).await.map_err(|_| ended())?;
        share.await.map_err(|_| ended())?
    }
}

fn ended() -> Error {
    Error::unavailable("the task that requests timestamps has ended with its runtime")
}
