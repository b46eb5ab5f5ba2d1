//! The table of calls. [`calls!`] explains its form.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Call, Exception, Patience, Reply, Resend, calls, exception, result, success};
use super::data::{
    ActiveCompaction, ActiveScan, BatchScanOptions, ColumnUpdate, ConditionalStatus,
    ConditionalUpdates, ConditionalWriterOptions, DiskUsage, IteratorScope, IteratorSetting, Key,
    KeyValueAndPeek, NamespacePermission, PartialKey, PluginConfig, Range, ScanOptions, ScanResult,
    SystemPermission, TablePermission, Thrown, TimeType, WriterOptions,
};
#[cfg(test)]
use super::structure::Declared;
use super::structure::structure;

// The arguments of `update`, the one call without a reply.
structure! {
    UpdateRequest {
        1: writer: String,
        2: cells: BTreeMap<Vec<u8>, Vec<ColumnUpdate>>,
    }
}

calls! {
    "login" (LoginRequest, LoginReply), Read, Call,
        { 1: principal: String, 2: login_properties: BTreeMap<String, String> }
        -> value(Vec<u8>), [1: security];
    "addConstraint" (AddConstraintRequest, AddConstraintReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: constraint_class_name: String }
        -> value(i32), [1: accumulo, 2: security, 3: table_not_found];
    "addSplits" (AddSplitsRequest, AddSplitsReply), Repeat, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: splits: BTreeSet<Vec<u8>> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "attachIterator" (AttachIteratorRequest, AttachIteratorReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: security, 2: accumulo, 3: table_not_found];
    "checkIteratorConflicts" (CheckIteratorConflictsRequest, CheckIteratorConflictsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: security, 2: accumulo, 3: table_not_found];
    "clearLocatorCache" (ClearLocatorCacheRequest, ClearLocatorCacheReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> nothing, [1: table_not_found];
    "cloneTable" (CloneTableRequest, CloneTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: new_table_name: String, 4: flush: bool,
          5: properties_to_set: BTreeMap<String, String>,
          6: properties_to_exclude: BTreeSet<String> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found, 4: table_exists];
    "compactTable" (CompactTableRequest, CompactTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: start_row: Vec<u8>, 4: end_row: Vec<u8>,
          5: iterators: Vec<IteratorSetting>, 6: flush: bool, 7: wait: bool,
          8: compaction_strategy: PluginConfig, 9: configurer_config: PluginConfig }
        -> nothing, [1: security, 2: table_not_found, 3: accumulo];
    "cancelCompaction" (CancelCompactionRequest, CancelCompactionReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> nothing, [1: security, 2: table_not_found, 3: accumulo];
    "createTable" (CreateTableRequest, CreateTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: versioning_iter: bool,
          4: time_type: TimeType }
        -> nothing, [1: accumulo, 2: security, 3: table_exists];
    "deleteTable" (DeleteTableRequest, DeleteTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "deleteRows" (DeleteRowsRequest, DeleteRowsReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: start_row: Vec<u8>, 4: end_row: Vec<u8> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "exportTable" (ExportTableRequest, ExportTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: export_dir: String }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "flushTable" (FlushTableRequest, FlushTableReply), Repeat, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: start_row: Vec<u8>, 4: end_row: Vec<u8>,
          5: wait: bool }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "getDiskUsage" (GetDiskUsageRequest, GetDiskUsageReply), Read, Call,
        { 1: token: Vec<u8>, 2: tables: BTreeSet<String> }
        -> value(Vec<DiskUsage>), [1: accumulo, 2: security, 3: table_not_found];
    "getLocalityGroups" (GetLocalityGroupsRequest, GetLocalityGroupsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> value(BTreeMap<String, BTreeSet<String>>), [1: accumulo, 2: security, 3: table_not_found];
    "getIteratorSetting" (GetIteratorSettingRequest, GetIteratorSettingReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: iterator_name: String,
          4: scope: IteratorScope }
        -> maybe(IteratorSetting), [1: accumulo, 2: security, 3: table_not_found];
    "getMaxRow" (GetMaxRowRequest, GetMaxRowReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: auths: BTreeSet<Vec<u8>>,
          4: start_row: Vec<u8>, 5: start_inclusive: bool, 6: end_row: Vec<u8>,
          7: end_inclusive: bool }
        -> maybe(Vec<u8>), [1: accumulo, 2: security, 3: table_not_found];
    "getTableProperties" (GetTablePropertiesRequest, GetTablePropertiesReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> value(BTreeMap<String, String>), [1: accumulo, 2: security, 3: table_not_found];
    "importDirectory" (ImportDirectoryRequest, ImportDirectoryReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: import_dir: String, 4: failure_dir: String,
          5: set_time: bool }
        -> nothing, [1: table_not_found, 2: accumulo, 3: security];
    "importTable" (ImportTableRequest, ImportTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: import_dir: String }
        -> nothing, [1: table_exists, 2: accumulo, 3: security];
    "listSplits" (ListSplitsRequest, ListSplitsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: max_splits: i32 }
        -> value(Vec<Vec<u8>>), [1: accumulo, 2: security, 3: table_not_found];
    "listTables" (ListTablesRequest, ListTablesReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeSet<String>), [];
    "listIterators" (ListIteratorsRequest, ListIteratorsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> value(BTreeMap<String, BTreeSet<IteratorScope>>), [1: accumulo, 2: security, 3: table_not_found];
    "listConstraints" (ListConstraintsRequest, ListConstraintsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> value(BTreeMap<String, i32>), [1: accumulo, 2: security, 3: table_not_found];
    "mergeTablets" (MergeTabletsRequest, MergeTabletsReply), Repeat, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: start_row: Vec<u8>, 4: end_row: Vec<u8> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "offlineTable" (OfflineTableRequest, OfflineTableReply), Repeat, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: wait: bool }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "onlineTable" (OnlineTableRequest, OnlineTableReply), Repeat, Wait,
        { 1: token: Vec<u8>, 2: table_name: String, 3: wait: bool }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "removeConstraint" (RemoveConstraintRequest, RemoveConstraintReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: constraint: i32 }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "removeIterator" (RemoveIteratorRequest, RemoveIteratorReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: iter_name: String,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "removeTableProperty" (RemoveTablePropertyRequest, RemoveTablePropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: property: String }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "renameTable" (RenameTableRequest, RenameTableReply), Once, Wait,
        { 1: token: Vec<u8>, 2: old_table_name: String, 3: new_table_name: String }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found, 4: table_exists];
    "setLocalityGroups" (SetLocalityGroupsRequest, SetLocalityGroupsReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: groups: BTreeMap<String, BTreeSet<String>> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "setTableProperty" (SetTablePropertyRequest, SetTablePropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: property: String, 4: value: String }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "splitRangeByTablets" (SplitRangeByTabletsRequest, SplitRangeByTabletsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: range: Range, 4: max_splits: i32 }
        -> value(BTreeSet<Range>), [1: accumulo, 2: security, 3: table_not_found];
    "tableExists" (TableExistsRequest, TableExistsReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String }
        -> value(bool), [];
    "tableIdMap" (TableIdMapRequest, TableIdMapReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeMap<String, String>), [];
    "testTableClassLoad" (TestTableClassLoadRequest, TestTableClassLoadReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: class_name: String, 4: as_type_name: String }
        -> value(bool), [1: accumulo, 2: security, 3: table_not_found];
    "pingTabletServer" (PingTabletServerRequest, PingTabletServerReply), Read, Call,
        { 1: token: Vec<u8>, 2: tserver: String }
        -> nothing, [1: accumulo, 2: security];
    "getActiveScans" (GetActiveScansRequest, GetActiveScansReply), Read, Call,
        { 1: token: Vec<u8>, 2: tserver: String }
        -> value(Vec<ActiveScan>), [1: accumulo, 2: security];
    "getActiveCompactions" (GetActiveCompactionsRequest, GetActiveCompactionsReply), Read, Call,
        { 1: token: Vec<u8>, 2: tserver: String }
        -> value(Vec<ActiveCompaction>), [1: accumulo, 2: security];
    "getSiteConfiguration" (GetSiteConfigurationRequest, GetSiteConfigurationReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeMap<String, String>), [1: accumulo, 2: security];
    "getSystemConfiguration" (GetSystemConfigurationRequest, GetSystemConfigurationReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeMap<String, String>), [1: accumulo, 2: security];
    "getTabletServers" (GetTabletServersRequest, GetTabletServersReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(Vec<String>), [];
    "removeProperty" (RemovePropertyRequest, RemovePropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: property: String }
        -> nothing, [1: accumulo, 2: security];
    "setProperty" (SetPropertyRequest, SetPropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: property: String, 3: value: String }
        -> nothing, [1: accumulo, 2: security];
    "testClassLoad" (TestClassLoadRequest, TestClassLoadReply), Read, Call,
        { 1: token: Vec<u8>, 2: class_name: String, 3: as_type_name: String }
        -> value(bool), [1: accumulo, 2: security];
    "authenticateUser" (AuthenticateUserRequest, AuthenticateUserReply), Read, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: properties: BTreeMap<String, String> }
        -> value(bool), [1: accumulo, 2: security];
    "changeUserAuthorizations" (ChangeUserAuthorizationsRequest, ChangeUserAuthorizationsReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: authorizations: BTreeSet<Vec<u8>> }
        -> nothing, [1: accumulo, 2: security];
    "changeLocalUserPassword" (ChangeLocalUserPasswordRequest, ChangeLocalUserPasswordReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: password: Vec<u8> }
        -> nothing, [1: accumulo, 2: security];
    "createLocalUser" (CreateLocalUserRequest, CreateLocalUserReply), Once, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: password: Vec<u8> }
        -> nothing, [1: accumulo, 2: security];
    "dropLocalUser" (DropLocalUserRequest, DropLocalUserReply), Once, Call,
        { 1: token: Vec<u8>, 2: user: String }
        -> nothing, [1: accumulo, 2: security];
    "getUserAuthorizations" (GetUserAuthorizationsRequest, GetUserAuthorizationsReply), Read, Call,
        { 1: token: Vec<u8>, 2: user: String }
        -> value(Vec<Vec<u8>>), [1: accumulo, 2: security];
    "grantSystemPermission" (GrantSystemPermissionRequest, GrantSystemPermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: perm: SystemPermission }
        -> nothing, [1: accumulo, 2: security];
    "grantTablePermission" (GrantTablePermissionRequest, GrantTablePermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "hasSystemPermission" (HasSystemPermissionRequest, HasSystemPermissionReply), Read, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: perm: SystemPermission }
        -> value(bool), [1: accumulo, 2: security];
    "hasTablePermission" (HasTablePermissionRequest, HasTablePermissionReply), Read, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> value(bool), [1: accumulo, 2: security, 3: table_not_found];
    "listLocalUsers" (ListLocalUsersRequest, ListLocalUsersReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeSet<String>), [1: accumulo, 2: security, 3: table_not_found];
    "revokeSystemPermission" (RevokeSystemPermissionRequest, RevokeSystemPermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: perm: SystemPermission }
        -> nothing, [1: accumulo, 2: security];
    "revokeTablePermission" (RevokeTablePermissionRequest, RevokeTablePermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: table: String, 4: perm: TablePermission }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found];
    "grantNamespacePermission" (GrantNamespacePermissionRequest, GrantNamespacePermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> nothing, [1: accumulo, 2: security];
    "hasNamespacePermission" (HasNamespacePermissionRequest, HasNamespacePermissionReply), Read, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> value(bool), [1: accumulo, 2: security];
    "revokeNamespacePermission" (RevokeNamespacePermissionRequest, RevokeNamespacePermissionReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: user: String, 3: namespace_name: String,
          4: perm: NamespacePermission }
        -> nothing, [1: accumulo, 2: security];
    "createBatchScanner" (CreateBatchScannerRequest, CreateBatchScannerReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: BatchScanOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];
    "createScanner" (CreateScannerRequest, CreateScannerReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: ScanOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];
    "hasNext" (HasNextRequest, HasNextReply), Read, Call,
        { 1: scanner: String }
        -> value(bool), [1: unknown_scanner];
    "nextEntry" (NextEntryRequest, NextEntryReply), Once, Call,
        { 1: scanner: String }
        -> value(KeyValueAndPeek), [1: no_more_entries, 2: unknown_scanner, 3: security];
    "nextK" (NextKRequest, NextKReply), Once, Call,
        { 1: scanner: String, 2: k: i32 }
        -> value(ScanResult), [1: no_more_entries, 2: unknown_scanner, 3: security];
    "closeScanner" (CloseScannerRequest, CloseScannerReply), Repeat, Call,
        { 1: scanner: String }
        -> nothing, [1: unknown_scanner];
    "updateAndFlush" (UpdateAndFlushRequest, UpdateAndFlushReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: cells: BTreeMap<Vec<u8>, Vec<ColumnUpdate>> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found, 4: mutations_rejected];
    "createWriter" (CreateWriterRequest, CreateWriterReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: opts: WriterOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];
    "flush" (FlushRequest, FlushReply), Once, Wait,
        { 1: writer: String }
        -> nothing, [1: unknown_writer, 2: mutations_rejected];
    "closeWriter" (CloseWriterRequest, CloseWriterReply), Once, Wait,
        { 1: writer: String }
        -> nothing, [1: unknown_writer, 2: mutations_rejected];
    "updateRowConditionally" (UpdateRowConditionallyRequest, UpdateRowConditionallyReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: row: Vec<u8>,
          4: updates: ConditionalUpdates }
        -> value(ConditionalStatus), [1: accumulo, 2: security, 3: table_not_found];
    "createConditionalWriter" (CreateConditionalWriterRequest, CreateConditionalWriterReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: ConditionalWriterOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];
    "updateRowsConditionally" (UpdateRowsConditionallyRequest, UpdateRowsConditionallyReply), Once, Call,
        { 1: conditional_writer: String, 2: updates: BTreeMap<Vec<u8>, ConditionalUpdates> }
        -> value(BTreeMap<Vec<u8>, ConditionalStatus>), [1: unknown_writer, 2: accumulo, 3: security];
    "closeConditionalWriter" (CloseConditionalWriterRequest, CloseConditionalWriterReply), Repeat, Call,
        { 1: conditional_writer: String }
        -> nothing, [];
    "getRowRange" (GetRowRangeRequest, GetRowRangeReply), Read, Call,
        { 1: row: Vec<u8> }
        -> value(Range), [];
    "getFollowing" (GetFollowingRequest, GetFollowingReply), Read, Call,
        { 1: key: Key, 2: part: PartialKey }
        -> value(Key), [];
    "systemNamespace" (SystemNamespaceRequest, SystemNamespaceReply), Read, Call,
        {}
        -> value(String), [];
    "defaultNamespace" (DefaultNamespaceRequest, DefaultNamespaceReply), Read, Call,
        {}
        -> value(String), [];
    "listNamespaces" (ListNamespacesRequest, ListNamespacesReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(Vec<String>), [1: accumulo, 2: security];
    "namespaceExists" (NamespaceExistsRequest, NamespaceExistsReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> value(bool), [1: accumulo, 2: security];
    "createNamespace" (CreateNamespaceRequest, CreateNamespaceReply), Once, Wait,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> nothing, [1: accumulo, 2: security, 3: namespace_exists];
    "deleteNamespace" (DeleteNamespaceRequest, DeleteNamespaceReply), Once, Wait,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found, 4: namespace_not_empty];
    "renameNamespace" (RenameNamespaceRequest, RenameNamespaceReply), Once, Wait,
        { 1: token: Vec<u8>, 2: old_namespace_name: String, 3: new_namespace_name: String }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found, 4: namespace_exists];
    "setNamespaceProperty" (SetNamespacePropertyRequest, SetNamespacePropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: property: String, 4: value: String }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "removeNamespaceProperty" (RemoveNamespacePropertyRequest, RemoveNamespacePropertyReply), Repeat, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: property: String }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "getNamespaceProperties" (GetNamespacePropertiesRequest, GetNamespacePropertiesReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> value(BTreeMap<String, String>), [1: accumulo, 2: security, 3: namespace_not_found];
    "namespaceIdMap" (NamespaceIdMapRequest, NamespaceIdMapReply), Read, Call,
        { 1: token: Vec<u8> }
        -> value(BTreeMap<String, String>), [1: accumulo, 2: security];
    "attachNamespaceIterator" (AttachNamespaceIteratorRequest, AttachNamespaceIteratorReply), Once, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "removeNamespaceIterator" (RemoveNamespaceIteratorRequest, RemoveNamespaceIteratorReply), Once, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: name: String,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "getNamespaceIteratorSetting" (GetNamespaceIteratorSettingRequest, GetNamespaceIteratorSettingReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: name: String, 4: scope: IteratorScope }
        -> maybe(IteratorSetting), [1: accumulo, 2: security, 3: namespace_not_found];
    "listNamespaceIterators" (ListNamespaceIteratorsRequest, ListNamespaceIteratorsReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> value(BTreeMap<String, BTreeSet<IteratorScope>>), [1: accumulo, 2: security, 3: namespace_not_found];
    "checkNamespaceIteratorConflicts" (CheckNamespaceIteratorConflictsRequest, CheckNamespaceIteratorConflictsReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: setting: IteratorSetting,
          4: scopes: BTreeSet<IteratorScope> }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "addNamespaceConstraint" (AddNamespaceConstraintRequest, AddNamespaceConstraintReply), Once, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: constraint_class_name: String }
        -> value(i32), [1: accumulo, 2: security, 3: namespace_not_found];
    "removeNamespaceConstraint" (RemoveNamespaceConstraintRequest, RemoveNamespaceConstraintReply), Once, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: id: i32 }
        -> nothing, [1: accumulo, 2: security, 3: namespace_not_found];
    "listNamespaceConstraints" (ListNamespaceConstraintsRequest, ListNamespaceConstraintsReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String }
        -> value(BTreeMap<String, i32>), [1: accumulo, 2: security, 3: namespace_not_found];
    "testNamespaceClassLoad" (TestNamespaceClassLoadRequest, TestNamespaceClassLoadReply), Read, Call,
        { 1: token: Vec<u8>, 2: namespace_name: String, 3: class_name: String,
          4: as_type_name: String }
        -> value(bool), [1: accumulo, 2: security, 3: namespace_not_found];
}
