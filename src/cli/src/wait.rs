//! `fluo wait`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use fluo_core::{Error, ErrorKind};
use futures::stream::TryStreamExt;
use tokio::time::{Instant, sleep, timeout};

use crate::application::{ApplicationArguments, waiting};
use crate::duration::{self, seconds};
use crate::exit::Outcome;
use crate::output::{self, count_of, plural};
use crate::progress;

/// Pauses between two looks: short at first, as the work may be done at once.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long a look may wait for a moment in which no transaction begins.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Wait until no notification waits, and none can come of a transaction that has begun.
///
/// Notifications that were set aside do not count. When the timeout has passed it exits 1 if notifications wait, and 2
/// if it could not look. An embedded directory is held only while it is looked at. While another process holds it, that
/// process is waited for: its workers may be what the wait is for.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo wait --at embedded:./data --timeout 5m web
  fluo wait --at embedded:./data --timeout 0s web; [ $? -eq 1 ] && echo there is work left

It exits 0 when nothing waits, 1 when something does, and 2 when it could not look or was asked in a wrong way.")]
pub(crate) struct Wait {
    #[command(flatten)]
    application: ApplicationArguments,
    /// Give up after this long, such as 30s or 5m; 0s looks once [default: wait for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,
}

/// What was seen at a look.
#[derive(Debug)]
enum Looked {
    /// Nothing is left, but for so many that are set aside.
    Idle { set_aside: usize },
    /// So many notifications wait.
    Waiting(u64),
    /// Transactions begin all the time.
    Busy,
    /// It cannot be seen at present.
    Unavailable(Error),
}

impl Wait {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let bar = progress::waiting("looking for notifications".to_owned());
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut is_told = false;
        loop {
            let looked = self.look().await?;
            if let Looked::Idle { set_aside } = looked {
                bar.finish_and_clear();
                tell_idle(set_aside);
                return Ok(Outcome::Success);
            }
            let waited = start.elapsed();
            if self.timeout.is_some_and(|limit| waited >= limit) {
                bar.finish_and_clear();
                return looked.in_the_end(waited);
            }
            bar.set_message(output::shown(&looked.sentence()));
            // Nobody at a pipe sees the line above, and only this is out of the hands of the application.
            if let (Looked::Unavailable(_), false, true) = (&looked, is_told, bar.is_hidden()) {
                output::say(&format!("note: waiting: {}", looked.sentence()));
                is_told = true;
            }
            let left = self.timeout.map(|limit| limit.saturating_sub(waited));
            sleep(left.map_or(pause, |left| left.min(pause))).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn look(&self) -> Result<Looked> {
        match self.try_look().await {
            Err(error) => match error.downcast::<Error>() {
                Ok(error) if error.kind() == ErrorKind::Unavailable => {
                    Ok(Looked::Unavailable(error))
                }
                Ok(error) => Err(error.into()),
                Err(error) => Err(error),
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
        // The exact answer: a look is no instant.
        match timeout(LONGEST_LOOK, client.wait_until_idle()).await {
            Ok(idle) => idle?,
            Err(_) => return Ok(Looked::Busy),
        }
        let set_aside = open.coordination.set_aside_list().await?.len();
        Ok(Looked::Idle { set_aside })
    }
}

impl Looked {
    /// What a wait that is given up comes to.
    fn in_the_end(self, waited: Duration) -> Result<Outcome> {
        let waited = seconds(waited);
        if let Self::Unavailable(error) = self {
            let unknown = format!("it is not known after {waited} whether the application is idle");
            return Err(anyhow::Error::new(error).context(unknown));
        }
        output::say(&format!("not idle after {waited}: {}", self.sentence()));
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

fn tell_idle(set_aside: usize) {
    let rest = match set_aside {
        0 => String::new(),
        1 => "; 1 is set aside, see `fluo notifications failed`".to_owned(),
        count => format!(
            "; {} are set aside, see `fluo notifications failed`",
            output::grouped(count_of(count))
        ),
    };
    output::say(&format!("idle: no notification waits{rest}"));
}
