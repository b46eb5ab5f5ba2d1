//! `fluo wait`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use fluo_table::{Error, ErrorKind, Grouped};
use futures::stream::TryStreamExt;
use tokio::time::{Instant, sleep};

use crate::application::{ApplicationArguments, waiting};
use crate::duration::{self, seconds};
use crate::exit::Outcome;
use crate::output;
use crate::progress;
use crate::text::{count_of, plural};

/// Pauses between checks. The first ones are short, because the work may already be done.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Time to search for a moment in which no transaction begins.
const MAX_LOOK: Duration = Duration::from_secs(1);

/// Wait until no notification waits, and no transaction that has begun can create one.
///
/// Dead letters (see `fluo notifications failed`) do not count. After the timeout it exits 1 if
/// notifications wait, and 2 if it could not check. An embedded directory is open only during a
/// check. If another process has it open, this command waits for that process, whose workers may be
/// doing the work.
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
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

#[derive(Debug)]
enum Looked {
    /// No notification waits. The dead letters are counted.
    Idle { dead_letters: usize },
    /// This number of notifications waits.
    Waiting(u64),
    /// Transactions begin all the time, so an idle moment was not found.
    Busy,
    /// The application cannot be opened at present.
    Unavailable(Error),
}

impl Wait {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let bar = progress::waiting("looking for notifications".to_owned());
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut is_printed = false;
        loop {
            let looked = self.look().await?;
            if let Looked::Idle { dead_letters } = looked {
                drop(bar);
                print_idle(dead_letters);
                return Ok(Outcome::Success);
            }
            let waited = start.elapsed();
            if self.timeout.is_some_and(|limit| waited >= limit) {
                drop(bar);
                return looked.in_the_end(waited);
            }
            bar.set_message(output::shown(&looked.sentence()));
            // The progress line is hidden in a pipe, and another process causes this wait.
            if let (Looked::Unavailable(_), false, true) = (&looked, is_printed, bar.is_hidden()) {
                say!("note: waiting: {}", looked.sentence());
                is_printed = true;
            }
            let left = self.timeout.map(|limit| limit.saturating_sub(waited));
            sleep(left.map_or(pause, |left| left.min(pause))).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn look(&self) -> Result<Looked> {
        match self.try_look().await {
            Err(error) => match error.downcast_ref::<Error>() {
                Some(cause) if cause.kind() == ErrorKind::Unavailable => {
                    Ok(Looked::Unavailable(cause.clone()))
                }
                _ => Err(error),
            },
            looked => looked,
        }
    }

    async fn try_look(&self) -> Result<Looked> {
        let open = self.application.open().await?;
        let mut count = 0;
        let mut found = waiting(&*open.table);
        while let Some(batch) = found.try_next().await? {
            count += count_of(batch.len());
        }
        drop(found);
        if count > 0 {
            return Ok(Looked::Waiting(count));
        }
        let client = open.client().await?;
        // Counting takes time, so it does not prove that the application is idle. This does.
        let end = Instant::now() + MAX_LOOK;
        while !client.is_idle().await? {
            if Instant::now() > end {
                return Ok(Looked::Busy);
            }
            sleep(FIRST_PAUSE).await;
        }
        let dead_letters = open.coordination.dead_letters().await?.len();
        Ok(Looked::Idle { dead_letters })
    }
}

impl Looked {
    /// Returns the result of a wait after its timeout.
    fn in_the_end(self, waited: Duration) -> Result<Outcome> {
        let waited = seconds(waited);
        if let Self::Unavailable(error) = self {
            let unknown = format!("it is not known after {waited} whether the application is idle");
            return Err(anyhow::Error::new(error).context(unknown));
        }
        say!("not idle after {waited}: {}", self.sentence());
        Ok(Outcome::Difference)
    }

    fn sentence(&self) -> String {
        match self {
            Self::Idle { .. } => "no notification waits".to_owned(),
            Self::Waiting(1) => "1 notification waits".to_owned(),
            Self::Waiting(count) => format!("{} wait", plural(*count, "notification")),
            Self::Busy => "no notification waits, but transactions begin all the time".to_owned(),
            Self::Unavailable(error) => error.to_string(),
        }
    }
}

fn print_idle(dead_letters: usize) {
    let see = "in the dead letters, see `fluo notifications failed`";
    match dead_letters {
        0 => say!("idle: no notification waits"),
        1 => say!("idle: no notification waits; 1 is {see}"),
        count => say!("idle: no notification waits; {} are {see}", Grouped(count_of(count))),
    }
}
