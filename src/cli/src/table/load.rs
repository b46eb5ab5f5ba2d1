//! `fluo table load`.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use fluo_core::{Authorizations, Bytes, Column, ErrorKind, Mutation, Table};
use indicatif::ProgressBar;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};

use crate::arguments::DesignArguments;
use crate::encoding::Encoding;
use crate::lines;
use crate::output::{self, plural};
use crate::progress;
use crate::target::TargetArguments;

/// Most rows of one write.
const BATCH_ROWS: usize = 1_000;
/// Most bytes of one write, but for a row that has more by itself.
const BATCH_BYTES: usize = 1 << 20;
/// Writes under way at once: enough for the table to work while rows are read, and a bound on memory.
const WRITES_UNDER_WAY: usize = 4;

/// Hash rows and write them.
///
/// The key of each row is written with one column and an empty value; a row that is there already is written
/// again, which changes nothing but its timestamp. Whatever its size, a file takes a few megabytes of memory. If the
/// load fails, it says how many rows the table has acknowledged; loading the file again is safe.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table load --at embedded:./data pages --prefix p rows.txt
  zcat rows.gz | fluo table load --at embedded:./data pages --prefix p -
  fluo table load --at proxy:localhost:42424 --user root pages --prefix p rows.txt")]
pub(crate) struct Load {
    #[command(flatten)]
    target: TargetArguments,
    /// The table
    name: String,
    #[command(flatten)]
    design: DesignArguments,
    /// The file of rows, one a line, or - for standard input
    file: PathBuf,
    /// How the rows are written in the file
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// The column that is written
    #[arg(long, value_name = "FAMILY:QUALIFIER", default_value = "row:loaded", value_parser = column)]
    column: Column,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Loaded {
    table: String,
    rows: u64,
    seconds: f64,
    rows_per_second: f64,
}

impl Load {
    pub(crate) async fn run(&self) -> Result<()> {
        let hasher = self.design.hasher()?;
        let input = self.input()?;
        let table = self
            .target
            .open()
            .await?
            .open_table(&self.name, Authorizations::none())
            .await?;
        let encoding = self.encoding;
        let key_of = move |line: &[u8]| Ok(hasher.add(&encoding.decode(line)?));

        let bar = progress::counter("rows");
        let start = Instant::now();
        let written = write_rows(table, input, self.column.clone(), key_of, &bar).await;
        bar.finish_and_clear();
        self.tell(written?, start.elapsed().as_secs_f64())
    }

    fn input(&self) -> Result<Box<dyn Read + Send>> {
        if self.file.as_os_str() == "-" {
            return Ok(Box::new(io::stdin()));
        }
        let name = self.file.display();
        let file =
            File::open(&self.file).with_context(|| format!("cannot read the rows of {name}"))?;
        if file.metadata()?.is_dir() {
            bail!("cannot read the rows of {name}: it is a directory");
        }
        Ok(Box::new(file))
    }

