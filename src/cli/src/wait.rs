//! `fluo wait`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use fluo_table::{Error, ErrorKind, Grouped};
use futures::stream::TryStreamExt;
use tokio::time::{Instant, sleep, timeout};

use crate::application::{ApplicationArguments, OpenApplication, waiting, waiting_notifications};
use crate::exit::{self, Outcome};
use crate::text::{count_of, parse_duration, seconds};
use crate::{output, progress};

/// Pauses between checks. The first ones are short, because the work may already be done.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Time to search for a moment in which no transaction begins.
const MAX_LOOK: Duration = Duration::from_secs(1);
/// Least time to connect, and to get timestamps, so that a short timeout allows one check.
const MIN_ANSWER: Duration = Duration::from_secs(10);

/// Wait until no notification waits, and no transaction that has begun can create one.
///
/// Dead letters (see `fluo notifications failed`) do not count. After the timeout it exits 1 if
/// notifications wait, and 2 if it could not check. The last check may take up to 10 s longer, and
/// the time to read all notifications. An embedded directory is open only during a check. If
/// another process has it open, this command waits for that process, whose workers may be doing the
/// work.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo wait --at embedded:./data --timeout 5m web
  fluo wait --at embedded:./data --timeout 0s web; [ $? -eq 1 ] && echo there is work left

Exit codes: 0 no notification waits, 1 notifications wait, 2 it could not check, or bad use.")]
pub(crate) struct Wait {
    #[command(flatten)]
    application: ApplicationArguments,
    /// Give up after this time, such as 30s or 5m; 0s checks once [default: wait for ever]
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
            let left = self.timeout.map(|limit| limit.saturating_sub(start.elapsed()));
            let looked = self.look(left.map(|left| left.max(MIN_ANSWER))).await;
            let waited = start.elapsed();
            let is_over = self.timeout.is_some_and(|limit| waited >= limit);
            let reason = match looked {
                Ok(None) => return Ok(Outcome::Success),
                Ok(Some(reason)) if is_over => {
                    say!("not idle after {}: {reason}", seconds(waited));
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

    /// Returns the reason why the application is not idle. `None` if it is, which is printed. The
    /// connection, and the timestamps, must arrive within the limit.
    async fn look(&self, limit: Option<Duration>) -> Result<Option<String>> {
        let open = within(limit, "the tables and the application", self.application.open()).await?;
        let batches = waiting(&*open.table);
        let count = batches.try_fold(0, async |count, batch| Ok(count + count_of(batch.len())));
        let count = count.await?;
        if count > 0 {
            return Ok(Some(waiting_notifications(count)));
        }
        let is_idle = within(limit, "an oracle, which hands out timestamps,", open.is_idle());
        if !is_idle.await? {
            let reason = "no notification waits, but transactions begin all the time";
            return Ok(Some(reason.to_owned()));
        }
        let see = "in the dead letters, see `fluo notifications failed`";
        match open.coordination.dead_letters().await?.len() {
            0 => say!("idle: no notification waits"),
            1 => say!("idle: no notification waits; 1 is {see}"),
            count => say!("idle: no notification waits; {} are {see}", Grouped(count_of(count))),
        }
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

/// Ends work that takes longer than the limit. The error names the part that does not answer.
async fn within<T>(
    limit: Option<Duration>,
    part: &str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let Some(limit) = limit else { return work.await };
    let ended = timeout(limit, work).await;
    ended.unwrap_or_else(|_| {
        let message = format!("{part} did not answer within {}", seconds(limit));
        Err(Error::unavailable(message).into())
    })
}
