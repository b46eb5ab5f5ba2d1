//! The load of the lines of a file into a table, for `fluo table load` and `fluo table import`.

use std::future::ready;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Error, Result, anyhow, ensure};
use clap::Args;
use fluo_keys::{BulkLoad, BulkLoadCause, BulkLoadError, BulkLoadReport, KeyDesign};
use fluo_table::{Authorizations, ErrorKind, Grouped, Mutation, Update, locked};
use futures::{Stream, StreamExt, stream};
use indicatif::ProgressBar;
use tokio::sync::mpsc;

use super::bad_lines::{BadLineArguments, BadLines};
use crate::interruption::set_state;
use crate::target::{ApplicationGuard, TargetArguments};
use crate::text::counted;
use crate::{lines, progress};

/// Maximum number of rows that pass to the load together. The first row passes alone, so it is
/// written at once.
const CHUNK_ROWS: usize = 1_000;
/// Number of bytes of lines after which a chunk passes to the load.
const CHUNK_BYTES: usize = 1 << 20;
const MAX_CHUNKS: usize = 2;
/// Bounds of the cells that are written in one mutation of their row.
const MAX_JOINED_CELLS: usize = 100;
const MAX_JOINED_BYTES: usize = 1 << 16;
/// The bounds of versions with one timestamp, which are written together in any case.
const MAX_VERSIONS: usize = 1_000;
const MAX_VERSION_BYTES: usize = 16 << 20;

#[derive(Args, Debug)]
pub(super) struct FileLoad {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    pub(super) name: String,
    /// File, or - for standard input. Gzip, a byte order mark and CRLF are recognized
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    #[command(flatten)]
    pub(super) bad: BadLineArguments,
    #[command(flatten)]
    guard: ApplicationGuard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinesOf {
    Rows,
    /// Consecutive cells of a row are written together.
    Cells,
}

#[derive(Debug)]
pub(super) struct FileLoaded {
    pub(super) report: BulkLoadReport,
    pub(super) bad: BadLines,
    pub(super) seconds: f64,
}

impl LinesOf {
    fn noun(self) -> &'static str {
        match self {
            Self::Rows => "row",
            Self::Cells => "cell",
        }
    }

    /// Returns the noun of the work, and its form with `-ing`.
    fn work(self) -> [&'static str; 2] {
        match self {
            Self::Rows => ["load", "loading"],
            Self::Cells => ["import", "importing"],
        }
    }
}

impl FileLoaded {
    #[expect(clippy::cast_precision_loss, reason = "a rate for a person to read")]
    pub(super) fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }
}

impl FileLoad {
    /// Loads the mutations that `parse` makes from lines, under keys of the design, or adds the
    /// lines to the bad ones. `again` states the consequences of repeating the load.
    pub(super) async fn load(
        &self,
        load: BulkLoad<'_>,
        design: &KeyDesign,
        again: &str,
        lines_of: LinesOf,
        mut parse: impl FnMut(&[u8]) -> Result<Mutation> + Send + 'static,
    ) -> Result<FileLoaded> {
        let [work, working] = lines_of.work();
        let path = self.file.clone();
        let what = format!("{}s", lines_of.noun());
        let label = format!("{working} {what}");
        let input = tokio::task::spawn_blocking(move || lines::open(&path, &what)).await??;
        let tables = self.target.open_to_change(&self.name, &self.guard).await?;
        let table = tables.open_table(&self.name, Authorizations::none()).await?;
        // The load ends at a row that is refused, so such rows are found before. Draws no salts.
        let checking = self.bad.may_skip().then(|| design.clone().with_salt_source(|| 0));
        let checking = checking.map(|design| (design, table.clone()));
        let parse = move |line: &[u8]| {
            let mutation = parse(line)?;
            if let Some((design, table)) = &checking {
                let row = design.encode_row(&mutation.row)?;
                table.check_mutation(&Mutation { row, updates: mutation.updates.clone() })?;
            }
            Ok(mutation)
        };
        let bad = Arc::new(Mutex::new(self.bad.open()?));
        let unused = self.bad.unused();
        // The bytes of the file that were read, and the bar of those whose rows are written.
        let read = ProgressBar::hidden();
        let rows = rows_of(read.wrap_read(input), lines_of, Arc::clone(&bad), parse);
        let (bar, start) = (progress::bytes(&label, lines::size_of(&self.file)), Instant::now());
        let watch = |report: &BulkLoadReport| {
            let ended = u128::from(read.position()) * u128::from(report.ended_bytes)
                / u128::from(report.read_bytes.max(1));
            // The file is read ahead of the load, in steps.
            bar.set_position(bar.position().max(u64::try_from(ended).unwrap_or(u64::MAX)));
            let stopped = stopped(report, lines_of, again);
            set_state(format!("{working} table `{}` {stopped}", self.name));
        };
        let loaded = load.on_progress(watch).load_numbered(&*table, rows).await;
        drop(bar);
        let seconds = start.elapsed().as_secs_f64();
        let bad = std::mem::take(&mut *locked(&bad));
        match loaded {
            Ok(report) => {
                std::mem::forget(unused);
                Ok(FileLoaded { report, bad, seconds })
            }
            Err(error) => {
                bad.tell();
                let stopped = stopped(&error.report, lines_of, again);
                Err(failure(error).context(format!("the {work} {stopped}")))
            }
        }
    }
}

