//! The admin port.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;

use crate::data::{Authorizations, Bytes, Span};
use crate::error::Result;
use crate::table::{Garbage, LocalityGroups, Table, Tablets, Versions};

/// The tables of one instance: their life, their split points and properties, and where their tablets are.
///
/// # Contract
/// - **A1, names.** [`check_table_name`](crate::check_table_name) says what a name may be (the namespace in it must
///   be there where an instance has namespaces); another name is
///   [`Invalid`](crate::ErrorKind::Invalid) for `create_table` and
///   [`NotFound`](crate::ErrorKind::NotFound) for everything else.
/// - **A2, existence.** A call that names a table that does not exist is `NotFound`. Creating one that does is
///   [`AlreadyExists`](crate::ErrorKind::AlreadyExists), and changes nothing.
/// - **A3, deletion.** A deleted table takes its rows, split points and properties with it. One made later
///   under the same name is empty, and a handle opened on the old one gets `NotFound`. Only a call of such a
///   handle that runs while the tables change may find the new one, where tables are known by name alone.
/// - **A4, split points.** They are a sorted set. Adding those that are there already changes nothing. A
///   split point is the last row of its tablet, so an empty one is `Invalid`, and then none of the call is added.
/// - **A5, merging.** [`merge`](TableAdmin::merge) removes the split points strictly between its bounds, and
///   nothing else. Bounds with nothing between them, also reversed ones, remove nothing and are no error.
/// - **A6, rows stay.** No change of split points, properties or placement changes what a scan yields, apart
///   from a change of the version properties.
/// - **A7, tablets.** [`tablets`](TableAdmin::tablets) has one more tablet than there are split points, in
///   order. Where a table counts its entries, a flushed tablet that nobody writes to has at least as many as it
///   shows cells; where it estimates, a compacted one has.
/// - **A8, compaction.** A compaction changes nothing that a scan yields, apart from A11; it may drop what none can,
///   delete markers included: a put that is written below a marker while one runs, or later, may be shown.
/// - **A9, effect.** A call that returned `Ok` is in force for every later call of this instance; where changes take
///   time to spread, the call waits until they have. After an
///   [`Uncertain`](crate::ErrorKind::Uncertain) error a call may be in force wholly, partly or not at all;
///   every call but `create_table` and `delete_table` may simply be repeated.
/// - **A10, properties and classes.** A property's name is checked as
///   [`property::check`](crate::table::property::check) says. [`can_load`](TableAdmin::can_load) answers for the
///   servers, and for one of the probes of [`group_balancers`](crate::balancer::group_balancers) at least it
///   answers true where the group balancer can be used.
/// - **A11, garbage.** A compaction of the whole table drops the garbage of transactions that its caller asks for: of each
///   column exactly what [`Garbage`] says, at once. A compaction of a part of the table may drop less of it. Nothing else
///   drops any, unless properties of the table tell the servers to, as Fluo's Java client sets them.
/// - **A12, transactions.** After [`check_transactions`](TableAdmin::check_transactions) returned `Ok` the servers can
///   run the filters of transactions (T13 to T15) on every table. If it fails, a scan and a condition with such a filter
///   fail with the same reason; everything else works.
#[async_trait]
pub trait TableAdmin: Debug + Send + Sync {
    /// The names of all tables, sorted.
    ///
    /// # Errors
    /// As rule A9 says.
    async fn tables(&self) -> Result<Vec<String>>;

