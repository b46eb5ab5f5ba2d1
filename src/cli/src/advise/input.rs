//! The sources of keys: a file, standard input, or a table.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Result;
use fluo_advisor::{Arrivals, ExistingTable, KeyProfile, ProfileBuilder};
use fluo_table::table::property::GROUP_PATTERN;
use fluo_table::{Authorizations, CellBatches, ErrorKind, Filter, Scan, Span, TableAdmin};
use futures::stream::Peekable;
use futures::{StreamExt, TryStreamExt, stream};
use indicatif::ProgressBar;

use crate::encoding::Encoding;
use crate::text::count_of;
use crate::{lines, progress, spec};

const PROGRESS_EVERY: u64 = 1 << 16;
/// The number of rows to read even from a tablet of few entries.
const MIN_ROWS: u64 = 8;
const TABLETS_AT_ONCE: usize = 8;
/// The inverse of the largest share of all rows that [`MIN_ROWS`] can take.
const MIN_ROWS_ONE_IN: u64 = 4;

pub(super) struct Source {
    pub(super) name: String,
    pub(super) profile: KeyProfile,
    /// The number of tablets of which only the first rows were read.
    pub(super) cut_short: u64,
    /// The table of the keys, if they are rows of one.
    pub(super) table: Option<ExistingTable>,
}

impl Source {
    pub(super) async fn of_file(
        path: &Path,
        encoding: Encoding,
        arrivals: Arrivals,
    ) -> Result<Self> {
        let input = lines::open(path, "keys")?;
        let name = spec::name_of(path);
        let size = lines::size_of(path);
        let bar = match size {
            Some(_) => progress::bytes("reading keys", size),
            None => progress::counter("keys"),
        };
        let shown = bar.clone();
        let read = ProgressBar::hidden();
        let input = read.wrap_read(input);
        let profile = tokio::task::spawn_blocking(move || {
            let mut builder = ProfileBuilder::new(arrivals);
            lines::for_each(input, |number, line| {
                builder.push(&encoding.decode(line)?);
                if number % PROGRESS_EVERY == 0 {
                    shown.set_position(size.map_or(number, |_| read.position()));
                }
                Ok(())
            })?;
            anyhow::Ok(builder.finish())
        });
        Ok(Self { name, profile: profile.await??, cut_short: 0, table: None })
    }

    /// Reads the first rows of each tablet of a table, in proportion to its stored entries, and at
    /// most `most` in all. Rows without a cell that `labels` show are not read.
    pub(super) async fn of_table(
        tables: &Arc<dyn TableAdmin>,
        name: &str,
        labels: Authorizations,
        most: u64,
        arrivals: Arrivals,
    ) -> Result<Self> {
        let tablets = tables.tablets(name).await?;
        let entries: Vec<_> = tablets.as_slice().iter().map(|tablet| tablet.entries).collect();
        let spans: Vec<Span> = tablets.spans().map(|(span, _)| span).collect();
        let table = &tables.open_table(name, labels).await?;
        let most_rows = rows_of_tablets(&entries, most);
        let expected = entries.iter().zip(&most_rows).map(|(own, most)| *own.min(most));
        let mut expected = expected.collect::<Vec<_>>().into_iter();
        let total: u64 = expected.as_slice().iter().sum();
        let begun = spans.into_iter().zip(most_rows).map(|(span, most)| {
            let mut batches = table.scan(Scan::over(span).filter(Filter::FirstOfRow)).peekable();
            async move {
                // Read the first batches of several tablets at the same time, because a call takes
                // the same time for a few rows.
                Pin::new(&mut batches).peek().await;
                (batches, most)
            }
        });
        let mut begun = stream::iter(begun).buffered(TABLETS_AT_ONCE);
        // Accumulo does not count entries in memory.
        let bar = match total {
            0 => progress::counter("rows"),
            _ => progress::parts("reading rows", total),
        };
        let (mut builder, mut cut_short) = (ProfileBuilder::new(arrivals), 0_u64);
        let mut ended = 0;
        while let Some((batches, most)) = begun.next().await {
            // A row can have several entries, which count at the end of its tablet.
            let own = expected.next().unwrap_or_default();
            let read = |rows: u64, all: u64| {
                bar.set_position(if total == 0 { all } else { ended + rows.min(own) });
            };
            cut_short += u64::from(push_rows(batches, most, &mut builder, read).await?);
            ended += own;
        }
        let group_pattern = match tables.properties(name).await {
            Ok(properties) => properties.get(GROUP_PATTERN).cloned(),
            Err(error) if error.kind() == ErrorKind::Denied => None,
            Err(error) => return Err(error.into()),
        };
        let servers = u32::try_from(tables.servers().await?.len().max(1))?;
        let splits = tables.splits(name).await?;
        let table = Some(ExistingTable { servers, splits, group_pattern });
        Ok(Self { name: format!("table `{name}`"), profile: builder.finish(), cut_short, table })
    }
}

/// Adds the rows of a tablet to a profile, up to a maximum. Calls `progress` with their number, and
/// that of all rows. Returns `true` if the tablet has more.
async fn push_rows(
    mut batches: Peekable<CellBatches>,
    most: u64,
    builder: &mut ProfileBuilder,
    progress: impl Fn(u64, u64),
) -> Result<bool> {
    let mut left = most;
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            if left == 0 {
                return Ok(true);
            }
            builder.push(&cell.key.row);
            left -= 1;
        }
        progress(most - left, builder.keys());
    }
    Ok(false)
}

/// Returns the number of rows to read from each tablet: at least one, and about `most` in all.
///
/// With equal numbers, rows of small tablets would count more than those of large ones. A table
/// with fewer entries than `most` is read completely. The remaining rows are added to all tablets,
/// because entries can be estimates: Accumulo does not count those in memory.
fn rows_of_tablets(entries: &[u64], most: u64) -> Vec<u64> {
    let tablets = count_of(entries.len()).max(1);
    let all: u64 = entries.iter().sum();
    if all <= most {
        let left = (most - all) / tablets;
        return entries.iter().map(|own| (own + left).max(1)).collect();
    }
    let least = MIN_ROWS.min(most / tablets / MIN_ROWS_ONE_IN).max(1);
    let shared = most.saturating_sub(least * tablets);
    let part = |own: &u64| u128::from(shared) * u128::from(*own) / u128::from(all);
    let part = |own| least + u64::try_from(part(own)).unwrap_or(u64::MAX);
    entries.iter().map(part).collect()
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

    /// Accumulo does not count entries in memory.
    #[test]
    fn reads_small_tables_completely_and_more_rows_than_entries() {
        assert_eq!(rows_of_tablets(&[10, 70], 100), [20, 80]);
        assert_eq!(rows_of_tablets(&[0, 0], 100), [50, 50]);
        assert_eq!(rows_of_tablets(&[0], 0), [1]);
        assert_eq!(rows_of_tablets(&[], 10), [0_u64; 0]);
    }
}
