//! A11: what compactions drop of the entries of transactions.

use std::sync::Arc;

use fluo_core::layout::garbage::{keep, keep_notifications};
use fluo_core::table::property;
use fluo_core::{RowColumn, Scan, Span, TableAdmin, Timestamp, Versions};

use super::cells::Cells;
use super::entry::Entry;
use crate::conformance::ground::{Ground, read};
use crate::soak;

const OF_CELLS: &str = "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const OF_NOTIFICATIONS: &str = "11,org.apache.fluo.accumulo.iterators.NotificationIterator";

/// A11: a compaction of the whole table drops of cells what the functions of the layout say, also of columns that the
/// caller may not see, and leaves notifications alone.
pub async fn a11_a_compaction_drops_the_garbage_of_cells(tables: Arc<dyn TableAdmin>) {
    let horizons = ["0", "4", "8", "100", "-1"];
    let seeds = 300..300 + 5 * soak();
    for (seed, horizon) in seeds.zip(horizons.into_iter().cycle()) {
        let ground = Ground::new(&tables, Versions::All).await;
        // The option first: a compaction that began between the two would not know the horizon.
        set(&ground, property::GARBAGE_HORIZON, horizon).await;
        set(&ground, property::GARBAGE, OF_CELLS).await;
        let horizon = horizon.parse().ok().map(|it| Timestamp::new(it).unwrap());
        compact_twice(ground, seed, |place, entries| {
            if place.column.family == "ntfy" {
                return vec![true; entries.len()];
            }
            let borrowed = entries.iter().map(|(stamp, value)| (*stamp, &value[..]));
            keep(&borrowed.collect::<Vec<_>>(), horizon, true)
        })
        .await;
    }
}

/// A11: a compaction of the whole table drops of notifications all but the newest, and that one too if it takes
/// notifications away; and leaves cells alone.
pub async fn a11_a_compaction_drops_the_garbage_of_notifications(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    set(&ground, property::NOTIFICATION_GARBAGE, OF_NOTIFICATIONS).await;
    compact_twice(ground, 15, |place, entries| {
        if place.column.family != "ntfy" {
            return vec![true; entries.len()];
        }
        let stamps: Vec<_> = entries.iter().map(|(stamp, _)| *stamp).collect();
        keep_notifications(&stamps, true)
    })
    .await;
}

/// A11: without the properties a compaction drops nothing of transactions.
pub async fn a11_without_the_properties_nothing_is_dropped(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    compact_twice(ground, 16, |_, entries| vec![true; entries.len()]).await;
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
) {
    let mut cells = Cells::draw(seed);
    cells.write(&ground).await;
    for time in ["once", "twice"] {
        cells.retain(&keep);
        let all = Span::all();
        ground.tables.compact(&ground.name, &all).await.unwrap();
        let reader = ground.reader(&["A"]).await;
        let left = read(&*reader, Scan::over(all)).await;
        let expected = cells.all();
        for (left, expected) in left.iter().zip(&expected) {
            assert_eq!(left, expected, "seed {seed}, compacted {time}");
        }
        assert_eq!(left.len(), expected.len(), "seed {seed}, compacted {time}");
    }
    ground.end().await;
}