/// Returns the mutations with the numbers of their lines, or of the first of their lines. A failure
/// has the number of the line that could not be read or added.
fn rows_of(
    input: impl Read + Send + 'static,
    lines_of: LinesOf,
    bad: Arc<Mutex<BadLines>>,
    mut parse: impl FnMut(&[u8]) -> Result<Mutation> + Send + 'static,
) -> impl Stream<Item = (u64, Result<Mutation>)> + Send {
    let (chunks, received) = mpsc::channel::<Vec<(u64, Result<Mutation>)>>(MAX_CHUNKS);
    // Sends the rows, and the error that ends them. Ends early if the load does not take more.
    let reader = tokio::task::spawn_blocking(move || {
        let (mut chunk, mut bytes, mut is_first) = (Vec::new(), 0, true);
        let mut send_if_full = |chunk: &mut Vec<_>, bytes: &mut usize| {
            let is_full = chunk.len() >= CHUNK_ROWS || *bytes >= CHUNK_BYTES;
            if is_full || is_first && !chunk.is_empty() {
                (is_first, *bytes) = (false, 0);
                chunks.blocking_send(std::mem::take(chunk))?;
            }
            anyhow::Ok(())
        };
        let mut add = |number: u64, line: &[u8]| {
            let mutation = match parse(line) {
                Ok(mutation) => mutation,
                Err(error) => return locked(&bad).skip(number, line, error),
            };
            bytes += line.len();
            if lines_of == LinesOf::Rows {
                chunk.push((number, Ok(mutation)));
                return send_if_full(&mut chunk, &mut bytes);
            }
            match chunk.last_mut() {
                Some((_, Ok(last))) if joins(last, &mutation) => {
                    ensure!(
                        last.updates.len() < MAX_VERSIONS && last.size_bytes() < MAX_VERSION_BYTES,
                        "line {number}: more than {} or {} of one row and timestamp",
                        counted(MAX_VERSIONS, "cell"),
                        counted(MAX_VERSION_BYTES, "byte")
                    );
                    // Of versions with one timestamp the first line is the newest, as in a scan.
                    last.updates.splice(0..0, mutation.updates);
                }
                _ => {
                    send_if_full(&mut chunk, &mut bytes)?;
                    chunk.push((number, Ok(mutation)));
                }
            }
            Ok(())
        };
        let mut next = 1;
        let read = lines::for_each(input, |number, line| {
            add(number, line)?;
            next = number + 1;
            Ok(())
        });
        chunk.extend(read.err().map(|error| (next, Err(error))));
        let _ = chunks.blocking_send(chunk);
    });
    // A reader that panics ends the input with an error.
    let end = stream::once(reader)
        .filter_map(|ended| ready(ended.err().map(|error| vec![(0, Err(error.into()))])));
    let received =
        stream::unfold(received, async |mut received| Some((received.recv().await?, received)));
    received.chain(end).flat_map(stream::iter)
}

/// Checks whether the cells of two mutations are written together. Versions with one timestamp
/// always are, because their order matters.
fn joins(last: &Mutation, next: &Mutation) -> bool {
    let version = |update: &Update| (update.column.clone(), update.timestamp);
    let is_small = || {
        last.updates.len() < MAX_JOINED_CELLS
            && last.size_bytes() + next.size_bytes() < MAX_JOINED_BYTES
    };
    last.row == next.row
        && (is_small() || last.updates.first().map(version) == next.updates.first().map(version))
}

fn failure(error: BulkLoadError) -> Error {
    let lines = match (error.rows.start(), error.rows.end()) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("in lines {first} to {last}"),
    };
    match error.cause {
        // It names its line.
        BulkLoadCause::Input(error) => anyhow!(error),
        BulkLoadCause::Table(cause) if cause.kind() != ErrorKind::Invalid => cause.into(),
        cause => anyhow!(cause).context(lines),
    }
}

/// Returns the rows or cells that are written, and the consequences of loading them again.
fn stopped(report: &BulkLoadReport, lines_of: LinesOf, again: &str) -> String {
    let written = match lines_of {
        LinesOf::Rows => report.written,
        LinesOf::Cells => report.written_cells,
    };
    let stopped = format!("stopped after {}", counted(written, lines_of.noun()));
    match (report.written, report.unknown) {
        (0, 0) => stopped,
        (_, 0) => format!("{stopped}; {again}"),
        (..) if lines_of == LinesOf::Cells => format!("{stopped} and perhaps more; {again}"),
        (_, some) => format!("{stopped} and perhaps {} more; {again}", Grouped(some)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_a_load_that_ended_early() {
        for (written, unknown, rows, cells) in [
            (0, 0, "0 rows", "0 cells"),
            (1, 0, "1 row; again", "2 cells; again"),
            (
                1_200,
                1_000,
                "1,200 rows and perhaps 1,000 more; again",
                "2,400 cells and perhaps more; again",
            ),
            (0, 2, "0 rows and perhaps 2 more; again", "0 cells and perhaps more; again"),
        ] {
            let written_cells = 2 * written;
            let report =
                BulkLoadReport { written, written_cells, unknown, ..BulkLoadReport::default() };
            for (lines_of, expected) in [(LinesOf::Rows, rows), (LinesOf::Cells, cells)] {
                let stopped = stopped(&report, lines_of, "again");
                assert_eq!(stopped, format!("stopped after {expected}"));
            }
        }
    }
}
