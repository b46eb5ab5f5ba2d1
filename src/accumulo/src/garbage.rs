//! The iterators that collect the garbage of transactions on the servers.
//!
//! They belong to one compaction, never to a table. Iterators of a table also run in flushes and in
//! compactions of a few files, where these would drop the end of a committed lock while the lock
//! itself is in another file.
//!
//! Their names differ from those under which Fluo's Java client attaches the same classes to its
//! tables, because a server merges the options of iterators with the same name.

use accumulo_proxy::IteratorSetting;
use fluo_table::Garbage;

const PACKAGE: &str = "org.apache.fluo.accumulo.iterators";

/// Priorities that neither Fluo's Java client nor Accumulo uses for the iterators of a table.
const CELLS_PRIORITY: i32 = 12;
const NOTIFICATIONS_PRIORITY: i32 = 13;

pub(crate) fn iterators(garbage: Garbage) -> Vec<IteratorSetting> {
    let iterator =
        |priority, name, class| IteratorSetting::new(priority, name, format!("{PACKAGE}.{class}"));
    match garbage {
        Garbage::Keep => Vec::new(),
        Garbage::DropBelow(horizon) => vec![
            iterator(CELLS_PRIORITY, "collectCells", "GarbageCollectionIterator")
                .option("timestamp.gc", horizon.to_string()),
            iterator(NOTIFICATIONS_PRIORITY, "collectNotifications", "NotificationIterator"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Timestamp;

    use super::*;

    #[test]
    fn gives_the_horizon_to_the_iterator_of_cells() {
        assert!(iterators(Garbage::Keep).is_empty());
        let garbage = iterators(Garbage::DropBelow(Timestamp::new(12).unwrap()));
        let settings: Vec<_> =
            garbage.iter().map(|it| (it.priority, it.class.as_str(), it.options.clone())).collect();
        let horizon = [("timestamp.gc".to_owned(), "12".to_owned())];
        assert_eq!(
            settings,
            [
                (
                    12,
                    "org.apache.fluo.accumulo.iterators.GarbageCollectionIterator",
                    horizon.into()
                ),
                (13, "org.apache.fluo.accumulo.iterators.NotificationIterator", Default::default()),
            ]
        );
    }
}
