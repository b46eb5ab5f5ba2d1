//! The task that sends the requests of a process, one at a time.

use std::time::Duration;

use fluo_table::{Error, ErrorKind, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::connection::{Connection, Failure, Granted};
use super::leader::Leader;
use super::waiting::{Waiter, Waiting};
use crate::backoff::Backoff;
use crate::oracle::session::{Sessions, check_application};

/// The time limit of the check whether the application still exists. Timestamps do not wait longer
/// for a ZooKeeper that is away.
const LOOK: Duration = Duration::from_secs(2);

/// The state of the sending task.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) id: String,
    pub(super) sessions: Sessions,
    pub(super) leader: watch::Receiver<Option<Leader>>,
    pub(super) connection: Option<Connection>,
    /// The timestamp after the last one that this process got.
    pub(super) next: Timestamp,
}

impl Sender {
    /// Serves the tasks in the queue until their handle is dropped.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Waiter>) {
        let mut waiting = Waiting::default();
        let mut backoff = Backoff::default();
        loop {
            if waiting.is_empty() {
                match queue.recv().await {
                    Some(waiter) => waiting.add(waiter),
                    None => return,
                }
            }
            while let Ok(waiter) = queue.try_recv() {
                waiting.add(waiter);
            }
            waiting.remove_cancelled();
            if waiting.is_empty() {
                continue;
            }
            let count = waiting.next_count();
            match self.request(count).await {
                Ok(granted) => {
                    backoff = Backoff::default();
                    waiting.serve(granted, count);
                }
                Err(failure) => {
                    tracing::debug!(cause = %failure.cause, "a request for timestamps failed");
                    self.pause(&mut waiting, failure, &mut backoff).await;
                }
            }
        }
    }

    /// Sends one request to the leader.
    async fn request(&mut self, count: u32) -> Result<Granted, Failure> {
        let leader = self.leader.borrow_and_update().clone();
        let leader = leader.ok_or_else(|| Failure::without_effect("none leads at present"))?;
        // The connection is kept only after success. A former leader may keep its connections.
        let connection = self.connection.take();
        let mut connection = match connection.filter(|open| open.leader == leader) {
            Some(connection) => connection,
            None => Connection::open(leader.clone()).await?,
        };
        let wire_count = i32::try_from(count).unwrap_or(i32::MAX);
        let granted = connection.timestamps(&self.id, wire_count).await?;
        if self.leader.borrow().as_ref() != Some(&leader) {
            return Err(Failure::in_doubt("another oracle leads now"));
        }
        if granted.first < self.next {
            return Err(Failure::in_doubt(format!(
                "the oracle at {} hands out {}, but the last timestamp was above it",
                leader.address, granted.first
            )));
        }
        let next = granted.first.get().saturating_add(u64::from(count));
        self.next = Timestamp::new(next)
            .map_err(|_| Failure::in_doubt("the timestamps of the application are used up"))?;
        self.connection = Some(connection);
        Ok(granted)
    }

    /// Fails the tasks that cannot be served, and waits before the next attempt. A new leader ends
    /// the pause.
    async fn pause(&mut self, waiting: &mut Waiting, failure: Failure, backoff: &mut Backoff) {
        waiting.may_have_taken |= failure.may_have_taken;
        let exists = timeout(LOOK, self.application_exists()).await;
        if exists == Ok(false) {
            waiting.fail(&Error::no_such_application(self.sessions.application()));
            return;
        }
        let until = Instant::now() + backoff.next(fastrand::f64());
        waiting.expire(until, &failure.cause);
        tokio::select! {
            () = sleep_until(until) => {}
            // If no other leader can be found, the pause continues.
            Ok(()) = self.leader.changed() => {}
        }
    }

    /// Checks whether the application of this client exists, as far as ZooKeeper answers.
    async fn application_exists(&self) -> bool {
        let Some(session) = self.live_session().await else {
            return true;
        };
        let found = check_application(&session, self.sessions.application(), &self.id).await;
        found.map_or_else(|error| error.kind() != ErrorKind::NotFound, |()| true)
    }

    async fn live_session(&self) -> Option<zookeeper_client::Client> {
        let session = self.sessions.session().await.ok()?;
        (session.state() == zookeeper_client::SessionState::SyncConnected).then_some(session)
    }
}
