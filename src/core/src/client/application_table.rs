//! The table of an application: how it is set up, and the set-up of earlier versions.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::layout::NOTIFICATION_FAMILY;
use crate::table::{LocalityGroups, TableAdmin, TableAdminExt, Versions};

/// The locality group of notifications: workers look for them without reading the rest.
const NOTIFY_GROUP: &str = "notify";

/// The property with the id of the application that a table belongs to.
pub(super) const APPLICATION: &str = "table.custom.fluo.application";
/// The property with the epoch of the last opening of the coordination.
pub(super) const EPOCH: &str = "table.custom.fluo.epoch";

const BLOCK_CACHE: &str = "table.cache.block.enable";

/// The iterators that earlier versions attached to the compactions of a table, with the property of their class first
/// and their class.
const ATTACHED: [(&str, &str); 4] = [
    ("table.iterator.majc.gc", GARBAGE_ITERATOR),
    ("table.iterator.minc.gc", GARBAGE_ITERATOR),
    ("table.iterator.majc.ntfy", NOTIFICATION_ITERATOR),
    ("table.iterator.minc.ntfy", NOTIFICATION_ITERATOR),
];
const GARBAGE_ITERATOR: &str = "10,org.apache.fluo.accumulo.iterators.GarbageCollectionIterator";
const NOTIFICATION_ITERATOR: &str = "11,org.apache.fluo.accumulo.iterators.NotificationIterator";

/// The options by which an earlier version of this program told the iterators a horizon. They go before ZooKeeper's, so on a
/// table of Fluo's Java client they stop its own collection for good.
const HORIZONS: [&str; 2] = [
    "table.iterator.majc.gc.opt.timestamp.gc",
    "table.iterator.minc.gc.opt.timestamp.gc",
];

/// The option by which Fluo's Java client tells its iterator where to read the horizon.
const HORIZON_OF_JAVA: &str = "table.iterator.majc.gc.opt.zookeeper.connect";

/// Makes a table of the application with this id. It keeps all versions, and has the locality group of notifications.
pub(super) async fn make(tables: &dyn TableAdmin, table: &str, id: &str) -> Result<()> {
    tables.create_table(table, Versions::All).await?;
    let notifications = LocalityGroups::default().with(NOTIFY_GROUP, [NOTIFICATION_FAMILY]);
    tables.set_locality_groups(table, &notifications).await?;
    tables.set_property(table, BLOCK_CACHE, "true").await?;
    tables.set_property(table, APPLICATION, id).await
}

/// Detaches the garbage iterators that an earlier version of this program attached to the compactions of a table. Those
/// of a table that Fluo's Java client made stay, because its clients count on them; only a horizon that an earlier version
/// gave them is removed.
///
/// Attached, the iterators also run in flushes and in compactions of a few files. There they drop the end of a lock that
/// was committed, although the lock is in another file, and the lock counts again.
pub(super) async fn detach_iterators(
    tables: &dyn TableAdmin,
    table: &str,
    properties: &BTreeMap<String, String>,
) -> Result<()> {
    if properties.contains_key(HORIZON_OF_JAVA) {
        for horizon in HORIZONS.iter().filter(|it| properties.contains_key(**it)) {
            tables.remove_property(table, horizon).await?;
        }
        return Ok(());
    }
    for (property, class) in ATTACHED {
        if properties.get(property).is_none_or(|value| value != class) {
            continue;
        }
        // The class first: without its options the iterator fails, and with it every compaction.
        let option = format!("{property}.opt.");
        let options = properties.keys().filter(|name| name.starts_with(&option));
        for name in [property].into_iter().chain(options.map(String::as_str)) {
            tables.remove_property(table, name).await?;
        }
    }
    Ok(())
}

/// Checks whether a table is set up like those of applications: `properties` are those of the table.
pub fn is_set_up(properties: &BTreeMap<String, String>) -> bool {
    LocalityGroups::from_properties(properties)
        .is_ok_and(|groups| groups.iter().any(|(name, _)| name == NOTIFY_GROUP))
}
