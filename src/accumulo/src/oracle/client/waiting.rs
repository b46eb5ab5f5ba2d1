//! The tasks that wait for timestamps, and their shares of a block.

use std::num::NonZeroU32;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connection::Granted;
use crate::oracle::server::MAX_COUNT;

/// An answer of an oracle to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The first timestamp of the task, or the next one if it requested none.
    pub(super) first: Timestamp,
    pub(super) horizon: Timestamp,
}

impl Share {
    /// Returns the timestamps of a task that requested `count`.
    pub(super) fn block(self, count: NonZeroU32) -> TimestampBlock {
        TimestampBlock { first: self.first, count, horizon: self.horizon.min(self.first) }
    }
}

/// A task that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    /// The number of timestamps, at most [`MAX_COUNT`]; 0 only asks for the next one.
    pub(super) count: u32,
    /// The instant after which the task gets an error.
    pub(super) until: Instant,
    pub(super) reply: oneshot::Sender<Result<Share>>,
}

/// All waiting tasks, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    waiters: Vec<Waiter>,
    /// States whether a failed request for these tasks may have used up timestamps.
    pub(super) may_have_taken: bool,
}

impl Waiting {
    /// Adds a task.
    pub(super) fn add(&mut self, waiter: Waiter) {
        self.waiters.push(waiter);
    }

    /// Checks whether no task waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Removes the tasks that do not wait any more.
    pub(super) fn remove_cancelled(&mut self) {
        self.waiters.retain(|waiter| !waiter.reply.is_closed());
        self.may_have_taken &= !self.waiters.is_empty();
    }

    /// Returns the number of timestamps to request, for as many tasks as one request may serve.
    pub(super) fn next_count(&self) -> u32 {
        let counts = self.waiters.iter().map(|waiter| waiter.count);
        let mut total = 0_u32;
        for count in counts {
            match total.checked_add(count).filter(|sum| *sum <= MAX_COUNT) {
                Some(sum) => total = sum,
                None => break,
            }
        }
        total
    }

    /// Gives the oldest tasks their shares of `count` timestamps.
    pub(super) fn serve(&mut self, granted: Granted, count: u32) {
        let mut first = granted.first;
        let mut left = count;
        let mut served = 0;
        for waiter in &self.waiters {
            let Some(rest) = left.checked_sub(waiter.count) else {
                break;
            };
            left = rest;
            served += 1;
        }
        let rest = self.waiters.split_off(served);
        for waiter in std::mem::replace(&mut self.waiters, rest) {
            let share = Share { first, horizon: granted.horizon };
            let next = first.get().saturating_add(u64::from(waiter.count));
            first = Timestamp::new(next).unwrap_or(Timestamp::MAX);
            // The task may not wait any more; its timestamps stay unused.
            let _ = waiter.reply.send(Ok(share));
        }
        self.may_have_taken = false;
    }

    /// Fails the tasks whose time is over.
    pub(super) fn expire(&mut self, now: Instant, cause: &str) {
        let (expired, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiters).into_iter().partition(|waiter| waiter.until <= now);
        self.waiters = rest;
        let error = no_timestamps(self.may_have_taken, cause);
        for waiter in expired {
            let _ = waiter.reply.send(Err(error.clone()));
        }
    }

    /// Fails all tasks.
    pub(super) fn fail(&mut self, error: &Error) {
        for waiter in std::mem::take(&mut self.waiters) {
            let _ = waiter.reply.send(Err(error.clone()));
        }
        self.may_have_taken = false;
    }
}

fn no_timestamps(may_have_taken: bool, cause: &str) -> Error {
    let kind = if may_have_taken { ErrorKind::Uncertain } else { ErrorKind::Unavailable };
    let message = format!("no oracle hands out timestamps: {cause}; check that an oracle runs");
    Error::new(kind, message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn waiter(count: u32, until: Instant) -> (Waiter, oneshot::Receiver<Result<Share>>) {
        let (reply, share) = oneshot::channel();
        let waiter = Waiter { count, until, reply };
        (waiter, share)
    }

    fn at(number: u64) -> Timestamp {
        Timestamp::new(number).unwrap()
    }

    fn granted(first: u64) -> Granted {
        Granted { first: at(first), horizon: at(5) }
    }

    fn first(share: &mut oneshot::Receiver<Result<Share>>) -> u64 {
        share.try_recv().unwrap().unwrap().first.get()
    }

    #[test]
    fn divides_a_block_among_the_tasks() {
        let now = Instant::now();
        let mut waiting = Waiting::default();
        let mut shares: Vec<_> = [1, 3, 0, 2]
            .map(|count| {
                let (waiter, share) = waiter(count, now);
                waiting.add(waiter);
                share
            })
            .into();
        assert_eq!(waiting.next_count(), 6);
        waiting.serve(granted(10), 6);
        let firsts: Vec<_> = shares.iter_mut().map(first).collect();
        assert_eq!(firsts, [10, 11, 14, 14]);
        assert!(waiting.is_empty());
    }

    #[test]
    fn requests_no_more_than_an_oracle_grants() {
        let now = Instant::now();
        let mut waiting = Waiting::default();
        let (one, mut first_share) = waiter(MAX_COUNT, now);
        let (two, mut second_share) = waiter(1, now);
        waiting.add(one);
        waiting.add(two);
        assert_eq!(waiting.next_count(), MAX_COUNT);
        waiting.serve(granted(10), MAX_COUNT);
        assert_eq!(first(&mut first_share), 10);
        assert!(second_share.try_recv().is_err());
        assert_eq!(waiting.next_count(), 1);
    }

    #[test]
    fn fails_only_the_tasks_whose_time_is_over() {
        let now = Instant::now();
        let mut waiting = Waiting::default();
        let (one, mut over) = waiter(1, now);
        let (two, mut not_over) = waiter(1, now + Duration::from_secs(1));
        waiting.add(one);
        waiting.add(two);
        waiting.expire(now, "none leads");
        let error = over.try_recv().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(
            error.to_string(),
            "no oracle hands out timestamps: none leads; check that an oracle runs"
        );
        assert!(not_over.try_recv().is_err());
        waiting.may_have_taken = true;
        waiting.expire(now + Duration::from_secs(1), "it was reset");
        let error = not_over.try_recv().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uncertain);
    }

    #[test]
    fn the_horizon_of_a_block_is_not_above_it() {
        let share = Share { first: at(3), horizon: at(5) };
        assert_eq!(share.block(NonZeroU32::MIN).horizon, at(3));
    }
}
