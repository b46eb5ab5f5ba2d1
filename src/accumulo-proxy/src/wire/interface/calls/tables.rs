//! Calls on tables.

#[rustfmt::skip]
macro_rules! table_calls { ($then:ident) => { $then! {
    TableOperations<'_>;

    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, and returns
    /// its number. Accumulo rejects a class that cannot be loaded, or that is already a constraint
    /// of the table.
    fn add_constraint(table: &str, class: &str) -> i32, about table;
    "addConstraint" AddConstraint(token: Bytes, table_name: String, constraint_class_name: String)
        -> i32, [Accumulo, Security, TableNotFound], Once, Call;

    /// Adds split points. Existing split points stay. One call with many split points is much
    /// faster than many calls.
    fn add_splits(
        table: &str,
        splits: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> (), about table, as [table.to_owned(), bytes(splits)];
    "addSplits" AddSplits(token: Bytes, table_name: String, splits: BTreeSet<Bytes>) -> (),
        [Accumulo, Security, TableNotFound], Repeat, Wait;

    /// Attaches an iterator to a table, in these scopes. The servers apply it within about a
    /// second. Accumulo rejects a name or priority that is already in use. It does not check the
    /// class.
    fn attach_iterator(table: &str, iterator: &IteratorSetting, scopes: &[IteratorScope])
        -> (), about table;
    "attachIterator" AttachIterator(
        token: Bytes, table_name: String, setting: IteratorSetting, scopes: BTreeSet<IteratorScope>
    ) -> (), [Security, Accumulo, TableNotFound], Once, Call;

    /// Checks whether an iterator can be attached. If it cannot, the error contains the reason. It
    /// cannot if its name or priority is already in use.
    fn check_iterator_conflicts(table: &str, iterator: &IteratorSetting, scopes: &[IteratorScope])
        -> (), about table;
    "checkIteratorConflicts" CheckIteratorConflicts(
        token: Bytes, table_name: String, setting: IteratorSetting, scopes: BTreeSet<IteratorScope>
    ) -> (), [Security, Accumulo, TableNotFound], Read, Call;

    /// Clears the proxy's cache of the servers of a table's tablets. The proxy locates the tablets
    /// again at the next read or write.
    fn clear_locator_cache(table: &str) -> (), about table;
    "clearLocatorCache" ClearLocatorCache(token: Bytes, table_name: String) -> (),
        [TableNotFound], Repeat, Call;

    /// Creates another table with the same data, without copying it. The tables share files until
    /// one of them is compacted.
    fn clone_table(table: &str, new_table: &str, options: CloneOptions) -> (), about table, as [
        table.to_owned(), new_table.to_owned(), options.flush, options.set, options.exclude
    ];
    "cloneTable" CloneTable(
        token: Bytes, table_name: String, new_table_name: String, flush: bool,
        properties_to_set: BTreeMap<String, String>, properties_to_exclude: BTreeSet<String>
    ) -> (), [Accumulo, Security, TableNotFound, TableExists], Once, Wait;

    by hand compact;
    "compactTable" CompactTable(
        token: Bytes, table_name: String, start_row: Bytes, end_row: Bytes,
        iterators: Vec<IteratorSetting>, flush: bool, wait: bool, compaction_strategy: Plugin,
        configurer_config: Plugin
    ) -> (), [Security, TableNotFound, Accumulo], Once, Wait;

    /// Cancels the compactions of a table that users requested. Callers that wait for one get an
    /// error. A repetition is not safe: a second call would cancel compactions that started since.
    fn cancel_compaction(table: &str) -> (), about table;
    "cancelCompaction" CancelCompaction(token: Bytes, table_name: String) -> (),
        [Security, TableNotFound, Accumulo], Once, Call;

    /// Creates a table. With `versioning` it keeps and shows only one version of each column.
    ///
    /// If the connection breaks, use [`exists`](Self::exists) to check the result. Accumulo rejects
    /// a table in a namespace that does not exist.
    fn create(table: &str, versioning: bool, time: TimeType) -> (), about table;
    "createTable" CreateTable(
        token: Bytes, table_name: String, versioning_iter: bool, time_type: TimeType
    ) -> (), [Accumulo, Security, TableExists], Once, Wait;

    /// Deletes a table with its data.
    fn delete(table: &str) -> (), about table;
    "deleteTable" DeleteTable(token: Bytes, table_name: String) -> (),
        [Accumulo, Security, TableNotFound], Once, Wait;

    /// Deletes the rows after `start`, up to and including `end`. `None` is the edge of the table,
    /// so two of them delete every row.
    ///
    /// Accumulo drops whole tablets if possible, and split points may be removed with them. This is
    /// fast, but it is not a write. A repetition is not safe: a second call would also delete rows
    /// that were written since.
    fn delete_rows(table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> (), about table;
    "deleteRows" DeleteRows(token: Bytes, table_name: String, start_row: Bytes, end_row: Bytes)
        -> (), [Accumulo, Security, TableNotFound], Once, Wait;

    /// Exports a table to a new directory of the servers' file system: its configuration, its split
    /// points, and `distcp.txt`, the list of its files, which must be copied to the directory of
    /// the import. The table must be [offline](Self::offline) until the files are copied. Accumulo
    /// rejects a table that is online.
    fn export_table(table: &str, directory: &str) -> (), about table;
    "exportTable" ExportTable(token: Bytes, table_name: String, export_dir: String) -> (),
        [Accumulo, Security, TableNotFound], Once, Wait;

    /// Writes the entries in the memory of the servers to files, for the tablets with rows after
    /// `start`, up to and including `end`. `None` is the edge of the table. With `wait` it returns
    /// when the files are written.
    fn flush(table: &str, start: Option<&[u8]>, end: Option<&[u8]>, wait: bool) -> (), about table;
    "flushTable" FlushTable(
        token: Bytes, table_name: String, start_row: Bytes, end_row: Bytes, wait: bool
    ) -> (), [Accumulo, Security, TableNotFound], Repeat, Wait;

    by hand disk_usage;
    "getDiskUsage" GetDiskUsage(token: Bytes, tables: BTreeSet<String>) -> Vec<DiskUsage>,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the locality groups of a table, with the column families of each.
    ///
    /// The proxy returns families as text, so they must be text.
    fn locality_groups(table: &str) -> BTreeMap<String, BTreeSet<String>>, about table;
    "getLocalityGroups" GetLocalityGroups(token: Bytes, table_name: String)
        -> BTreeMap<String, BTreeSet<String>>, [Accumulo, Security, TableNotFound], Read, Call;

    by hand iterator;
    "getIteratorSetting" GetIteratorSetting(
        token: Bytes, table_name: String, iterator_name: String, scope: IteratorScope
    ) -> Option<IteratorSetting>, [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the last row between two bounds with an entry that these authorizations permit, or
    /// `None` if there is no such row. If `authorizations` is `None`, those of the user apply.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use accumulo_proxy::{ProxyClient, Result};
    /// use std::ops::Bound::{Excluded, Unbounded};
    ///
    /// # async fn run(client: ProxyClient) -> Result<()> {
    /// let tables = client.table_operations();
    /// let last_of_2025 = tables.max_row("events", None, Unbounded, Excluded(b"2026")).await?;
    /// # Ok(())
    /// # }
    /// ```
    fn max_row(
        table: &str,
        authorizations: Option<&BTreeSet<Bytes>>,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
    ) -> Option<Bytes>, about table, as [
        table.to_owned(), authorizations.cloned(),
        row(start), is_included(start), row(end), is_included(end)
    ];
    "getMaxRow" GetMaxRow(
        token: Bytes, table_name: String, auths: BTreeSet<Bytes>, start_row: Bytes,
        start_inclusive: bool, end_row: Bytes, end_inclusive: bool
    ) -> Option<Bytes>, [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the effective properties of a table: its own, and for the others those of its
    /// namespace, of the system, and Accumulo's defaults.
    fn properties(table: &str) -> BTreeMap<String, String>, about table;
    "getTableProperties" GetTableProperties(token: Bytes, table_name: String)
        -> BTreeMap<String, String>, [Accumulo, Security, TableNotFound], Read, Call;

    /// Moves the files (RFile) of a directory of the servers' file system into a table. Files that
    /// cannot be imported are moved to `failure_directory`, which must exist and be empty.
    /// `set_time` sets the timestamps of all entries to the time of the import. Accumulo rejects
    /// directories that do not meet these requirements.
    fn import_directory(table: &str, directory: &str, failure_directory: &str, set_time: bool)
        -> (), about table;
    "importDirectory" ImportDirectory(
        token: Bytes, table_name: String, import_dir: String, failure_dir: String, set_time: bool
    ) -> (), [TableNotFound, Accumulo, Security], Once, Wait;

    /// Creates a table from an [export](Self::export_table). The `directory` contains
    /// `exportMetadata.zip` and the files, which are moved. Accumulo rejects a directory without
    /// these files.
    fn import_table(table: &str, directory: &str) -> (), about table;
    "importTable" ImportTable(token: Bytes, table_name: String, import_dir: String) -> (),
        [TableExists, Accumulo, Security], Once, Wait;

    /// Returns the split points: all of them, or about `most`, evenly distributed.
    fn list_splits(table: &str, most: Option<usize>) -> BTreeSet<Bytes>, about table;
    "listSplits" ListSplits(token: Bytes, table_name: String, max_splits: i32) -> Vec<Bytes>,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the names of all tables, including those of the system (`accumulo.metadata`..).
    fn list() -> BTreeSet<String>;
    "listTables" ListTables(token: Bytes) -> BTreeSet<String>, [], Read, Call;

    /// Returns the iterators of a table by name, each with its scopes.
    fn iterators(table: &str) -> BTreeMap<String, BTreeSet<IteratorScope>>, about table;
    "listIterators" ListIterators(token: Bytes, table_name: String)
        -> BTreeMap<String, BTreeSet<IteratorScope>>,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Returns the numbers of the constraints, by class.
    fn constraints(table: &str) -> BTreeMap<String, i32>, about table;
    "listConstraints" ListConstraints(token: Bytes, table_name: String) -> BTreeMap<String, i32>,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Merges the tablets of the rows after `start`, up to and including `end`, into one. Split
    /// points between the two rows are removed, the two rows themselves stay. `None` is the edge of
    /// the table.
    fn merge(table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> (), about table;
    "mergeTablets" MergeTablets(token: Bytes, table_name: String, start_row: Bytes, end_row: Bytes)
        -> (), [Accumulo, Security, TableNotFound], Repeat, Wait;

    /// Takes a table offline: it cannot be read or written, and no server hosts its tablets. With
    /// `wait` it returns when that is done.
    fn offline(table: &str, wait: bool) -> (), about table;
    "offlineTable" OfflineTable(token: Bytes, table_name: String, wait: bool) -> (),
        [Accumulo, Security, TableNotFound], Repeat, Wait;

    /// Brings a table online. With `wait` it returns when all tablets have a server.
    fn online(table: &str, wait: bool) -> (), about table;
    "onlineTable" OnlineTable(token: Bytes, table_name: String, wait: bool) -> (),
        [Accumulo, Security, TableNotFound], Repeat, Wait;

    /// Removes the constraint with this number. A repetition is not safe: the number may have been
    /// reused.
    fn remove_constraint(table: &str, number: i32) -> (), about table;
    "removeConstraint" RemoveConstraint(token: Bytes, table_name: String, constraint: i32) -> (),
        [Accumulo, Security, TableNotFound], Once, Call;

    /// Removes an iterator from these scopes of a table.
    fn remove_iterator(table: &str, name: &str, scopes: &[IteratorScope]) -> (), about table;
    "removeIterator" RemoveIterator(
        token: Bytes, table_name: String, iter_name: String, scopes: BTreeSet<IteratorScope>
    ) -> (), [Accumulo, Security, TableNotFound], Once, Call;

    /// Removes a property of a table, so that the value of its namespace applies. Succeeds also if
    /// the property is not set.
    fn remove_property(table: &str, property: &str) -> (), about table;
    "removeTableProperty" RemoveTableProperty(token: Bytes, table_name: String, property: String)
        -> (), [Accumulo, Security, TableNotFound], Repeat, Call;

    /// Renames a table within its namespace.
    fn rename(table: &str, new_name: &str) -> (), about table;
    "renameTable" RenameTable(token: Bytes, old_table_name: String, new_table_name: String) -> (),
        [Accumulo, Security, TableNotFound, TableExists], Once, Wait;

    /// Replaces all locality groups of a table. Existing files keep their groups until they are
    /// compacted.
    fn set_locality_groups(table: &str, groups: &BTreeMap<String, BTreeSet<String>>)
        -> (), about table;
    "setLocalityGroups" SetLocalityGroups(
        token: Bytes, table_name: String, groups: BTreeMap<String, BTreeSet<String>>
    ) -> (), [Accumulo, Security, TableNotFound], Repeat, Call;

    /// Sets a property of a table. The servers apply it within about a second. Accumulo checks few
    /// values: it accepts a class that does not exist, and fails when the class is needed. It
    /// rejects a name that is not a table property.
    fn set_property(table: &str, property: &str, value: &str) -> (), about table;
    "setTableProperty" SetTableProperty(
        token: Bytes, table_name: String, property: String, value: String
    ) -> (), [Accumulo, Security, TableNotFound], Repeat, Call;

    /// Divides a range at the tablets of a table: into one range for each tablet, or into at most
    /// `most` ranges.
    fn split_range_by_tablets(table: &str, range: &Range, most: Option<NonZeroUsize>)
        -> BTreeSet<Range>, about table;
    "splitRangeByTablets" SplitRangeByTablets(
        token: Bytes, table_name: String, range: Range, max_splits: i32
    ) -> BTreeSet<Range>, [Accumulo, Security, TableNotFound], Read, Call;

    /// Checks whether a table exists.
    fn exists(table: &str) -> bool, about table;
    "tableExists" TableExists(token: Bytes, table_name: String) -> bool, [], Read, Call;

    /// Returns the id of each table by its name. A renamed table keeps its id, and
    /// `accumulo.metadata` identifies tables by id.
    fn id_map() -> BTreeMap<String, String>;
    "tableIdMap" TableIdMap(token: Bytes) -> BTreeMap<String, String>, [], Read, Call;

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the table.
    ///
    /// `false` does not mean that the class is missing. The servers create an instance of it, so
    /// the result is `false` for a usable class that has no public constructor without arguments.
    /// The balancer `RegexGroupBalancer` is such a class. To check whether the servers have it,
    /// test `TableLoadBalancer` of the same package as a `java.lang.Object`.
    fn test_class_load(table: &str, class: &str, as_type: &str) -> bool, about table;
    "testTableClassLoad" TestTableClassLoad(
        token: Bytes, table_name: String, class_name: String, as_type_name: String
    ) -> bool, [Accumulo, Security, TableNotFound], Read, Call;
} } }

pub(crate) use table_calls;
