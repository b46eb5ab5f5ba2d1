//! The tasks that wait for timestamps, and their shares of a block.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use fluo_table::coordination::TimestampBlock;
use fluo_table::{Error, ErrorKind, Result};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::oracle::server::MAX_COUNT;

#[derive(Debug)]
pub(super) struct Waiter {
    /// The number of timestamps, at most [`MAX_COUNT`].
    pub(super) count: NonZeroU32,
    /// The instant after which the task gets an error.
    pub(super) until: Instant,
    pub(super) reply: oneshot::Sender<Result<TimestampBlock>>,
}

/// All waiting tasks, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) waiters: VecDeque<Waiter>,
    /// States whether a failed request for these tasks may have used up timestamps.
    pub(super) may_have_taken: bool,
}

impl Waiting {
    pub(super) fn remove_cancelled(&mut self) {
        self.waiters.retain(|waiter| !waiter.reply.is_closed());
        self.may_have_taken &= !self.waiters.is_empty();
    }

    /// Returns the number of timestamps to request, for as many tasks as one request may serve.
    pub(super) fn next_count(&self) -> Option<NonZeroU32> {
        let mut total = 0;
        for waiter in &self.waiters {
            let sum = total + waiter.count.get();
            if sum > MAX_COUNT {
                break;
            }
            total = sum;
        }
        NonZeroU32::new(total)
    }

    pub(super) fn serve(&mut self, block: TimestampBlock) {
        let (mut first, mut left) = (block.first, block.count.get());
        while let Some(rest) =
            self.waiters.front().and_then(|waiter| left.checked_sub(waiter.count.get()))
            && let Some(Waiter { count, reply, .. }) = self.waiters.pop_front()
        {
            left = rest;
            let share = TimestampBlock { first, count, horizon: block.horizon.min(first) };
            first = TimestampBlock::end_of(first, count.get()).unwrap_or(first);
            // The task may not wait any more; its timestamps stay unused.
            let _ = reply.send(Ok(share));
        }
        self.may_have_taken = false;
    }

    /// Fails the tasks whose time is over: the oldest, because all wait equally long.
    pub(super) fn expire(&mut self, now: Instant, cause: &Error) {
        let kind = if self.may_have_taken { ErrorKind::Uncertain } else { ErrorKind::Unavailable };
        let message = format!("no oracle hands out timestamps: {cause}; check that an oracle runs");
        let expired = self.waiters.partition_point(|waiter| waiter.until <= now);
        self.fail(expired, &Error::new(kind, message));
    }

    pub(super) fn fail(&mut self, oldest: usize, error: &Error) {
        for waiter in self.waiters.drain(..oldest) {
            let _ = waiter.reply.send(Err(error.clone()));
        }
        self.may_have_taken &= !self.waiters.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fluo_table::Timestamp;

    use super::*;

    type Receiver = oneshot::Receiver<Result<TimestampBlock>>;

    fn count(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    fn block(first: u64, size: u32) -> TimestampBlock {
        let at = |number| Timestamp::new(number).unwrap();
        TimestampBlock { first: at(first), count: count(size), horizon: at(11) }
    }

    fn waiting<const N: usize>(tasks: [(u32, Instant); N]) -> (Waiting, [Receiver; N]) {
        let mut waiting = Waiting::default();
        let receivers = tasks.map(|(size, until)| {
            let (reply, share) = oneshot::channel();
            waiting.waiters.push_back(Waiter { count: count(size), until, reply });
            share
        });
        (waiting, receivers)
    }

    #[test]
    fn divides_a_block_among_the_tasks() {
        let now = Instant::now();
        let (mut waiting, shares) = waiting([(1, now), (3, now), (2, now)]);
        assert_eq!(waiting.next_count(), Some(count(6)));
        waiting.serve(block(10, 6));
        let shares = shares.map(|mut share| share.try_recv().unwrap().unwrap());
        assert_eq!(shares.map(|share| share.first.get()), [10, 11, 14]);
        let horizons = shares.map(|share| share.horizon.get());
        assert_eq!(horizons, [10, 11, 11], "none is above its block");
        assert_eq!(waiting.next_count(), None);
    }

    #[test]
    fn requests_no_more_than_an_oracle_grants() {
        let now = Instant::now();
        let (mut waiting, [mut one, mut two]) = waiting([(MAX_COUNT, now), (1, now)]);
        assert_eq!(waiting.next_count(), Some(count(MAX_COUNT)));
        waiting.serve(block(10, MAX_COUNT));
        assert_eq!(one.try_recv().unwrap().unwrap().first.get(), 10);
        assert!(two.try_recv().is_err());
        assert_eq!(waiting.next_count(), Some(count(1)));
    }

    #[test]
    fn fails_only_the_tasks_whose_time_is_over() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let (mut waiting, [mut over, mut not_over]) = waiting([(1, now), (1, now + second)]);
        waiting.expire(now, &Error::unavailable("none leads"));
        let error = over.try_recv().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(
            error.to_string(),
            "no oracle hands out timestamps: none leads; check that an oracle runs"
        );
        assert!(not_over.try_recv().is_err());
        waiting.may_have_taken = true;
        waiting.expire(now + second, &Error::unavailable("it was reset"));
        let error = not_over.try_recv().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uncertain);
    }
}
