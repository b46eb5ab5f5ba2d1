//! Transactions on the embedded table beside what it can do without them, in one run:
//! `cargo bench -p fluo-tests --bench transactions [seconds per case] [large]`.
//!
//! Writes, all durable and from 64 tasks: a conditional mutation of one row and two cells; a transaction that sets the
//! same; a transfer, which reads two cells of two rows and sets them. Timestamps in process. Scans of a table with ten
//! versions of every cell: a snapshot of it, beside a plain scan of all that is stored. Rows that are loaded and taken off
//! by an observer; a queue through which many go; and what a worker takes where many wait. With `large`, transfers in a
//! table of ten million cells beside those in one of a million, which takes minutes to fill.

mod ground;
mod growing;
mod observing;
mod scanning;
mod stamping;
mod writing;

use std::io::Write;
use std::time::Duration;

use ground::Outcome;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() -> Outcome {
    let seconds = std::env::args().find_map(|argument| argument.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(4));
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        writing::compare(directory.path(), time).await?;
        stamping::measure(directory.path()).await?;
        scanning::compare(directory.path()).await?;
        observing::end_to_end(directory.path(), time).await?;
        observing::many_waiting(directory.path(), &MEMORY).await?;
        observing::long_lived(directory.path(), time).await?;
        if std::env::args().any(|argument| argument == "large") {
            growing::compare(directory.path(), time).await?;
        }
        Ok(())
    })
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
