//! The admin port, [`TableAdmin`], and the names of tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::data::{Authorizations, Bytes, Grouped, Span, shown};
use crate::error::{Error, Result};
use crate::table::{Garbage, LocalityGroups, Table, Tablets, Versions};

/// The tables of one instance: their creation and deletion, their split points and properties, and
/// the placement of their tablets.
///
/// # Contract
///
/// - **A1, names.** [`check_table_name`] defines the valid names (if the instance has namespaces,
///   the namespace of the name must exist). Any other name is
///   [`Invalid`](crate::ErrorKind::Invalid) for `create_table` and
///   [`NotFound`](crate::ErrorKind::NotFound) for all other calls.
/// - **A2, existence.** A call for a table that does not exist is `NotFound`. Creating a table that
///   exists is [`AlreadyExists`](crate::ErrorKind::AlreadyExists) and changes nothing.
/// - **A3, deletion.** Deleting a table deletes its rows, split points and properties. A table that
///   is created later under the same name is empty, and a handle on the old table returns
///   `NotFound`. The only exception: if an implementation identifies tables by name alone, a call
///   of such a handle that runs while the tables change may reach the new table, and for up to a
///   second also a later one, if another process changed them. The table of an application is
///   deleted only after the application was removed, which a running client prevents (C11). No rule
///   protects it from an administrator who deletes it with other means.
/// - **A4, split points.** The split points are a sorted set. Adding existing ones changes nothing.
///   A split point is the last row of its tablet, so an empty one is `Invalid`, and then the call
///   adds none.
/// - **A5, merging.** [`merge`](TableAdmin::merge) removes the split points strictly between its
///   bounds, and changes nothing else. Bounds with no split point between them, also reversed ones,
///   remove nothing and are no error.
/// - **A6, rows stay.** Changes of split points, properties or placement do not change the cells
///   that a scan yields, apart from changes of the version properties.
/// - **A7, tablets.** [`tablets`](TableAdmin::tablets) returns one more tablet than there are split
///   points, in order. If the table counts its entries, a flushed tablet without concurrent writes
///   has at least as many entries as it shows cells; if the table estimates them, this holds for a
///   compacted tablet.
/// - **A8, compaction.** A compaction does not change the cells that a scan yields, apart from A11.
///   It may drop entries that no scan can yield, including delete markers: a put that is written
///   below a marker during or after a compaction may be shown.
/// - **A9, effect.** A call that returned `Ok` is in force for every later call of this instance;
///   if changes take time to spread, the call waits until they have. After an
///   [`Uncertain`](crate::ErrorKind::Uncertain) error a call may be in force wholly, partly or not
///   at all; every call except `create_table` and `delete_table` can simply be repeated.
/// - **A10, properties and classes.** [`property::check`](crate::table::property::check) defines
///   the valid names of properties. [`can_load`](TableAdmin::can_load) answers for the servers. If
///   the group balancer can be used, it returns true for at least one of the probes of
///   [`group_balancers`](crate::balancer::group_balancers).
/// - **A11, garbage.** A compaction of the whole table drops the garbage of transactions that its
///   caller asks for: of each column exactly the entries that [`Garbage`] defines, at once. A
///   compaction of a part of the table may drop less of it. No other operation drops garbage,
///   unless properties of the table tell the servers to, as Fluo's Java client sets them.
/// - **A12, transactions.** After [`check_transactions`](TableAdmin::check_transactions) returned
///   `Ok`, the servers can run the filters of transactions (T13 to T15): on the named table, or if
///   none is named, on every table without a class path (A13). If the check without a table fails,
///   scans and conditions with such a filter fail for the same reason; everything else works.
/// - **A13, class paths.** A class path has a name. The servers load the classes of a table whose
///   property [`CLASS_PATH`](crate::table::property::CLASS_PATH) is that name from its jars too. If
///   the servers load no jars, there is no class path, and setting one is
///   [`Invalid`](crate::ErrorKind::Invalid).
#[async_trait]
pub trait TableAdmin: Debug + Send + Sync {
    /// Returns the names of all tables, sorted.
    async fn tables(&self) -> Result<Vec<String>>;

