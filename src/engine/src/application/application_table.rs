//! The table of an application.

use std::collections::BTreeMap;

use fluo_table::layout::NOTIFICATION_FAMILY;
use fluo_table::{LocalityGroups, Result, TableAdmin, Versions};

/// The locality group of notifications: workers scan it without reading other columns.
const NOTIFY_GROUP: &str = "notify";

/// The property with the id of the application that a table belongs to.
pub(super) const APPLICATION: &str = "table.custom.fluo.application";

const BLOCK_CACHE: &str = "table.cache.block.enable";

/// Creates a table of the application with this id. The table keeps all versions, and has the
/// locality group of notifications.
pub(super) async fn make(tables: &dyn TableAdmin, table: &str, id: &str) -> Result<()> {
    tables.create_table(table, Versions::All).await?;
    let notifications = LocalityGroups::default().with(NOTIFY_GROUP, [NOTIFICATION_FAMILY]);
    tables.set_locality_groups(table, &notifications).await?;
    let changes = [(BLOCK_CACHE, Some("true")), (APPLICATION, Some(id))];
    tables.change_properties(table, &changes).await.map_err(|(_, error)| error)
}

/// Checks whether a table with these properties is set up like the table of an application.
pub fn is_set_up(properties: &BTreeMap<String, String>) -> bool {
    LocalityGroups::from_properties(properties)
        .is_ok_and(|groups| groups.iter().any(|(name, _)| name == NOTIFY_GROUP))
}
