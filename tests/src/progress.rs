//! Waits that end with their event, and fail only if nothing changes for minutes.

use std::fmt::Debug;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};

/// The time without a change after which a wait fails. Every machine makes some progress in it,
/// however busy it is.
pub const STUCK: Duration = Duration::from_secs(300);

/// The pause between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The pause between two looks at the progress.
const PAUSE: Duration = Duration::from_secs(1);

/// Waits until a condition holds.
///
/// # Panics
///
/// It does not hold within [`STUCK`].
pub async fn until(what: &str, holds: impl AsyncFnMut() -> bool) {
    assert!(comes_true(holds).await, "{what}: not within {STUCK:?}");
}

/// Waits until a condition holds. Returns `false` if it does not within [`STUCK`].
pub async fn comes_true(mut holds: impl AsyncFnMut() -> bool) -> bool {
    let held = async {
        while !holds().await {
            sleep(LOOK_EVERY).await;
        }
    };
    timeout(STUCK, held).await.is_ok()
}

/// Returns the output of a future, during which `look` returns another value from time to time.
///
/// # Panics
///
/// `look` returns the same value, or nothing, for [`STUCK`].
pub async fn while_changing<T, P: Debug + PartialEq>(
    ending: impl Future<Output = T>,
    look: impl AsyncFn() -> P,
) -> T {
    tokio::select! {
        biased;
        output = ending => output,
        last = last_of(look) => panic!("nothing has changed for {} s: {last:?}", STUCK.as_secs()),
    }
}

/// Returns the value that has not changed for too long.
async fn last_of<P: PartialEq>(look: impl AsyncFn() -> P) -> Option<P> {
    let (mut last, mut limit) = (None, Instant::now() + STUCK);
    while Instant::now() < limit {
        match timeout_at(limit, look()).await {
            Ok(seen) if last.as_ref() != Some(&seen) => {
                last = Some(seen);
                limit = Instant::now() + STUCK;
            }
            _ => {}
        }
        sleep(PAUSE).await;
    }
    last
}
