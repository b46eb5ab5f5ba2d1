//! Calls on tables.

#[rustfmt::skip]
macro_rules! table_calls { ($then:ident) => { $then! {
    TABLES, "Tables", TableOperations<'_>;

    /// Adds a constraint, a class on the servers that accepts or rejects each mutation, and returns
    /// its number. Accumulo rejects a class that cannot be loaded, or that is already a constraint
    /// of the table.
    fn add_constraint(table: &str, class: &str) -> i32, about table;
    "addConstraint" (AddConstraintRequest, AddConstraintReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: constraint_class_name: String }
        -> value(i32), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Adds split points. Existing split points stay. One call with many split points is much
    /// faster than many calls.
    fn add_splits(
        table: &str,
        splits: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> (), about table, as [table.to_owned(), bytes(splits)];
    "addSplits" (AddSplitsRequest, AddSplitsReply), Repeat, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: splits: BTreeSet<Bytes> }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Attaches an iterator to a table, in these scopes. The servers apply it within about a
    /// second. Accumulo rejects a name or priority that is already in use. It does not check the
    /// class.
    fn attach_iterator(
        table: &str, iterator: &IteratorSetting, scopes: &[IteratorScope]
    ) -> (), about table;
    "attachIterator" (AttachIteratorRequest, AttachIteratorReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Security, 2: Accumulo, 3: TableNotFound];

    /// Checks whether an iterator can be attached. If it cannot, the error contains the reason. It
    /// cannot if its name or priority is already in use.
    fn check_iterator_conflicts(
        table: &str, iterator: &IteratorSetting, scopes: &[IteratorScope]
    ) -> (), about table;
    "checkIteratorConflicts" (CheckIteratorConflictsRequest, CheckIteratorConflictsReply),
        Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Security, 2: Accumulo, 3: TableNotFound];

    /// Clears the proxy's cache of the servers of a table's tablets. The proxy locates the tablets
    /// again at the next read or write.
    fn clear_locator_cache(table: &str) -> (), about table;
    "clearLocatorCache" (ClearLocatorCacheRequest, ClearLocatorCacheReply), Repeat, Call,
        { 1: token: Bytes, 2: table_name: String } -> nothing, [1: TableNotFound];

    /// Creates another table with the same data, without copying it. The tables share files until
    /// one of them is compacted.
    fn clone_table(table: &str, new_table: &str, options: CloneOptions) -> (), about table, as [
        table.to_owned(), new_table.to_owned(), options.flush, options.set, options.exclude
    ];
    "cloneTable" (CloneTableRequest, CloneTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: new_table_name: String, 4: flush: bool,
          5: properties_to_set: BTreeMap<String, String>,
          6: properties_to_exclude: BTreeSet<String> }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound, 4: TableExists];

    by hand compact;
    "compactTable" (CompactTableRequest, CompactTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: start_row: Bytes, 4: end_row: Bytes,
          5: iterators: Vec<IteratorSetting>, 6: flush: bool, 7: wait: bool,
          8: compaction_strategy: Plugin, 9: configurer_config: Plugin }
        -> nothing, [1: Security, 2: TableNotFound, 3: Accumulo];

    /// Cancels the compactions of a table that users requested. Callers that wait for one get an
    /// error. A repetition is not safe: a second call would cancel compactions that started since.
    fn cancel_compaction(table: &str) -> (), about table;
    "cancelCompaction" (CancelCompactionRequest, CancelCompactionReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String }
        -> nothing, [1: Security, 2: TableNotFound, 3: Accumulo];

    /// Creates a table. With `versioning` it keeps and shows only one version of each column.
    ///
    /// If the connection breaks, use [`exists`](Self::exists) to check the result. Accumulo rejects
    /// a table in a namespace that does not exist.
    fn create(table: &str, versioning: bool, time: TimeType) -> (), about table;
    "createTable" (CreateTableRequest, CreateTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: versioning_iter: bool,
          4: time_type: TimeType }
        -> nothing, [1: Accumulo, 2: Security, 3: TableExists];

    /// Deletes a table with its data.
    fn delete(table: &str) -> (), about table;
    "deleteTable" (DeleteTableRequest, DeleteTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Deletes the rows after `start`, up to and including `end`. `None` is the edge of the table,
    /// so two of them delete every row.
    ///
    /// Accumulo drops whole tablets if possible, and split points may be removed with them. This is
    /// fast, but it is not a write. A repetition is not safe: a second call would also delete rows
    /// that were written since.
    fn delete_rows(table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> (), about table;
    "deleteRows" (DeleteRowsRequest, DeleteRowsReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: start_row: Bytes, 4: end_row: Bytes }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Exports a table to a new directory of the servers' file system: its configuration, its split
    /// points, and `distcp.txt`, the list of its files, which must be copied to the directory of
    /// the import. The table must be [offline](Self::offline) until the files are copied. Accumulo
    /// rejects a table that is online.
    fn export_table(table: &str, directory: &str) -> (), about table;
    "exportTable" (ExportTableRequest, ExportTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: export_dir: String }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Writes the entries in the memory of the servers to files, for the tablets with rows after
    /// `start`, up to and including `end`. `None` is the edge of the table. With `wait` it returns
    /// when the files are written.
    fn flush(table: &str, start: Option<&[u8]>, end: Option<&[u8]>, wait: bool) -> (), about table;
    "flushTable" (FlushTableRequest, FlushTableReply), Repeat, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: start_row: Bytes, 4: end_row: Bytes,
          5: wait: bool }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    by hand disk_usage;
    "getDiskUsage" (GetDiskUsageRequest, GetDiskUsageReply), Read, Call,
        { 1: token: Bytes, 2: tables: BTreeSet<String> }
        -> value(Vec<DiskUsage>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Returns the locality groups of a table, with the column families of each.
    ///
    /// The proxy returns families as text, so they must be text.
    fn locality_groups(table: &str) -> BTreeMap<String, BTreeSet<String>>, about table;
    "getLocalityGroups" (GetLocalityGroupsRequest, GetLocalityGroupsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String } -> value(BTreeMap<String, BTreeSet<String>>),
           [1: Accumulo, 2: Security, 3: TableNotFound];

    by hand iterator;
    "getIteratorSetting" (GetIteratorSettingRequest, GetIteratorSettingReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: iterator_name: String,
          4: scope: IteratorScope }
        -> maybe(IteratorSetting), [1: Accumulo, 2: Security, 3: TableNotFound];

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
    "getMaxRow" (GetMaxRowRequest, GetMaxRowReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: auths: BTreeSet<Bytes>,
          4: start_row: Bytes, 5: start_inclusive: bool, 6: end_row: Bytes,
          7: end_inclusive: bool }
        -> maybe(Bytes), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Returns the effective properties of a table: its own, and for the others those of its
    /// namespace, of the system, and Accumulo's defaults.
    fn properties(table: &str) -> BTreeMap<String, String>, about table;
    "getTableProperties" (GetTablePropertiesRequest, GetTablePropertiesReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String }
        -> value(BTreeMap<String, String>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Moves the files (RFile) of a directory of the servers' file system into a table. Files that
    /// cannot be imported are moved to `failure_directory`, which must exist and be empty.
    /// `set_time` sets the timestamps of all entries to the time of the import. Accumulo rejects
    /// directories that do not meet these requirements.
    fn import_directory(
        table: &str, directory: &str, failure_directory: &str, set_time: bool
    ) -> (), about table;
    "importDirectory" (ImportDirectoryRequest, ImportDirectoryReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: import_dir: String, 4: failure_dir: String,
          5: set_time: bool }
        -> nothing, [1: TableNotFound, 2: Accumulo, 3: Security];

    /// Creates a table from an [export](Self::export_table). The `directory` contains
    /// `exportMetadata.zip` and the files, which are moved. Accumulo rejects a directory without
    /// these files.
    fn import_table(table: &str, directory: &str) -> (), about table;
    "importTable" (ImportTableRequest, ImportTableReply), Once, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: import_dir: String }
        -> nothing, [1: TableExists, 2: Accumulo, 3: Security];

    /// Returns the split points: all of them, or about `most`, evenly distributed.
    fn list_splits(table: &str, most: Option<usize>) -> BTreeSet<Bytes>, about table;
    "listSplits" (ListSplitsRequest, ListSplitsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: max_splits: i32 }
        -> value(Vec<Bytes>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Returns the names of all tables, including those of the system (`accumulo.metadata`..).
    fn list() -> BTreeSet<String>;
    "listTables" (ListTablesRequest, ListTablesReply), Read, Call, { 1: token: Bytes }
        -> value(BTreeSet<String>), [];

    /// Returns the iterators of a table by name, each with its scopes.
    fn iterators(table: &str) -> BTreeMap<String, BTreeSet<IteratorScope>>, about table;
    "listIterators" (ListIteratorsRequest, ListIteratorsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String }
        -> value(BTreeMap<String, BTreeSet<IteratorScope>>),
           [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Returns the numbers of the constraints, by class.
    fn constraints(table: &str) -> BTreeMap<String, i32>, about table;
    "listConstraints" (ListConstraintsRequest, ListConstraintsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String }
        -> value(BTreeMap<String, i32>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Merges the tablets of the rows after `start`, up to and including `end`, into one. Split
    /// points between the two rows are removed, the two rows themselves stay. `None` is the edge of
    /// the table.
    fn merge(table: &str, start: Option<&[u8]>, end: Option<&[u8]>) -> (), about table;
    "mergeTablets" (MergeTabletsRequest, MergeTabletsReply), Repeat, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: start_row: Bytes, 4: end_row: Bytes }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Takes a table offline: it cannot be read or written, and no server hosts its tablets. With
    /// `wait` it returns when that is done.
    fn offline(table: &str, wait: bool) -> (), about table;
    "offlineTable" (OfflineTableRequest, OfflineTableReply), Repeat, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: wait: bool }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Brings a table online. With `wait` it returns when all tablets have a server.
    fn online(table: &str, wait: bool) -> (), about table;
    "onlineTable" (OnlineTableRequest, OnlineTableReply), Repeat, Wait,
        { 1: token: Bytes, 2: table_name: String, 3: wait: bool }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Removes the constraint with this number. A repetition is not safe: the number may have been
    /// reused.
    fn remove_constraint(table: &str, number: i32) -> (), about table;
    "removeConstraint" (RemoveConstraintRequest, RemoveConstraintReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: constraint: i32 }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Removes an iterator from these scopes of a table.
    fn remove_iterator(table: &str, name: &str, scopes: &[IteratorScope]) -> (), about table;
    "removeIterator" (RemoveIteratorRequest, RemoveIteratorReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: iter_name: String,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Removes a property of a table, so that the value of its namespace applies. Succeeds also if
    /// the property is not set.
    fn remove_property(table: &str, property: &str) -> (), about table;
    "removeTableProperty" (RemoveTablePropertyRequest, RemoveTablePropertyReply), Repeat, Call,
        { 1: token: Bytes, 2: table_name: String, 3: property: String }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Renames a table within its namespace.
    fn rename(table: &str, new_name: &str) -> (), about table;
    "renameTable" (RenameTableRequest, RenameTableReply), Once, Wait,
        { 1: token: Bytes, 2: old_table_name: String, 3: new_table_name: String }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound, 4: TableExists];

    /// Replaces all locality groups of a table. Existing files keep their groups until they are
    /// compacted.
    fn set_locality_groups(
        table: &str, groups: &BTreeMap<String, BTreeSet<String>>
    ) -> (), about table;
    "setLocalityGroups" (SetLocalityGroupsRequest, SetLocalityGroupsReply), Repeat, Call,
        { 1: token: Bytes, 2: table_name: String, 3: groups: BTreeMap<String, BTreeSet<String>> }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Sets a property of a table. The servers apply it within about a second. Accumulo checks few
    /// values: it accepts a class that does not exist, and fails when the class is needed. It
    /// rejects a name that is not a table property.
    fn set_property(table: &str, property: &str, value: &str) -> (), about table;
    "setTableProperty" (SetTablePropertyRequest, SetTablePropertyReply), Repeat, Call,
        { 1: token: Bytes, 2: table_name: String, 3: property: String, 4: value: String }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Divides a range at the tablets of a table: into one range for each tablet, or into at most
    /// `most` ranges.
    fn split_range_by_tablets(
        table: &str, range: &Range, most: Option<NonZeroUsize>
    ) -> BTreeSet<Range>, about table;
    "splitRangeByTablets" (SplitRangeByTabletsRequest, SplitRangeByTabletsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: range: Range, 4: max_splits: i32 }
        -> value(BTreeSet<Range>), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Checks whether a table exists.
    fn exists(table: &str) -> bool, about table;
    "tableExists" (TableExistsRequest, TableExistsReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String } -> value(bool), [];

    /// Returns the id of each table by its name. A renamed table keeps its id, and
    /// `accumulo.metadata` identifies tables by id.
    fn id_map() -> BTreeMap<String, String>;
    "tableIdMap" (TableIdMapRequest, TableIdMapReply), Read, Call, { 1: token: Bytes }
        -> value(BTreeMap<String, String>), [];

    /// Checks whether the servers can load *and instantiate* a class as `as_type`, on the class
    /// path of the table.
    ///
    /// `false` does not mean that the class is missing. The servers create an instance of it, so
    /// the result is `false` for a usable class that has no public constructor without arguments.
    /// The balancer `RegexGroupBalancer` is such a class. To check whether the servers have it,
    /// test `TableLoadBalancer` of the same package as a `java.lang.Object`.
    fn test_class_load(table: &str, class: &str, as_type: &str) -> bool, about table;
    "testTableClassLoad" (TestTableClassLoadRequest, TestTableClassLoadReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: class_name: String, 4: as_type_name: String }
        -> value(bool), [1: Accumulo, 2: Security, 3: TableNotFound];
} } }

pub(crate) use table_calls;
