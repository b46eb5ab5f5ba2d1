//! The task that sends the requests of a process, one at a time.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::leader::Leader;
use super::waiting::{Waiter, Waiting};
use crate::backoff::Backoff;
use crate::oracle::application::ServedApplication;
use crate::oracle::wire::{Call, Cause, Exchange, Reply};

/// The time limit to connect, and to learn whether the oracle leads.
const CONNECT: Duration = Duration::from_secs(3);
const REQUEST: Duration = Duration::from_secs(10);
/// The time limit of the check whether the application still exists.
const LOOK: Duration = Duration::from_secs(2);
/// The time without timestamps after which the log has a warning, once.
const WARN_AFTER: Duration = Duration::from_secs(10);
const SILENT: &str = "it does not answer";

#[derive(Debug)]
pub(super) struct Sender {
    application: ServedApplication,
    leader: watch::Receiver<Option<Leader>>,
    connection: Option<(Leader, Exchange)>,
    /// The timestamp after the last one that this process got.
    next: Timestamp,
}

/// A time in which every request fails.
#[derive(Debug, Default)]
struct Outage {
    since: Option<Instant>,
    is_warned: bool,
}

impl Outage {
    fn warn(&mut self, error: &Error) {
        tracing::debug!(%error, "a request for timestamps failed");
        let since = *self.since.get_or_insert_with(Instant::now);
        if !self.is_warned && since.elapsed() >= WARN_AFTER {
            tracing::warn!(%error, "no oracle hands out timestamps; retrying");
            self.is_warned = true;
        }
    }

    fn end(&mut self) {
        if self.is_warned {
            tracing::info!("an oracle hands out timestamps again");
        }
        *self = Self::default();
    }
}

impl Sender {
    pub(super) fn new(
        application: ServedApplication,
        leader: watch::Receiver<Option<Leader>>,
    ) -> Self {
        Self { application, leader, connection: None, next: Timestamp::ZERO }
    }

    /// Serves the tasks in the queue until their handle is dropped.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Waiter>) {
        let mut waiting = Waiting::default();
        let mut backoff = Backoff::default();
        let mut outage = Outage::default();
        loop {
            if waiting.waiters.is_empty() {
                // No task waits, so none is kept waiting.
                outage = Outage::default();
                let Some(waiter) = queue.recv().await else {
                    return;
                };
                waiting.waiters.push_back(waiter);
            }
            while let Ok(waiter) = queue.try_recv() {
                waiting.waiters.push_back(waiter);
            }
            waiting.remove_cancelled();
            let Some(count) = waiting.next_count() else {
                continue;
            };
            match self.request(count).await {
                Ok(block) => {
                    backoff = Backoff::default();
                    outage.end();
                    waiting.serve(block);
                }
                Err(error) => {
                    outage.warn(&error);
                    self.pause(&mut waiting, &error, &mut backoff).await;
                }
            }
        }
    }

    /// Sends one request to the leader. An error is [`Uncertain`](ErrorKind::Uncertain) if
    /// timestamps may have been used up. Its message is a part of a sentence.
    async fn request(&mut self, count: NonZeroU32) -> Result<TimestampBlock> {
        let leader = self.leader.borrow_and_update().clone();
        let leader = leader.ok_or_else(|| Error::unavailable("none leads at present"))?;
        // The connection is kept only after success. A former leader may keep its connections.
        let connection = self.connection.take();
        let mut exchange = match connection.filter(|(open, _)| *open == leader) {
            Some((_, exchange)) => exchange,
            None => connect(&leader.address).await?,
        };
        let block = self.take(&mut exchange, count).await;
        let (block, end) = block.map_err(|cause| {
            let message = format!("the oracle at {} refused the request: {cause}", leader.address);
            Error::new(ErrorKind::Uncertain, message)
        })?;
        if self.leader.borrow().as_ref() != Some(&leader) {
            return Err(Error::new(ErrorKind::Uncertain, "another oracle leads now"));
        }
        self.next = end;
        self.connection = Some((leader, exchange));
        Ok(block)
    }

    /// Requests a block, and returns it with the timestamp after it.
    async fn take(
        &self,
        exchange: &mut Exchange,
        count: NonZeroU32,
    ) -> Result<(TimestampBlock, Timestamp), Cause> {
        let id = self.application.id.clone();
        let call = Call::GetTimestamps { id, count: count.get().cast_signed() };
        match timeout(REQUEST, exchange.call(&call)).await.map_err(|_| SILENT)?? {
            Reply::Stamps { first, horizon } => {
                let timestamp = |number: i64| {
                    let timestamp = Timestamp::new(number.cast_unsigned());
                    timestamp.map_err(|_| format!("{number} is not a timestamp"))
                };
                let (first, horizon) = (timestamp(first)?, timestamp(horizon)?);
                if first < self.next {
                    return Err(format!("{first} is below an earlier timestamp").into());
                }
                let end = TimestampBlock::end_of(first, count.get())?;
                Ok((TimestampBlock { first, count, horizon }, end))
            }
            Reply::Exception { message, .. } => Err(message.into()),
            Reply::Leader(_) => Err("the reply belongs to another request".into()),
        }
    }

    /// Fails the tasks that cannot be served, and waits before the next attempt. A new leader ends
    /// the pause.
    async fn pause(&mut self, waiting: &mut Waiting, cause: &Error, backoff: &mut Backoff) {
        waiting.may_have_taken |= cause.kind() == ErrorKind::Uncertain;
        if let Ok(Err(error)) = timeout(LOOK, self.check()).await
            && error.kind() == ErrorKind::NotFound
        {
            waiting.fail(waiting.waiters.len(), &error);
            return;
        }
        let until = Instant::now() + backoff.next(fastrand::f64());
        waiting.expire(until, cause);
        tokio::select! {
            () = sleep_until(until) => {}
            // If no other leader can be found, the pause continues.
            Ok(()) = self.leader.changed() => {}
        }
    }

    /// Returns an error if the application was removed. Succeeds without a connection to ZooKeeper,
    /// for which timestamps do not wait.
    async fn check(&self) -> Result<()> {
        if self.application.keeper.session().await?.is_connected() {
            self.application.session().await?;
        }
        Ok(())
    }
}

/// Connects to an oracle and checks that it leads. A server in Java that refuses a request for
/// timestamps loses memory, so the check comes first.
async fn connect(address: &str) -> Result<Exchange> {
    let connected = timeout(CONNECT, Exchange::connect(address)).await;
    connected.unwrap_or_else(|_| Err(SILENT.into())).map_err(|cause| {
        Error::unavailable(format!("the oracle at {address} is not ready: {cause}"))
    })
}
