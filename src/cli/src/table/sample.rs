//! `fluo table sample`.

use std::ffi::OsStr;

use anyhow::{Context, Result};
use clap::Args;
use fastrand::Rng;
use fluo_table::{Bytes, Filter, Scan};
use futures::stream::TryStreamExt;
use serde_json::json;

use super::stored::StoredTable;
use crate::chosen_design::seed;
use crate::encoding::Encoding;
use crate::selection::SelectionArguments;
use crate::text::{parse_count, plural};
use crate::{output, progress};

/// Print some rows of a table, each of them with the same chance.
///
/// Reads the first cell of each row of the table, in one pass, and keeps only the sample in memory.
/// Prints the rows in the order of their keys, one a line; with a design or a spec the decoded row,
/// and without one the stored key. Keys that are not of the design are not printed, and counted.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table sample --at embedded:./data --count 10 pages
  fluo table sample --at prod --count 100000 pages | fluo advise --unordered -")]
pub(crate) struct Sample {
    #[command(flatten)]
    stored: StoredTable,
    #[command(flatten)]
    rows: SelectionArguments,
    /// Encoding of the rows in the arguments and the output
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Number of rows; all rows if the table has fewer
    #[arg(long, value_name = "N", value_parser = parse_count::<usize>)]
    count: usize,
    /// Choose the same rows in every run with this number, from 0 on, while the table is the same
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    seed: Option<u64>,
}

impl Sample {
    pub(crate) async fn run(&self) -> Result<()> {
        let rows = self.stored.rows()?;
        let decode =
            |row: &OsStr| Ok(Bytes::from(self.encoding.argument("row", row)?.into_owned()));
        let spans = rows.spans(&self.rows, decode)?;
        let open = self.stored.open().await?;
        let bar = progress::counter("rows");
        let mut sample =
            Reservoir::new(self.count, self.seed.map_or_else(Rng::new, Rng::with_seed));
        let mut others = 0_u64;
        let mut batches = open.table.scan(Scan::over_all(spans).filter(Filter::FirstOfRow));
        while let Some(batch) = batches.try_next().await? {
            for cell in batch {
                match rows.row(&cell.key.row) {
                    Some(row) => sample.add(row),
                    None => others += 1,
                }
            }
            bar.set_position(sample.seen);
        }
        drop(bar);
        let seen = plural(sample.seen, "row");
        let mut lines = Vec::new();
        for (_, row) in sample.into_sorted() {
            if output::is_json() {
                lines.extend(
                    output::json_line(&json!({ "row": self.encoding.shown(&row) }))?.bytes(),
                );
            } else {
                self.encoding.encode(&row, &mut lines).context("a row of the sample")?;
            }
            lines.push(b'\n');
        }
        output::write(&lines)?;
        say!("sampled from {seen}, all with the same chance");
        if others > 0 {
            say!("{} not of the design, and not sampled", plural(others, "key"));
        }
        Ok(())
    }
}

/// A uniform sample of rows, of which the number is not known before (Algorithm R).
struct Reservoir {
    most: usize,
    random: Rng,
    seen: u64,
    /// The rows, each with its number.
    rows: Vec<(u64, Bytes)>,
}

impl Reservoir {
    fn new(most: usize, random: Rng) -> Self {
        Self { most, random, seen: 0, rows: Vec::new() }
    }

    fn add(&mut self, row: Bytes) {
        let number = self.seen;
        self.seen += 1;
        if self.rows.len() < self.most {
            self.rows.push((number, row));
        } else if let Ok(place) = usize::try_from(self.random.u64(..self.seen))
            && let Some(replaced) = self.rows.get_mut(place)
        {
            *replaced = (number, row);
        }
    }

    fn into_sorted(mut self) -> Vec<(u64, Bytes)> {
        self.rows.sort_unstable();
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of 20 rows is expected in 5,000 of 20,000 samples of 5. The standard deviation is 61.
    #[test]
    fn every_row_has_the_same_chance() {
        let mut counts = [0_u32; 20];
        for seed in 0..20_000 {
            let mut sample = Reservoir::new(5, Rng::with_seed(seed));
            (0..20).for_each(|row| sample.add(Bytes::copy_from_slice(&[row])));
            let rows = sample.into_sorted();
            assert_eq!(rows.len(), 5);
            assert!(
                rows.is_sorted() && rows.iter().all(|(number, row)| *number == u64::from(row[0]))
            );
            rows.iter().for_each(|(_, row)| counts[usize::from(row[0])] += 1);
        }
        for count in counts {
            assert!((4_700..5_300).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn a_sample_of_more_rows_than_there_are_has_all() {
        for (most, expected) in [(0, 0), (2, 2), (3, 3), (9, 3)] {
            let mut sample = Reservoir::new(most, Rng::with_seed(1));
            (0..3).for_each(|row| sample.add(Bytes::copy_from_slice(&[row])));
            assert_eq!(sample.into_sorted().len(), expected);
        }
    }
}
