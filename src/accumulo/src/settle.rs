//! Waiting until a change has spread.

use std::time::Duration;

use fluo_core::{Error, ErrorKind, Result};
use tokio::time::{Instant, sleep};

/// Longest wait for something that usually takes milliseconds.
const LIMIT: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Asks `look` again and again until it has an answer.
///
/// # Errors
/// Those of `look`; [`Uncertain`](ErrorKind::Uncertain) once the limit has passed, saying what was waited for.
pub(crate) async fn until<T>(
    what: impl FnOnce() -> String,
    mut look: impl AsyncFnMut() -> Result<Option<T>>,
) -> Result<T> {
    let begin = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(answer) = look().await? {
            return Ok(answer);
        }
        if begin.elapsed() > LIMIT {
            let message = format!("{}: not so after {} s", what(), LIMIT.as_secs());
            return Err(Error::new(ErrorKind::Uncertain, message));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
