//! Where keys come from: a file, standard input, or a table.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use fluo_core::table::property::GROUP_PATTERN;
use fluo_core::{
    Authorizations, Cell, CellBatches, ErrorKind, Filter, Scan, Span, Table, TableAdmin,
};
use fluo_recipes::advisor::{ExistingTable, KeyProfile, ProfileBuilder, ProfileSettings};
use futures::{StreamExt, TryStreamExt, stream};
use indicatif::ProgressBar;

use crate::encoding::Encoding;
use crate::lines;
use crate::output::{count_of, plural};
use crate::progress;

/// After how many keys progress is told.
const TOLD_EVERY: u64 = 1 << 16;
/// Rows that are read of a tablet however few entries it has, if there are enough for all tablets.
const LEAST_ROWS: u64 = 8;
/// Tablets of which a batch is read at once.
const TABLETS_AT_ONCE: usize = 8;
/// The tablets together get at most one in so many rows for [`LEAST_ROWS`].
const LEAST_ROWS_ONE_IN: u64 = 4;

/// Keys that were read.
pub(super) struct Source {
    /// What they were read from, as people call it.
    pub(super) name: String,
    /// What must be known of how they were read.
    pub(super) notes: Vec<String>,
    pub(super) profile: KeyProfile,
    /// The table, if they are of one.
    pub(super) table: Option<ExistingTable>,
}

impl Source {
    /// The lines of a file; of standard input for `-`.
    pub(super) async fn of_file(
        path: &Path,
        encoding: Encoding,
        settings: ProfileSettings,
    ) -> Result<Self> {
        let (name, input) = opened(path)?;
        let bar = progress::counter("keys");
        let shown = bar.clone();
        let read = move || profile_of(input, encoding, settings, &shown);
        let profile = tokio::task::spawn_blocking(read).await?;
        bar.finish_and_clear();
        Ok(Self {
            name,
            notes: Vec::new(),
            profile: profile?,
            table: None,
        })
    }

    /// Reads the rows of a table: the first ones of each tablet, in proportion to its stored entries, `most` in all. Rows none
    /// of whose cells `labels` show are not read.
    pub(super) async fn of_table(
        tables: &Arc<dyn TableAdmin>,
        name: &str,
        labels: Authorizations,
        most: u64,
        settings: ProfileSettings,
    ) -> Result<Self> {
        let tablets = tables.tablets(name).await?;
        let entries: Vec<_> = tablets.spans().map(|(_, tablet)| tablet.entries).collect();
        let spans: Vec<Span> = tablets.spans().map(|(span, _)| span).collect();
        let table = tables.open_table(name, labels).await?;
        let bar = progress::counter("rows");
        let mut builder = ProfileBuilder::new(settings);
        let mut cut_short = 0_u64;
        let tablets = spans.into_iter().zip(rows_of_tablets(&entries, most));
        let begun = tablets.map(|(span, most)| TabletRows::begin(&table, span, most));
        let mut begun = stream::iter(begun).buffered(TABLETS_AT_ONCE);
        while let Some(rows) = begun.try_next().await? {
            let is_cut_short = rows.push_all(&mut builder, &bar).await?;
            cut_short += u64::from(is_cut_short);
        }
        drop(begun);
        bar.finish_and_clear();
        let mut notes = Vec::new();
        if cut_short > 0 {
            notes.push(format!(
                "Only the first rows of {} were read, in proportion to the stored entries: {} in all. Loads and shares are \
                 of what was read. --rows reads more.",
                plural(cut_short, "tablet"),
                plural(builder.keys(), "row")
            ));
        }
        let group_pattern = match tables.properties(name).await {
            Ok(properties) => properties.get(GROUP_PATTERN).cloned(),
            Err(error) if error.kind() == ErrorKind::Denied => {
                notes.push(format!(
                    "The groups of the balancer could not be read: {error}."
                ));
                None
            }
            Err(error) => return Err(error.into()),
        };
        let table = ExistingTable {
            servers: u32::try_from(tables.servers().await?.len().max(1))?,
            splits: tables.splits(name).await?,
            group_pattern,
        };
        Ok(Self {
            name: format!("table `{name}`"),
            notes,
            profile: builder.finish(),
            table: Some(table),
        })
    }
}