    /// Creates a table of one tablet.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) for the name,
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists).
    async fn create_table(&self, name: &str, versions: Versions) -> Result<()>;

    /// Deletes a table and its data.
    async fn delete_table(&self, name: &str) -> Result<()>;

    /// Returns a handle on the data of a table, which sees only cells that `authorizations` may
    /// see.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Denied`](crate::ErrorKind::Denied) if the caller
    /// does not hold one of the authorizations.
    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>>;

    /// Returns the split points, sorted.
    async fn splits(&self, name: &str) -> Result<Vec<Bytes>>;

    /// Adds split points; all of them are in force when it returns.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Invalid`](crate::ErrorKind::Invalid). If the
    /// call fails midway, some of the split points may have been added.
    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()>;

    /// Merges the tablets that overlap the rows from `start`, exclusive, to `end`, inclusive, and
    /// so removes the split points strictly between the two. `None` stands for the edge of the
    /// table.
    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()>;

    /// Returns the properties in force, including the defaults of the instance if it has any.
    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>>;

    /// Returns the properties that would be in force if none were set on the table itself: the
    /// defaults of the instance and of the table's namespace. Empty if there are no defaults.
    ///
    /// To restore a property whose old value is the inherited one, remove it, so that the table
    /// continues to follow the inherited value.
    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>>;

    /// Sets a property. An implementation may treat an empty value as no value, and remove the
    /// property.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Invalid`](crate::ErrorKind::Invalid) for a name
    /// that [`property::check`](crate::table::property::check) rejects.
    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()>;

    /// Removes a property. Removing one that is not set changes nothing.
    async fn remove_property(&self, name: &str, property: &str) -> Result<()>;

    /// Changes properties one after the other: sets each one to its value, or removes it if there
    /// is none. An implementation may wait once until all changes are visible (A9). An empty list
    /// does nothing.
    ///
    /// # Errors
    ///
    /// The first error of [`set_property`](TableAdmin::set_property) or
    /// [`remove_property`](TableAdmin::remove_property), with the index of its change. The changes
    /// before it were made, and those after it were not. If all changes were made and one of them
    /// does not become visible, the index is that of the last one.
    async fn change_properties(
        &self,
        name: &str,
        changes: &[(&str, Option<&str>)],
    ) -> Result<(), (usize, Error)> {
        for (index, (property, value)) in changes.iter().enumerate() {
            let changed = match value {
                Some(value) => self.set_property(name, property, value).await,
                None => self.remove_property(name, property).await,
            };
            changed.map_err(|error| (index, error))?;
        }
        Ok(())
    }

    /// Flushes the data in memory, so that the counts of [`tablets`](TableAdmin::tablets) include
    /// it.
    async fn flush(&self, name: &str) -> Result<()>;

    /// Rewrites the tablets that overlap `span` without the entries that no scan can show any more,
    /// and without the garbage of transactions that `garbage` names (A11). Returns when the
    /// compaction is complete.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound). [`Invalid`](crate::ErrorKind::Invalid) if garbage
    /// is to be dropped and the servers lack the classes for it; nothing is compacted then.
    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()>;

    /// Returns the tablets in order, with the server and the entry count of each.
    async fn tablets(&self, name: &str) -> Result<Tablets>;

    /// Returns the servers that can host tablets, sorted.
    async fn servers(&self) -> Result<Vec<String>>;

    /// Checks whether the servers can load a class for this table and use it as another type.
    /// Returns false for a class that exists but has no constructor without arguments.
    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool>;

    /// Checks that the servers have everything that transactions need, for a table with its class
    /// path if one is named. Changes nothing, and waits while a change of the class path spreads.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if they do not; the message names the missing part
    /// and the remedy. [`NotFound`](crate::ErrorKind::NotFound).
    async fn check_transactions(&self, table: Option<&str>) -> Result<()>;

    /// Returns the jars of a class path of the servers: URLs, separated by commas. `None` if there
    /// is no class path of this name (A13).
    async fn class_path(&self, name: &str) -> Result<Option<String>>;

    /// Sets the jars of a class path of the servers, or removes it.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the servers load no jars;
    /// [`Denied`](crate::ErrorKind::Denied).
    async fn set_class_path(&self, name: &str, jars: Option<&str>) -> Result<()>;
}

impl dyn TableAdmin + '_ {
    /// Checks whether a table exists.
    ///
    /// # Errors
    ///
    /// The same as [`TableAdmin::tables`].
    pub async fn table_exists(&self, name: &str) -> Result<bool> {
        Ok(self.tables().await?.iter().any(|table| table == name))
    }

    /// Returns the locality groups of a table.
    ///
    /// # Errors
    ///
    /// The same as [`TableAdmin::properties`] and [`LocalityGroups::from_properties`].
    pub async fn locality_groups(&self, name: &str) -> Result<LocalityGroups> {
        LocalityGroups::from_properties(&self.properties(name).await?)
    }

    /// Replaces the locality groups of a table. The property that lists the enabled groups is
    /// written last.
    ///
    /// # Errors
    ///
    /// The same as [`TableAdmin::set_property`] and [`LocalityGroups::to_properties`].
    pub async fn set_locality_groups(&self, name: &str, groups: &LocalityGroups) -> Result<()> {
        // `table.group.*` sorts before `table.groups.enabled`: each group is set before it is
        // enabled.
        let properties = groups.to_properties()?;
        let changes: Vec<_> =
            properties.iter().map(|(property, value)| (&**property, Some(&**value))).collect();
        self.change_properties(name, &changes).await.map_err(|(_, error)| error)
    }
}

/// The maximum length of a table name, in bytes.
const MAX_NAME_BYTES: usize = 1_024;

/// Checks the name of a table: ASCII letters, digits and `_`, and at most one dot, between a
/// namespace and the name.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message states the rule.
pub fn check_table_name(name: &str) -> Result<()> {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (namespace, table) = name.split_once('.').unwrap_or(("default", name));
    if name.len() <= MAX_NAME_BYTES && is_word(namespace) && is_word(table) {
        return Ok(());
    }
    let (shown, most) = (shown(name), Grouped::new(MAX_NAME_BYTES));
    Err(Error::invalid(format!(
        "`{shown}` cannot be the name of a table: use 1 to {most} letters, digits, `_` and one `.`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_that_accumulo_accepts() {
        for good in ["a", "A_9", "ns.t"] {
            assert!(check_table_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "a.", ".a", "a.b.c", "a/b", "a\n", "é", &"a".repeat(1_025)] {
            let message = check_table_name(bad).unwrap_err().to_string();
            assert!(message.contains("cannot be the name of a table"), "{message}");
            assert!(message.len() < 400 && !message.contains('\n'));
        }
        for (name, shown) in [("日本", "`日本` "), ("a'b", "`a'b` "), ("a\u{1b}", "`a\\u{1b}` ")]
        {
            assert!(check_table_name(name).unwrap_err().to_string().starts_with(shown));
        }
    }
}