    fn tell(&self, rows: u64, seconds: f64) -> Result<()> {
        let rows_per_second = rate(rows, seconds);
        if self.json {
            return output::print_json(&Loaded {
                table: self.name.clone(),
                rows,
                seconds,
                rows_per_second,
            });
        }
        output::say(&format!(
            "{} written to table `{}` in {seconds:.1} s ({rows_per_second:.0} rows/s)",
            plural(rows, "row"),
            self.name
        ));
        Ok(())
    }
}

/// Writes a row for each line of `input`, and says how many there were. All of them are durable when it returns.
///
/// An error says how many rows are known to be written.
pub(crate) async fn write_rows(
    table: Arc<dyn Table>,
    input: impl Read + Send + 'static,
    column: Column,
    key_of: impl Fn(&[u8]) -> Result<Bytes> + Send + 'static,
    bar: &ProgressBar,
) -> Result<u64> {
    let (batches, mut received) = mpsc::channel::<Vec<Mutation>>(WRITES_UNDER_WAY);
    let reader =
        tokio::task::spawn_blocking(move || read_batches(input, &column, key_of, &batches));

    let mut under_way = JoinSet::new();
    let mut tally = Tally::default();
    while tally.failure.is_none() {
        tokio::select! {
            Some(ended) = under_way.join_next() => tally.add(ended, bar),
            batch = received.recv(), if under_way.len() < WRITES_UNDER_WAY => {
                let Some(batch) = batch else { break };
                let table = Arc::clone(&table);
                let rows = output::count_of(batch.len());
                under_way.spawn(async move { (rows, table.write(batch).await) });
            }
        }
    }
    // A reader that waits for room must see that nobody takes its rows any more.
    drop(received);
    while let Some(ended) = under_way.join_next().await {
        tally.add(ended, bar);
    }
    // After a failure nobody waits for the reader, which may wait for input that never comes.
    let outcome = match tally.failure.take() {
        Some(failure) => Err(failure),
        None => reader.await?,
    };
    match outcome {
        Ok(()) => Ok(tally.written),
        Err(error) => Err(error.context(tally.sentence())),
    }
}

/// What became of the rows so far.
#[derive(Default)]
struct Tally {
    /// Rows that the table has acknowledged.
    written: u64,
    /// Rows of writes that failed and may have taken effect all the same.
    uncertain: u64,
    /// The first failure: the cause of the others.
    failure: Option<anyhow::Error>,
}

impl Tally {
    fn add(&mut self, ended: Result<(u64, fluo_core::Result<()>), JoinError>, bar: &ProgressBar) {
        let failure = match ended {
            Ok((rows, Ok(()))) => {
                self.written += rows;
                bar.set_position(self.written);
                return;
            }
            Ok((rows, Err(error))) => {
                if error.kind() == ErrorKind::Uncertain {
                    self.uncertain += rows;
                }
                error.into()
            }
            Err(panicked) => panicked.into(),
        };
        self.failure.get_or_insert(failure);
    }

    fn sentence(&self) -> String {
        let written = plural(self.written, "row");
        let rest = match self.uncertain {
            0 => String::new(),
            some => format!(
                "; {} more may have been, and loading again writes them once",
                output::grouped(some)
            ),
        };
        format!("the load stopped after {written} were written{rest}")
    }
}

fn read_batches(
    input: impl Read,
    column: &Column,
    key_of: impl Fn(&[u8]) -> Result<Bytes>,
    batches: &mpsc::Sender<Vec<Mutation>>,
) -> Result<()> {
    let mut batch = Vec::with_capacity(BATCH_ROWS);
    let mut bytes = 0;
    let send = |batch: Vec<Mutation>| {
        batches
            .blocking_send(batch)
            .map_err(|_| anyhow!("the writer stopped"))
    };
    let result = lines::for_each(input, |_, line| {
        let mutation = Mutation::new(key_of(line)?).put(column.clone(), Bytes::new());
        bytes += mutation.size_bytes();
        batch.push(mutation);
        if batch.len() == BATCH_ROWS || bytes >= BATCH_BYTES {
            bytes = 0;
            send(std::mem::replace(
                &mut batch,
                Vec::with_capacity(BATCH_ROWS),
            ))?;
        }
        Ok(())
    });
    if !batch.is_empty() {
        send(batch)?;
    }
    result
}

fn rate(rows: u64, seconds: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a rate for a person to read")]
    let rows = rows as f64;
    rows / seconds.max(1e-9)
}

fn column(text: &str) -> Result<Column, String> {
    let (family, qualifier) = text
        .split_once(':')
        .ok_or("a column is a family, a `:` and a qualifier; either may be empty")?;
    Ok(Column::new(family.to_owned(), qualifier.to_owned()))
}

#[cfg(test)]
mod tests {
    use fluo_core::Error;

    use super::*;

    #[test]
    fn what_was_not_acknowledged_may_have_been_written() {
        let bar = ProgressBar::hidden();
        let mut tally = Tally::default();
        tally.add(Ok((1_000, Ok(()))), &bar);
        tally.add(
            Ok((500, Err(Error::new(ErrorKind::Unavailable, "first")))),
            &bar,
        );
        assert_eq!(
            tally.sentence(),
            "the load stopped after 1,000 rows were written"
        );
        tally.add(
            Ok((1_000, Err(Error::new(ErrorKind::Uncertain, "second")))),
            &bar,
        );
        tally.add(Ok((200, Ok(()))), &bar);
        assert_eq!(
            tally.sentence(),
            "the load stopped after 1,200 rows were written; 1,000 more may have been, and loading again writes them once"
        );
        assert_eq!(tally.failure.unwrap().to_string(), "first");
    }
}
