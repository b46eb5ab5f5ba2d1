//! Waits until the servers have moved the tablets of a table.

use std::fmt;
use std::pin::pin;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result, TableAdmin};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, join, select};

use super::verify::{GroupVerdict, groups};
use super::{Plan, RowCounting, Verdict, Verifying};

/// Pauses between checks. The first ones are short, because the servers may already be done.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Minimum timeout of a check, however little of the wait is left.
const MIN_LOOK: Duration = Duration::from_secs(10);
/// The default limit. Accumulo's group balancer checks a table once a minute.
const LIMIT: Duration = Duration::from_secs(120);

/// Progress events of a [`Waiting`].
#[derive(Clone, Copy, Debug)]
pub enum WaitEvent<'a, T> {
    /// A check begins.
    Look,
    /// The check succeeded, and it is repeated after a pause.
    NotYet(&'a T),
    /// The table was unavailable, and the check is repeated after a pause.
    Unavailable(&'a Error),
}

/// A wait with repeated checks: its options, and the wait itself when it is awaited.
///
/// The result is the state of the table at the last check, which may not be the state that the wait
/// was for if the limit has passed. The pause after a check is 100 ms at first, then twice the
/// pause before, and at most 2 s. A check is limited to the rest of the wait, but to no less than
/// 10 s, so that a server that does not answer cannot extend the wait.
///
/// A wait reads no clock. It measures all times by the `sleep` function of the caller, which is the
/// timer of its runtime, such as `tokio::time::sleep`.
#[must_use = "a wait begins when this is awaited"]
pub struct Waiting<'a, T> {
    look: Box<dyn FnMut() -> BoxFuture<'a, Result<T>> + Send + 'a>,
    is_done: fn(&T) -> bool,
    sleep: Box<dyn Fn(Duration) -> BoxFuture<'a, ()> + Send + 'a>,
    limit: Duration,
    watch: Watch<'a, T>,
}

type Watch<'a, T> = Box<dyn FnMut(WaitEvent<'_, T>) + Send + 'a>;

impl Plan {
    /// Waits until the servers have moved the tablets, so that each group of this plan
    /// [is spread](GroupVerdict::is_spread). Call it after [`apply`](Self::apply). If the limit
    /// passes first, the servers continue by themselves.
    ///
    /// # Errors
    ///
    /// Those of [`groups()`]. An unavailable table is an error only at the limit.
    pub fn wait_until_balanced<'a, S: Future<Output = ()> + Send + 'a>(
        &'a self,
        tables: &'a dyn TableAdmin,
        sleep: impl Fn(Duration) -> S + Send + 'a,
    ) -> Waiting<'a, Vec<GroupVerdict>> {
        let look = move || groups(tables, &self.table, self.group_pattern()).boxed();
        let are_spread = |groups: &Vec<_>| groups.iter().all(GroupVerdict::is_spread);
        Waiting::new(look, are_spread, sleep)
    }
}

impl<'a> Verifying<'a> {
    /// Repeats this verification until the table [is laid out](Verdict::is_laid_out). Rows are not
    /// counted: they do not change by waiting.
    ///
    /// # Errors
    ///
    /// Those of [`verify`](super::TableOptimizations::verify). An unavailable table is an error
    /// only at the limit.
    pub fn until_laid_out<S: Future<Output = ()> + Send + 'a>(
        self,
        sleep: impl Fn(Duration) -> S + Send + 'a,
    ) -> Waiting<'a, Verdict> {
        let Self { optimizations, tables, table, options, .. } = self;
        let options = options.rows(RowCounting::Skip);
        let look = move || optimizations.verify(tables, table).options(&options).into_future();
        Waiting::new(look, Verdict::is_laid_out, sleep)
    }
}

