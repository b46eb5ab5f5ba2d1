//! A11: entries of transactions that compactions drop.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_table::layout::{EntryKind, EntryTimestamp};
use fluo_table::{Garbage, Key, RowColumn, Scan, Span, TableAdmin, Timestamp, Versions};

use super::cells::Cells;
use super::entry::Entry;
use crate::conformance::ground::{Ground, read};
use crate::soak;

/// Checks A11: a compaction of the whole table drops exactly the garbage of cells and notifications
/// that the functions of the layout select, also in columns that the caller may not see. The ends
/// of read locks that `drops_too_early` returns may be missing.
pub async fn a11_a_compaction_drops_the_requested_garbage(tables: Arc<dyn TableAdmin>) {
    let horizons = [0, 4, 8, 100];
    let seeds = 300..300 + 5 * soak();
    for (seed, horizon) in seeds.zip(horizons.into_iter().cycle()) {
        let ground = Ground::new(&tables, Versions::All).await;
        let horizon = Timestamp::new(horizon).unwrap();
        let garbage = Garbage::DropBelow(horizon);
        let keep = |place: &RowColumn, entries: &[Entry]| {
            let mut of_column = garbage.for_column(&place.column.family, Versions::All).unwrap();
            entries.iter().for_each(|(stamp, value)| of_column.look_at(*stamp, value));
            let dropped = of_column.finish();
            entries.iter().map(|(stamp, _)| !dropped.contains(stamp)).collect()
        };
        compact_twice(ground, seed, garbage, keep, drops_too_early).await;
    }
}

/// Checks A11: a compaction without requested garbage drops no entries of transactions, also after
/// an earlier compaction has collected garbage.
pub async fn a11_other_compactions_drop_no_garbage(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let garbage = Garbage::DropBelow(Timestamp::MAX);
    let all = Span::all();
    let collected = ground.tables.compact(&ground.name, &all, garbage);
    collected.await.unwrap();
    let keep = |_: &RowColumn, entries: &[Entry]| vec![true; entries.len()];
    compact_twice(ground, 16, Garbage::Keep, keep, |_, _| Vec::new()).await;
}

/// Compacts random cells and compares the remaining ones with `keep`. A second compaction may drop
/// entries that the first one keeps, if no transactions would leave such a combination of entries.
async fn compact_twice(
    ground: Ground,
    seed: u64,
    garbage: Garbage,
    keep: impl Fn(&RowColumn, &[Entry]) -> Vec<bool>,
    drops_too_early: impl Fn(&RowColumn, &[Entry]) -> Vec<i64>,
) {
    let mut cells = Cells::draw(seed);
    cells.write(&ground).await;
    let mut may_be_gone = BTreeSet::new();
    for time in ["once", "twice"] {
        for (place, entries) in cells.columns() {
            let key = |stamp| Key::new(place.row.clone(), place.column.clone(), stamp);
            may_be_gone.extend(drops_too_early(place, entries).into_iter().map(key));
        }
        cells.retain(&keep);
        let all = Span::all();
        let compacted = ground.tables.compact(&ground.name, &all, garbage);
        compacted.await.unwrap();
        let reader = ground.reader(&["A"]).await;
        let left = read(&*reader, Scan::over(all)).await;
        let keys: BTreeSet<_> = left.iter().map(|cell| cell.key.clone()).collect();
        let mut expected = cells.all();
        expected.retain(|cell| keys.contains(&cell.key) || !may_be_gone.contains(&cell.key));
        for (left, expected) in left.iter().zip(&expected) {
            assert_eq!(left, expected, "seed {seed}, compacted {time}");
        }
        assert_eq!(left.len(), expected.len(), "seed {seed}, compacted {time}");
    }
    ground.end().await;
}

/// Returns the ends of read locks that are hidden by the end of a lock with the same start or a
/// later one.
///
/// On servers the iterator of Fluo compacts. It drops such an end together with the entry that
/// hides it, also if a transaction is open that began before the read lock was committed. A table
/// that uses the functions of the layout keeps it.
fn drops_too_early(place: &RowColumn, entries: &[Entry]) -> Vec<i64> {
    if place.column.family == "ntfy" {
        return Vec::new();
    }
    let starts = |kind| {
        let stamps = entries.iter().map(|(stamp, _)| *stamp);
        stamps.filter_map(move |stamp| {
            let it = EntryTimestamp::decode(stamp).filter(|it| it.kind == kind)?;
            Some((it.timestamp, stamp))
        })
    };
    let hidden_up_to = starts(EntryKind::DelLock).map(|(start, _)| start).max();
    let ends = starts(EntryKind::DelReadLock);
    let hidden = ends.filter(|(start, _)| Some(*start) <= hidden_up_to);
    hidden.map(|(_, stamp)| stamp).collect()
}
