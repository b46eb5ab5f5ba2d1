//! The table of an application: its set-up, and the removal of what earlier versions attached.

use std::collections::BTreeMap;

use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{LocalityGroups, Result, TableAdmin, TableAdminExt, Versions};

/// The locality group of notifications: workers scan it without reading other columns.
const NOTIFY_GROUP: &str = "notify";

/// The property with the id of the application that a table belongs to.
pub(super) const APPLICATION: &str = "table.custom.fluo.application";

const BLOCK_CACHE: &str = "table.cache.block.enable";

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

/// Creates a table of the application with this id. The table keeps all versions, and has the
/// locality group of notifications.
pub(crate) async fn make(tables: &dyn TableAdmin, table: &str, id: &str) -> Result<()> {
    tables.create_table(table, Versions::All).await?;
    let notifications = LocalityGroups::default().with(NOTIFY_GROUP, [NOTIFICATION_FAMILY]);
    tables.set_locality_groups(table, &notifications).await?;
    let changes = [(BLOCK_CACHE, Some("true")), (APPLICATION, Some(id))];
    let changed = tables.change_properties(table, &changes).await;
    changed.map_err(|(_, error)| error)
}

/// Detaches the garbage iterators that an earlier version of this program attached to the
/// compactions of a table. The iterators of a table of Fluo's Java client stay, because its clients
/// rely on them; only the horizon that an earlier version passed to them is removed.
///
/// An attached iterator also runs in flushes and in compactions of a few files. There it drops the
/// end of a committed lock although the lock itself is in another file, so the lock is in force
/// again.
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
        // The class first: an iterator without its options fails, and so does every compaction.
        let option = format!("{property}.opt.");
        let options = properties.keys().filter(|name| name.starts_with(&option));
        for name in [property].into_iter().chain(options.map(String::as_str)) {
            tables.remove_property(table, name).await?;
        }
    }
    Ok(())
}

/// Checks whether a table with these properties is set up like the table of an application.
pub fn is_set_up(properties: &BTreeMap<String, String>) -> bool {
    LocalityGroups::from_properties(properties)
        .is_ok_and(|groups| groups.iter().any(|(name, _)| name == NOTIFY_GROUP))
}