    /// Makes a table of one tablet.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for the name,
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists).
    async fn create_table(&self, name: &str, versions: Versions) -> Result<()>;

    /// Deletes a table and all that is in it.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn delete_table(&self, name: &str) -> Result<()>;

    /// A handle on the data of a table, which sees what `authorizations` may see.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Denied`](crate::ErrorKind::Denied) where an authorization
    /// is not the caller's.
    async fn open_table(
        &self,
        name: &str,
        authorizations: Authorizations,
    ) -> Result<Arc<dyn Table>>;

    /// The split points, sorted.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn splits(&self, name: &str) -> Result<Vec<Bytes>>;

    /// Adds split points; all of them are in force when it returns.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Invalid`](crate::ErrorKind::Invalid). A failure on the way
    /// may leave some of them added.
    async fn add_splits(&self, name: &str, splits: &BTreeSet<Bytes>) -> Result<()>;

    /// Merges the tablets that overlap the rows from `start`, exclusive, to `end`, inclusive: the split points
    /// strictly between the two are gone. No start or no end is the edge of the table.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn merge(&self, name: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> Result<()>;

    /// The properties in force, defaults of the instance included where it has some.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn properties(&self, name: &str) -> Result<BTreeMap<String, String>>;

    /// The properties that would be in force if none were set on the table itself: defaults of the instance and
    /// of the table's namespace. Empty where there are none.
    ///
    /// Whoever restores a property removes it where its old value is the inherited one, so that the table goes on
    /// following what it inherits.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn inherited_properties(&self, name: &str) -> Result<BTreeMap<String, String>>;

    /// Sets a property. An empty value may be as none: then the property is removed.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`Invalid`](crate::ErrorKind::Invalid) for a name that
    /// [`property::check`](crate::table::property::check) refuses.
    async fn set_property(&self, name: &str, property: &str, value: &str) -> Result<()>;

    /// Removes a property; one that is not set stays so.
    ///
    /// # Errors
    /// As [`set_property`](TableAdmin::set_property).
    async fn remove_property(&self, name: &str, property: &str) -> Result<()>;

    /// Writes what is in memory to where the counts of [`tablets`](TableAdmin::tablets) are taken from.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn flush(&self, name: &str) -> Result<()>;

    /// Rewrites the tablets that overlap `span` without the entries that no scan can show any more, and without the
    /// garbage of transactions that `garbage` names (A11). Returns when it is done.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound). [`Invalid`](crate::ErrorKind::Invalid) if garbage is to be dropped and
    /// the servers lack the classes for it; nothing is compacted then.
    async fn compact(&self, name: &str, span: &Span, garbage: Garbage) -> Result<()>;

    /// The tablets in order, with the server and the count of each.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn tablets(&self, name: &str) -> Result<Tablets>;

    /// The servers that can host tablets, sorted.
    ///
    /// # Errors
    /// As rule A9 says.
    async fn servers(&self) -> Result<Vec<String>>;

    /// Whether the servers can load a class for this table and use it as another type. A class that exists but
    /// cannot be made without arguments answers false.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    async fn can_load(&self, name: &str, class: &str, as_type: &str) -> Result<bool>;

    /// Checks whether the servers have what transactions need. Nothing is changed.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid): they do not; the sentence says what is missing and what would be right.
    async fn check_transactions(&self) -> Result<()>;
}

/// Conveniences over any [`TableAdmin`].
pub trait TableAdminExt: TableAdmin {
    /// Whether a table exists.
    ///
    /// # Errors
    /// As [`TableAdmin::tables`].
    fn table_exists(&self, name: &str) -> impl Future<Output = Result<bool>> + Send {
        async move { Ok(self.tables().await?.iter().any(|table| table == name)) }
    }

    /// The locality groups of a table.
    ///
    /// # Errors
    /// As [`TableAdmin::properties`] and [`LocalityGroups::from_properties`].
    fn locality_groups(&self, name: &str) -> impl Future<Output = Result<LocalityGroups>> + Send {
        async move { LocalityGroups::from_properties(&self.properties(name).await?) }
    }

    /// Puts locality groups in force in place of those before. The list of those in force is written last.
    ///
    /// # Errors
    /// As [`TableAdmin::set_property`] and [`LocalityGroups::to_properties`].
    fn set_locality_groups(
        &self,
        name: &str,
        groups: &LocalityGroups,
    ) -> impl Future<Output = Result<()>> + Send {
        async move {
            // `table.group.*` sorts before `table.groups.enabled`: a group is complete before it is in force.
            for (property, value) in groups.to_properties()? {
                self.set_property(name, &property, &value).await?;
            }
            Ok(())
        }
    }
}

impl<T: TableAdmin + ?Sized> TableAdminExt for T {}