impl<'a, T: Send + Sync + 'a> Waiting<'a, T> {
    fn new<S: Future<Output = ()> + Send + 'a>(
        look: impl FnMut() -> BoxFuture<'a, Result<T>> + Send + 'a,
        is_done: fn(&T) -> bool,
        sleep: impl Fn(Duration) -> S + Send + 'a,
    ) -> Self {
        let sleep = Box::new(move |duration| sleep(duration).boxed());
        Self { look: Box::new(look), is_done, sleep, limit: LIMIT, watch: Box::new(|_| ()) }
    }

    /// Sets the maximum duration of the wait. With 0, the table is checked once. Default: 2
    /// minutes.
    pub fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Sets a function that is called with each event, in order. Default: none.
    pub fn on_event(self, watch: impl FnMut(WaitEvent<'_, T>) + Send + 'a) -> Self {
        Self { watch: Box::new(watch), ..self }
    }

    async fn run(self) -> Result<T> {
        let Self { mut look, is_done, sleep, limit, mut watch } = self;
        let end = sleep(limit).shared();
        let is_over = || limit.is_zero() || end.clone().now_or_never().is_some();
        let mut pause = FIRST_PAUSE;
        loop {
            watch(WaitEvent::Look);
            let timeout = pin!(join(end.clone(), sleep(MIN_LOOK)));
            let looked = match select(look(), timeout).await {
                Either::Left((looked, _)) => looked,
                Either::Right(_) => {
                    let message = "the table did not answer within the limit of the wait";
                    return Err(Error::unavailable(message));
                }
            };
            match looked {
                Ok(seen) if is_done(&seen) || is_over() => return Ok(seen),
                Ok(seen) => watch(WaitEvent::NotYet(&seen)),
                Err(error) if error.kind() != ErrorKind::Unavailable || is_over() => {
                    return Err(error);
                }
                Err(error) => watch(WaitEvent::Unavailable(&error)),
            }
            select(end.clone(), sleep(pause)).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

call_when_awaited!(Waiting<T> => Result<T>);

impl<T> fmt::Debug for Waiting<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    /// Returns a wait for a number whose checks take a second. The first ones fail, and the numbers
    /// of the others count from 0.
    fn wait<'a>(failures: u32, kind: ErrorKind, is_done: fn(&u32) -> bool) -> Waiting<'a, u32> {
        let mut looks = 0_u32;
        let look = move || {
            let look = looks;
            looks += 1;
            async move {
                sleep(Duration::from_secs(1)).await;
                look.checked_sub(failures).ok_or_else(|| Error::new(kind, "no server answers"))
            }
            .boxed()
        };
        Waiting::new(look, is_done, sleep)
    }

    async fn waited(wait: Waiting<'_, u32>) -> (Result<u32>, u128) {
        let start = Instant::now();
        (wait.await, start.elapsed().as_millis())
    }

    #[tokio::test(start_paused = true)]
    async fn ends_with_the_state_or_with_the_limit() {
        fn wait_for_two<'a>() -> Waiting<'a, u32> {
            wait(0, ErrorKind::Unavailable, |seen| *seen == 2)
        }
        let mut seen = Vec::new();
        let start = Instant::now();
        let found = wait_for_two()
            .on_event(|event| {
                if let WaitEvent::NotYet(state) = event {
                    seen.push((*state, start.elapsed().as_millis()));
                }
            })
            .await;
        assert_eq!((found.unwrap(), seen), (2, vec![(0, 1_000), (1, 2_100)]));

        let (found, took) = waited(wait_for_two().limit(Duration::from_millis(1_050))).await;
        assert_eq!((found.unwrap(), took), (1, 2_050), "the pause ends at the limit");
        let (found, took) = waited(wait_for_two().limit(Duration::ZERO)).await;
        assert_eq!((found.unwrap(), took), (0, 1_000));
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_until_the_limit() {
        let look = || async { Ok(0) }.boxed();
        let start = Instant::now();
        let mut looks = Vec::new();
        let wait = Waiting::new(look, |_| false, sleep).limit(Duration::from_secs(5));
        let wait = wait.on_event(|event| {
            if let WaitEvent::Look = event {
                looks.push(start.elapsed().as_millis());
            }
        });
        wait.await.unwrap();
        assert_eq!(looks, [0, 100, 300, 700, 1_500, 3_100, 5_000]);
    }

    /// Covers a bug: one failed check ended the wait, although time was left.
    #[tokio::test(start_paused = true)]
    async fn repeats_a_failing_check_until_the_limit() {
        let at_once = |_: &u32| true;
        let unavailable = |failures| wait(failures, ErrorKind::Unavailable, at_once);
        let (found, took) = waited(unavailable(5)).await;
        assert_eq!((found.unwrap(), took), (0, 6_000 + 3_100));

        let (found, took) = waited(unavailable(100).limit(Duration::from_secs(4))).await;
        assert_eq!(found.unwrap_err().to_string(), "no server answers");
        assert_eq!(took, 4_700);

        let (found, took) = waited(wait(1, ErrorKind::NotFound, at_once)).await;
        assert_eq!(found.unwrap_err().to_string(), "no server answers");
        assert_eq!(took, 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_check_ends_with_the_wait() {
        for (limit, ends) in [(60, 60_000), (1, 10_000)] {
            let look = || std::future::pending().boxed();
            let wait = Waiting::new(look, |_| true, sleep).limit(Duration::from_secs(limit));
            let (found, took) = waited(wait).await;
            let error = found.unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string().as_str()),
                (ErrorKind::Unavailable, "the table did not answer within the limit of the wait")
            );
            assert_eq!(took, ends);
        }
    }
}
