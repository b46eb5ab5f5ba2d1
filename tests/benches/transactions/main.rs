//! Transactions on the embedded table beside what it can do without them, in one run:
//! `cargo bench -p fluo-tests --bench transactions -- [seconds per case] [large] [queue SECONDS]`.
//!
//! - Writes, all durable and from 64 tasks: a conditional mutation of one row and two cells; a
//!   transaction that sets the same; a transfer, which reads two cells of two rows and sets them.
//! - Timestamps in process.
//! - Scans of a table with ten versions of every cell: a snapshot of it, beside a plain scan of all
//!   stored entries.
//! - Observers: rows that are loaded and then removed by an observer; a queue for many items, with
//!   and without the collection of its garbage; and the memory of a worker when many notifications
//!   wait.
//! - With `large`, transfers in a table of ten million cells beside those in one of a million,
//!   which takes minutes to fill.
//! - With `queue 3600`, only the queue, for an hour.

mod ground;
mod growing;
mod observing;
mod scanning;
mod stamping;
mod writing;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use ground::Outcome;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The default time of the queue, as a multiple of the time of another case.
const QUEUE_CASES: u32 = 3;

fn main() -> Outcome {
    let asked = Asked::read(std::env::args().skip(1))?;
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(directory.path(), &asked))
}

async fn measure(directory: &Path, asked: &Asked) -> Outcome {
    if let Some(length) = asked.queue {
        return observing::long_lived(directory, length).await;
    }
    let time = asked.time;
    writing::compare(directory, time).await?;
    stamping::measure(directory).await?;
    scanning::compare(directory).await?;
    observing::end_to_end(directory, time).await?;
    observing::many_waiting(directory, &MEMORY).await?;
    observing::long_lived(directory, time * QUEUE_CASES).await?;
    if asked.is_large {
        growing::compare(directory, time).await?;
    }
    Ok(())
}

/// The cases that the arguments request.
struct Asked {
    /// The time of each case.
    time: Duration,
    is_large: bool,
    /// The time of the queue, if it is the only case.
    queue: Option<Duration>,
}

impl Asked {
    fn read(mut arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut asked = Self { time: Duration::from_secs(4), is_large: false, queue: None };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo passes it.
                "--bench" => {}
                "large" => asked.is_large = true,
                "queue" => {
                    let length = arguments.next().unwrap_or_default();
                    asked.queue = Some(seconds(&length)?);
                }
                other => asked.time = seconds(other)?,
            }
        }
        Ok(asked)
    }
}

fn seconds(text: &str) -> Outcome<Duration> {
    match text.parse() {
        Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("`{text}` is not a number of seconds: give `3`, `large` or `queue 3600`")
            .into()),
    }
}

/// Prints a rate.
pub(crate) fn rate(what: &str, count: u64, time: Duration) -> Outcome<u128> {
    let rate = u128::from(count) * 1_000_000 / time.as_micros().max(1);
    writeln!(std::io::stdout(), "{what:<58}{rate:>12} /s")?;
    Ok(rate)
}

/// Prints a share, in hundredths.
pub(crate) fn share(what: &str, part: u128, whole: u128) -> Outcome {
    let percent = part * 100 / whole.max(1);
    writeln!(
        std::io::stdout(),
        "  {what:<56}{:>12}",
        format!("{}.{:02}", percent / 100, percent % 100)
    )?;
    Ok(())
}
