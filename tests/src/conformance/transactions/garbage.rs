//! A11: what compactions drop of the entries of transactions.

use std::collections::BTreeSet;
use std::sync::Arc;

use fluo_core::layout::garbage::{keep, keep_notifications};
use fluo_core::layout::{EntryKind, EntryStamp};
use fluo_core::table::property;
use fluo_core::{Key, RowColumn, Scan, Span, TableAdmin, Timestamp, Versions};

use super::cells::Cells;
use super::entry::Entry;
use crate::conformance::ground::{Ground, read};
use crate::soak;

const OF_CELLS: &str = "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const OF_NOTIFICATIONS: &str = "11,org.apache.fluo.accumulo.iterators.NotificationIterator";

/// A11: a compaction of the whole table drops of cells what the functions of the layout say, also of columns that the
/// caller may not see, and leaves notifications alone. The ends of read locks that `drops_too_early` names may be gone.
pub async fn a11_a_compaction_drops_the_garbage_of_cells(tables: Arc<dyn TableAdmin>) {
    let horizons = ["0", "4", "8", "100", "-1"];
    let seeds = 300..300 + 5 * soak();
    for (seed, horizon) in seeds.zip(horizons.into_iter().cycle()) {
        let ground = Ground::new(&tables, Versions::All).await;
        // The option first: a compaction that began between the two would not know the horizon.
        set(&ground, property::GARBAGE_HORIZON, horizon).await;
        set(&ground, property::GARBAGE, OF_CELLS).await;
        let horizon = horizon.parse().ok().map(|it| Timestamp::new(it).unwrap());
        let keep = |place: &RowColumn, entries: &[Entry]| {
            if place.column.family == "ntfy" {
                return vec![true; entries.len()];
            }
            let borrowed = entries.iter().map(|(stamp, value)| (*stamp, &value[..]));
            keep(&borrowed.collect::<Vec<_>>(), horizon, true)
        };
        compact_twice(ground, seed, keep, drops_too_early).await;
    }
}

/// A11: a compaction of the whole table drops of notifications all but the newest, and that one too if it takes
/// notifications away; and leaves cells alone.
pub async fn a11_a_compaction_drops_the_garbage_of_notifications(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    set(&ground, property::NOTIFICATION_GARBAGE, OF_NOTIFICATIONS).await;
    let keep = |place: &RowColumn, entries: &[Entry]| {
        if place.column.family != "ntfy" {
            return vec![true; entries.len()];
        }
        let stamps: Vec<_> = entries.iter().map(|(stamp, _)| *stamp).collect();
        keep_notifications(&stamps, true)
    };
    compact_twice(ground, 15, keep, |_, _| Vec::new()).await;
}

/// A11: without the properties a compaction drops nothing of transactions.
pub async fn a11_without_the_properties_nothing_is_dropped(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let keep = |_: &RowColumn, entries: &[Entry]| vec![true; entries.len()];
    compact_twice(ground, 16, keep, |_, _| Vec::new()).await;
}

async fn set(ground: &Ground, property: &str, value: &str) {
    let set = ground.tables.set_property(&ground.name, property, value);
    set.await.unwrap();
}

/// Compacts drawn cells and compares what is left with what `keep` says. Among entries that no transactions would leave
/// behind together, there may be some that go only the second time.
async fn compact_twice(
    ground: Ground,
    seed: u64,
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
        ground.tables.compact(&ground.name, &all).await.unwrap();
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

/// The ends of read locks that the end of a lock of the same start or a later one hides.
///
/// On servers Fluo's own iterator compacts. It drops them with whatever hides them, also where a transaction is open
/// that began before the read lock was committed. A table that follows our functions keeps those.
fn drops_too_early(place: &RowColumn, entries: &[Entry]) -> Vec<i64> {
    if place.column.family == "ntfy" {
        return Vec::new();
    }
    let starts = |kind| {
        let stamps = entries.iter().map(|(stamp, _)| *stamp);
        stamps.filter_map(move |stamp| {
            let it = EntryStamp::decode(stamp).filter(|it| it.kind == kind)?;
            Some((it.timestamp, stamp))
        })
    };
    let hidden_up_to = starts(EntryKind::DelLock).map(|(start, _)| start).max();
    let ends = starts(EntryKind::DelReadLock);
    let hidden = ends.filter(|(start, _)| Some(*start) <= hidden_up_to);
    hidden.map(|(_, stamp)| stamp).collect()
}
