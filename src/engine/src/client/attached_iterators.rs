//! The removal of the iterators that earlier versions attached to the table of an application.

use std::collections::BTreeMap;

use fluo_table::{Result, TableAdmin};

/// The iterators that earlier versions attached to the compactions of a table: the property, and
/// its value, which ends with the class.
const ATTACHED: [(&str, &str); 4] = [
    ("table.iterator.majc.gc", GARBAGE_ITERATOR),
    ("table.iterator.minc.gc", GARBAGE_ITERATOR),
    ("table.iterator.majc.ntfy", NOTIFICATION_ITERATOR),
    ("table.iterator.minc.ntfy", NOTIFICATION_ITERATOR),
];
const GARBAGE_ITERATOR: &str = "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const NOTIFICATION_ITERATOR: &str = "11,org.apache.fluo.accumulo.iterators.NotificationIterator";

/// The options in which an earlier version of this program passed a horizon to the iterators. They
/// take precedence over ZooKeeper's horizon, so on a table of Fluo's Java client they stop its own
/// collection permanently.
const HORIZONS: [&str; 2] =
    ["table.iterator.majc.gc.opt.timestamp.gc", "table.iterator.minc.gc.opt.timestamp.gc"];

/// The option in which Fluo's Java client passes the address of the horizon to its iterator.
const HORIZON_OF_JAVA: &str = "table.iterator.majc.gc.opt.zookeeper.connect";

/// Detaches the iterators that [`iterator_removals`] names from a table with these properties.
pub(crate) async fn detach_iterators(
    tables: &dyn TableAdmin,
    table: &str,
    properties: &BTreeMap<String, String>,
) -> Result<()> {
    let detached = tables.change_properties(table, &iterator_removals(properties)).await;
    detached.map_err(|(_, error)| error)
}

/// Returns the changes that detach the garbage iterators that an earlier version of this program
/// attached to the compactions of a table with these properties. The iterators of a table of Fluo's
/// Java client stay, because its clients rely on them; only the horizon that an earlier version
/// passed to them is removed.
///
/// An attached iterator also runs in flushes and in compactions of a few files. There it drops the
/// end of a committed lock although the lock itself is in another file, so the lock is in force
/// again.
pub(crate) fn iterator_removals(
    properties: &BTreeMap<String, String>,
) -> Vec<(&str, Option<&str>)> {
    let names = properties.keys().map(String::as_str);
    if properties.contains_key(HORIZON_OF_JAVA) {
        return names.filter(|name| HORIZONS.contains(name)).map(|name| (name, None)).collect();
    }
    let attached = ATTACHED
        .iter()
        .filter(|(property, value)| properties.get(*property).is_some_and(|found| found == value));
    // The class first: an iterator without its options fails, and so does every compaction.
    let parts = attached.flat_map(|(property, _)| {
        let options = format!("{property}.opt.");
        let options = names.clone().filter(move |name| name.starts_with(&options));
        [*property].into_iter().chain(options)
    });
    parts.map(|name| (name, None)).collect()
}
