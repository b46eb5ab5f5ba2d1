//! `fluo wait`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use fluo_engine::notifications;
use fluo_table::{Error, ErrorKind, Grouped};
use futures::stream::TryStreamExt;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout_at};

use crate::application::{ApplicationArguments, OpenApplication, waiting_notifications};
use crate::exit::{self, Outcome};
use crate::text::{count_of, parse_duration, seconds};
use crate::{output, progress};

/// Pauses between checks. The first ones are short, because the work may already be done.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Time to search for a moment in which no transaction begins.
const MAX_LOOK: Duration = Duration::from_secs(1);
/// Minimum time of a check, so that a short timeout allows one.
const MIN_ANSWER: Duration = Duration::from_secs(10);

/// Wait until no notification waits, and no transaction that has begun can create one.
///
/// Dead letters (see `fluo notifications failed`) do not count. After the timeout it exits 1 if
/// notifications wait, and 2 if it could not check. The last check may take up to 10 s longer. An
/// embedded directory is open only during a check. If another process has it open, this command
/// waits for that process, whose workers may be doing the work.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo wait --at embedded:./data --timeout 5m web
  fluo wait --at embedded:./data --timeout 0s web || echo there is work left

Exit codes: 0 no notification waits, 1 notifications wait, 2 it could not check, or bad use.")]
pub(crate) struct Wait {
    #[command(flatten)]
    application: ApplicationArguments,
    /// End after this time, such as 30s or 5m; 0s checks once [default: no limit]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    timeout: Option<Duration>,
}

impl Wait {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let bar = progress::waiting("looking for notifications".to_owned());
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut is_printed = false;
        loop {
            let end = self.timeout.and_then(|limit| start.checked_add(limit));
            let looked = self.look(end.map(|end| end.max(Instant::now() + MIN_ANSWER))).await;
            let waited = start.elapsed();
            let is_over = self.timeout.is_some_and(|limit| waited >= limit);
            let reason = match looked {
                Ok(None) => return Ok(Outcome::Success),
                Ok(Some(reason)) if is_over => {
                    say!("not idle after {}: {reason}", seconds(waited));
                    output::print_result(&json!({ "idle": false, "reason": reason }))?;
                    return Ok(Outcome::Difference);
                }
                Ok(Some(reason)) => reason,
                Err(error) if exit::kind(&error) != Some(ErrorKind::Unavailable) => {
                    return Err(error);
                }
                Err(error) if is_over => {
                    let waited = seconds(waited);
                    let unknown =
                        format!("it is not known after {waited} whether the application is idle");
                    return Err(error.context(unknown));
                }
                Err(error) => {
                    // The progress line is hidden in a pipe, and another process causes this wait.
                    if !is_printed && bar.is_hidden() {
                        say!("note: waiting: {error}");
                        is_printed = true;
                    }
                    error.to_string()
                }
            };
            bar.set_message(output::shown(&reason));
            let left = self.timeout.map(|limit| limit.saturating_sub(waited));
            sleep(left.map_or(pause, |left| left.min(pause))).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Returns the reason why the application is not idle. `None` if it is, which is printed.
    async fn look(&self, end: Option<Instant>) -> Result<Option<String>> {
        let open = within(end, "the tables and the application", self.application.open()).await?;
        let (mut batches, mut count) = (open.table.scan(notifications()), 0);
        loop {
            let next = async { Ok(batches.try_next().await?) };
            match within(end, "the table", next).await {
                Ok(Some(batch)) => count += count_of(batch.len()),
                Ok(None) => break,
                Err(error) if count == 0 || exit::kind(&error) != Some(ErrorKind::Unavailable) => {
                    return Err(error);
                }
                Err(_) => return Ok(Some(format!("at least {}", waiting_notifications(count)))),
            }
        }
        if count > 0 {
            return Ok(Some(waiting_notifications(count)));
        }
        let is_idle = within(end, "an oracle, which hands out timestamps,", open.is_idle());
        if !is_idle.await? {
            let reason = "no notification waits, but transactions begin all the time";
            return Ok(Some(reason.to_owned()));
        }
        let see = "in the dead letters, see `fluo notifications failed`";
        let dead_letters = async { Ok(open.coordination.dead_letters().await?) };
        let dead_letters = within(end, "the list of dead letters", dead_letters).await?.len();
        match dead_letters {
            0 => say!("idle: no notification waits"),
            1 => say!("idle: no notification waits; 1 is {see}"),
            count => say!("idle: no notification waits; {} are {see}", Grouped::new(count)),
        }
        output::print_result(&json!({ "idle": true, "dead_letters": dead_letters }))?;
        Ok(None)
    }
}

impl OpenApplication {
    /// Checks whether the application is idle. Counting notifications takes time, so it does not
    /// prove that.
    async fn is_idle(&self) -> Result<bool> {
        let client = self.client().await?;
        let end = Instant::now() + MAX_LOOK;
        while !client.is_idle().await? {
            if Instant::now() > end {
                return Ok(false);
            }
            sleep(FIRST_PAUSE).await;
        }
        Ok(true)
    }
}

/// Stops work at the end of the time. The error names the part that does not answer.
async fn within<T>(
    end: Option<Instant>,
    part: &str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let Some(end) = end else { return work.await };
    let begin = Instant::now();
    timeout_at(end, work).await.unwrap_or_else(|_| {
        let message = format!("{part} did not answer within {}", seconds(begin.elapsed()));
        Err(Error::unavailable(message).into())
    })
}