fn opened(path: &Path) -> Result<(String, Box<dyn Read + Send>)> {
    if path.as_os_str() == "-" {
        return Ok(("standard input".to_owned(), Box::new(io::stdin())));
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read the keys of {name}"))?;
    if file.metadata()?.is_dir() {
        bail!("cannot read the keys of {name}: it is a directory");
    }
    Ok((name, Box::new(file)))
}

fn profile_of(
    input: impl Read,
    encoding: Encoding,
    settings: ProfileSettings,
    bar: &ProgressBar,
) -> Result<KeyProfile> {
    let mut builder = ProfileBuilder::new(settings);
    lines::for_each(input, |number, line| {
        builder.push(&encoding.decode(line)?);
        if number % TOLD_EVERY == 0 {
            bar.set_position(number);
        }
        Ok(())
    })?;
    Ok(builder.finish())
}

/// Returns how many rows to read of each tablet, at least one and about `most` in all.
///
/// Equal parts would make rows of small tablets count more than those of large ones in every share. A table with fewer
/// entries than `most` is read whole. What is left goes to all tablets, as entries can be estimates: an Accumulo does not
/// count those in memory.
fn rows_of_tablets(entries: &[u64], most: u64) -> Vec<u64> {
    let tablets = count_of(entries.len()).max(1);
    let all: u64 = entries.iter().sum();
    if all <= most {
        let left = (most - all) / tablets;
        return entries.iter().map(|own| (own + left).max(1)).collect();
    }
    let least = LEAST_ROWS.min(most / tablets / LEAST_ROWS_ONE_IN).max(1);
    let shared = most.saturating_sub(least * tablets);
    let part = |own: &u64| {
        let part = u128::from(shared) * u128::from(*own) / u128::from(all);
        least + u64::try_from(part).unwrap_or(u64::MAX)
    };
    entries.iter().map(part).collect()
}

/// The rows of a tablet, of which the first batch is read.
struct TabletRows {
    batch: Option<Vec<Cell>>,
    others: CellBatches,
    most: u64,
}

impl TabletRows {
    /// Reads the first batch. Those of several tablets can be under way at once: a call costs the same however few rows
    /// it brings.
    async fn begin(table: &Arc<dyn Table>, span: Span, most: u64) -> Result<Self> {
        let mut others = table.scan(Scan::over(span).filter(Filter::FirstOfRow));
        Ok(Self {
            batch: others.try_next().await?,
            others,
            most,
        })
    }

    /// Adds the rows to a profile, and returns whether there are more than the most.
    async fn push_all(mut self, builder: &mut ProfileBuilder, bar: &ProgressBar) -> Result<bool> {
        let mut rows = 0;
        while let Some(cells) = self.batch.take() {
            for cell in cells {
                if rows == self.most {
                    return Ok(true);
                }
                builder.push(&cell.key.row);
                rows += 1;
            }
            bar.set_position(builder.keys());
            self.batch = self.others.try_next().await?;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_in_proportion_to_the_entries_of_a_tablet() {
        assert_eq!(rows_of_tablets(&[100, 40_000, 0], 4_034), [18, 4_008, 8]);
        let few = rows_of_tablets(&[0, 1, 200], 9);
        assert_eq!(few, [1, 1, 6]);
        assert_eq!(rows_of_tablets(&[500, 500], 1), [1, 1]);
    }

    /// Entries in the memory of an Accumulo are not counted.
    #[test]
    fn reads_small_tables_whole_and_more_than_is_counted() {
        assert_eq!(rows_of_tablets(&[10, 70], 100), [20, 80]);
        assert_eq!(rows_of_tablets(&[0, 0], 100), [50, 50]);
        assert_eq!(rows_of_tablets(&[0], 0), [1]);
        assert_eq!(rows_of_tablets(&[], 10), [0_u64; 0]);
    }
}
