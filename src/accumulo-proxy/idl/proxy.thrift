// The service of the Apache Accumulo proxy, as structures of requests and replies.
//
// Thrift's own `service` blocks make every argument required, and this service needs absent ones: the rows of
// `compactTable`, for example, where absent means the edge of the table. On the wire a call is only a message whose
// body is a structure of its arguments, and a reply is one whose body is a structure of result and exceptions. This
// file therefore defines these structures. Every field is optional, so absent and empty are different.
//
// This file supports both proxies. Field 1 of most requests is the token from `login` (proxy of Accumulo 1.x) or the
// shared secret (proxy of Accumulo 2.x): bytes and text are one type on the wire. `compactTable` has field 8 in
// both (1.x: the compaction strategy, 2.x: the selector) and field 9 in 2.x only.
//
// The calls `createWriter`, `update`, `flush` and `closeWriter` are left out: `update` has no reply, so a writer of the
// proxy loses writes without an error.
//
// `src/wire/interface` declares the same in Rust, and a test compares the two.

// Enumerations

enum PartialKey {
  ROW = 0,
  ROW_COLFAM = 1,
  ROW_COLFAM_COLQUAL = 2,
  ROW_COLFAM_COLQUAL_COLVIS = 3,
  ROW_COLFAM_COLQUAL_COLVIS_TIME = 4,
  ROW_COLFAM_COLQUAL_COLVIS_TIME_DEL = 5,
}

enum TablePermission {
  READ = 2,
  WRITE = 3,
  BULK_IMPORT = 4,
  ALTER_TABLE = 5,
  GRANT = 6,
  DROP_TABLE = 7,
}

enum SystemPermission {
  GRANT = 0,
  CREATE_TABLE = 1,
  DROP_TABLE = 2,
  ALTER_TABLE = 3,
  CREATE_USER = 4,
  DROP_USER = 5,
  ALTER_USER = 6,
  SYSTEM = 7,
  CREATE_NAMESPACE = 8,
  DROP_NAMESPACE = 9,
  ALTER_NAMESPACE = 10,
  OBTAIN_DELEGATION_TOKEN = 11,
}

enum NamespacePermission {
  READ = 0,
  WRITE = 1,
  ALTER_NAMESPACE = 2,
  GRANT = 3,
  ALTER_TABLE = 4,
  CREATE_TABLE = 5,
  DROP_TABLE = 6,
  BULK_IMPORT = 7,
  DROP_NAMESPACE = 8,
}

enum ScanType {
  SINGLE = 0,
  BATCH = 1,
}

enum ScanState {
  IDLE = 0,
  RUNNING = 1,
  QUEUED = 2,
}

enum ConditionalStatus {
  ACCEPTED = 0,
  REJECTED = 1,
  VIOLATED = 2,
  UNKNOWN = 3,
  INVISIBLE_VISIBILITY = 4,
}

enum Durability {
  DEFAULT = 0,
  NONE = 1,
  LOG = 2,
  FLUSH = 3,
  SYNC = 4,
}

enum CompactionType {
  MINOR = 0,
  MERGE = 1,
  MAJOR = 2,
  FULL = 3,
}

enum CompactionReason {
  USER = 0,
  SYSTEM = 1,
  CHOP = 2,
  IDLE = 3,
  CLOSE = 4,
}

enum IteratorScope {
  MINC = 0,
  MAJC = 1,
  SCAN = 2,
}

enum TimeType {
  LOGICAL = 0,
  MILLIS = 1,
}

// Data

struct Key {
  1: optional binary row,
  2: optional binary colFamily,
  3: optional binary colQualifier,
  4: optional binary colVisibility,
  5: optional i64 timestamp,
}

struct ColumnUpdate {
  1: optional binary colFamily,
  2: optional binary colQualifier,
  3: optional binary colVisibility,
  4: optional i64 timestamp,
  5: optional binary value,
  6: optional bool deleteCell,
}

struct DiskUsage {
  1: optional list<string> tables,
  2: optional i64 usage,
}

struct KeyValue {
  1: optional Key key,
  2: optional binary value,
}

struct ScanResult {
  1: optional list<KeyValue> results,
  2: optional bool more,
}

struct Range {
  1: optional Key start,
  2: optional bool startInclusive,
  3: optional Key stop,
  4: optional bool stopInclusive,
}

struct ScanColumn {
  1: optional binary colFamily,
  2: optional binary colQualifier,
}

struct IteratorSetting {
  1: optional i32 priority,
  2: optional string name,
  3: optional string iteratorClass,
  4: optional map<string, string> properties,
}

struct ScanOptions {
  1: optional set<binary> authorizations,
  2: optional Range range,
  3: optional list<ScanColumn> columns,
  4: optional list<IteratorSetting> iterators,
  5: optional i32 bufferSize,
}

struct BatchScanOptions {
  1: optional set<binary> authorizations,
  2: optional list<Range> ranges,
  3: optional list<ScanColumn> columns,
  4: optional list<IteratorSetting> iterators,
  5: optional i32 threads,
}

struct KeyValueAndPeek {
  1: optional KeyValue keyValue,
  2: optional bool hasNext,
}

struct KeyExtent {
  1: optional string tableId,
  2: optional binary endRow,
  3: optional binary prevEndRow,
}

struct Column {
  1: optional binary colFamily,
  2: optional binary colQualifier,
  3: optional binary colVisibility,
}

struct Condition {
  1: optional Column column,
  2: optional i64 timestamp,
  3: optional binary value,
  4: optional list<IteratorSetting> iterators,
}

struct ConditionalUpdates {
  2: optional list<Condition> conditions,
  3: optional list<ColumnUpdate> updates,
}

struct ConditionalWriterOptions {
  1: optional i64 maxMemory,
  2: optional i64 timeoutMs,
  3: optional i32 threads,
  4: optional set<binary> authorizations,
  5: optional Durability durability,
}

struct ActiveScan {
  1: optional string client,
  2: optional string user,
  3: optional string table,
  4: optional i64 age,
  5: optional i64 idleTime,
  6: optional ScanType type,
  7: optional ScanState state,
  8: optional KeyExtent extent,
  9: optional list<Column> columns,
  10: optional list<IteratorSetting> iterators,
  11: optional list<binary> authorizations,
}

struct ActiveCompaction {
  1: optional KeyExtent extent,
  2: optional i64 age,
  3: optional list<string> inputFiles,
  4: optional string outputFile,
  5: optional CompactionType type,
  6: optional CompactionReason reason,
  7: optional string localityGroup,
  8: optional i64 entriesRead,
  9: optional i64 entriesWritten,
  10: optional list<IteratorSetting> iterators,
}

struct PluginConfig {
  1: optional string className,
  2: optional map<string, string> options,
}

// The form of every exception on the wire. The number of its field in a reply determines which exception it is.
struct Thrown {
  1: optional string msg,
}

// Calls: each has a request, whose fields are the arguments, and a reply, whose field 0 is the result and whose
// other fields are the exceptions.

// login
struct LoginRequest {
  1: optional string principal,
  2: optional map<string, string> loginProperties,
}
struct LoginReply {
  0: optional binary success,
  1: optional Thrown security,
}

// addConstraint
struct AddConstraintRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string constraintClassName,
}
struct AddConstraintReply {
  0: optional i32 success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// addSplits
struct AddSplitsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional set<binary> splits,
}
struct AddSplitsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// attachIterator
struct AttachIteratorRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional IteratorSetting setting,
  4: optional set<IteratorScope> scopes,
}
struct AttachIteratorReply {
  1: optional Thrown security,
  2: optional Thrown accumulo,
  3: optional Thrown table_not_found,
}

// checkIteratorConflicts
struct CheckIteratorConflictsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional IteratorSetting setting,
  4: optional set<IteratorScope> scopes,
}
struct CheckIteratorConflictsReply {
  1: optional Thrown security,
  2: optional Thrown accumulo,
  3: optional Thrown table_not_found,
}

// clearLocatorCache
struct ClearLocatorCacheRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct ClearLocatorCacheReply {
  1: optional Thrown table_not_found,
}

// cloneTable
struct CloneTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string newTableName,
  4: optional bool flush,
  5: optional map<string, string> propertiesToSet,
  6: optional set<string> propertiesToExclude,
}
struct CloneTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
  4: optional Thrown table_exists,
}

// compactTable
struct CompactTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional binary startRow,
  4: optional binary endRow,
  5: optional list<IteratorSetting> iterators,
  6: optional bool flush,
  7: optional bool wait,
  8: optional PluginConfig compactionStrategy,
  9: optional PluginConfig configurerConfig,
}
struct CompactTableReply {
  1: optional Thrown security,
  2: optional Thrown table_not_found,
  3: optional Thrown accumulo,
}

// cancelCompaction
struct CancelCompactionRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct CancelCompactionReply {
  1: optional Thrown security,
  2: optional Thrown table_not_found,
  3: optional Thrown accumulo,
}

// createTable
struct CreateTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional bool versioningIter,
  4: optional TimeType timeType,
}
struct CreateTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_exists,
}

// deleteTable
struct DeleteTableRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct DeleteTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// deleteRows
struct DeleteRowsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional binary startRow,
  4: optional binary endRow,
}
struct DeleteRowsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// exportTable
struct ExportTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string exportDir,
}
struct ExportTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// flushTable
struct FlushTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional binary startRow,
  4: optional binary endRow,
  5: optional bool wait,
}
struct FlushTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// getDiskUsage
struct GetDiskUsageRequest {
  1: optional binary token,
  2: optional set<string> tables,
}
struct GetDiskUsageReply {
  0: optional list<DiskUsage> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// getLocalityGroups
struct GetLocalityGroupsRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct GetLocalityGroupsReply {
  0: optional map<string, set<string>> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// getIteratorSetting
struct GetIteratorSettingRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string iteratorName,
  4: optional IteratorScope scope,
}
struct GetIteratorSettingReply {
  0: optional IteratorSetting success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// getMaxRow
struct GetMaxRowRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional set<binary> auths,
  4: optional binary startRow,
  5: optional bool startInclusive,
  6: optional binary endRow,
  7: optional bool endInclusive,
}
struct GetMaxRowReply {
  0: optional binary success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// getTableProperties
struct GetTablePropertiesRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct GetTablePropertiesReply {
  0: optional map<string, string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// importDirectory
struct ImportDirectoryRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string importDir,
  4: optional string failureDir,
  5: optional bool setTime,
}
struct ImportDirectoryReply {
  1: optional Thrown table_not_found,
  2: optional Thrown accumulo,
  3: optional Thrown security,
}

// importTable
struct ImportTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string importDir,
}
struct ImportTableReply {
  1: optional Thrown table_exists,
  2: optional Thrown accumulo,
  3: optional Thrown security,
}

// listSplits
struct ListSplitsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional i32 maxSplits,
}
struct ListSplitsReply {
  0: optional list<binary> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// listTables
struct ListTablesRequest {
  1: optional binary token,
}
struct ListTablesReply {
  0: optional set<string> success,
}

// listIterators
struct ListIteratorsRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct ListIteratorsReply {
  0: optional map<string, set<IteratorScope>> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// listConstraints
struct ListConstraintsRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct ListConstraintsReply {
  0: optional map<string, i32> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// mergeTablets
struct MergeTabletsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional binary startRow,
  4: optional binary endRow,
}
struct MergeTabletsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// offlineTable
struct OfflineTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional bool wait,
}
struct OfflineTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// onlineTable
struct OnlineTableRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional bool wait,
}
struct OnlineTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// removeConstraint
struct RemoveConstraintRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional i32 constraint,
}
struct RemoveConstraintReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// removeIterator
struct RemoveIteratorRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string iterName,
  4: optional set<IteratorScope> scopes,
}
struct RemoveIteratorReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// removeTableProperty
struct RemoveTablePropertyRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string property,
}
struct RemoveTablePropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// renameTable
struct RenameTableRequest {
  1: optional binary token,
  2: optional string oldTableName,
  3: optional string newTableName,
}
struct RenameTableReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
  4: optional Thrown table_exists,
}

// setLocalityGroups
struct SetLocalityGroupsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional map<string, set<string>> groups,
}
struct SetLocalityGroupsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// setTableProperty
struct SetTablePropertyRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string property,
  4: optional string value,
}
struct SetTablePropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// splitRangeByTablets
struct SplitRangeByTabletsRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional Range range,
  4: optional i32 maxSplits,
}
struct SplitRangeByTabletsReply {
  0: optional set<Range> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// tableExists
struct TableExistsRequest {
  1: optional binary token,
  2: optional string tableName,
}
struct TableExistsReply {
  0: optional bool success,
}

// tableIdMap
struct TableIdMapRequest {
  1: optional binary token,
}
struct TableIdMapReply {
  0: optional map<string, string> success,
}

// testTableClassLoad
struct TestTableClassLoadRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional string className,
  4: optional string asTypeName,
}
struct TestTableClassLoadReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// pingTabletServer
struct PingTabletServerRequest {
  1: optional binary token,
  2: optional string tserver,
}
struct PingTabletServerReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getActiveScans
struct GetActiveScansRequest {
  1: optional binary token,
  2: optional string tserver,
}
struct GetActiveScansReply {
  0: optional list<ActiveScan> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getActiveCompactions
struct GetActiveCompactionsRequest {
  1: optional binary token,
  2: optional string tserver,
}
struct GetActiveCompactionsReply {
  0: optional list<ActiveCompaction> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getSiteConfiguration
struct GetSiteConfigurationRequest {
  1: optional binary token,
}
struct GetSiteConfigurationReply {
  0: optional map<string, string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getSystemConfiguration
struct GetSystemConfigurationRequest {
  1: optional binary token,
}
struct GetSystemConfigurationReply {
  0: optional map<string, string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getTabletServers
struct GetTabletServersRequest {
  1: optional binary token,
}
struct GetTabletServersReply {
  0: optional list<string> success,
}

// removeProperty
struct RemovePropertyRequest {
  1: optional binary token,
  2: optional string property,
}
struct RemovePropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// setProperty
struct SetPropertyRequest {
  1: optional binary token,
  2: optional string property,
  3: optional string value,
}
struct SetPropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// testClassLoad
struct TestClassLoadRequest {
  1: optional binary token,
  2: optional string className,
  3: optional string asTypeName,
}
struct TestClassLoadReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// authenticateUser
struct AuthenticateUserRequest {
  1: optional binary token,
  2: optional string user,
  3: optional map<string, string> properties,
}
struct AuthenticateUserReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// changeUserAuthorizations
struct ChangeUserAuthorizationsRequest {
  1: optional binary token,
  2: optional string user,
  3: optional set<binary> authorizations,
}
struct ChangeUserAuthorizationsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// changeLocalUserPassword
struct ChangeLocalUserPasswordRequest {
  1: optional binary token,
  2: optional string user,
  3: optional binary password,
}
struct ChangeLocalUserPasswordReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// createLocalUser
struct CreateLocalUserRequest {
  1: optional binary token,
  2: optional string user,
  3: optional binary password,
}
struct CreateLocalUserReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// dropLocalUser
struct DropLocalUserRequest {
  1: optional binary token,
  2: optional string user,
}
struct DropLocalUserReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// getUserAuthorizations
struct GetUserAuthorizationsRequest {
  1: optional binary token,
  2: optional string user,
}
struct GetUserAuthorizationsReply {
  0: optional list<binary> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// grantSystemPermission
struct GrantSystemPermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional SystemPermission perm,
}
struct GrantSystemPermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// grantTablePermission
struct GrantTablePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string table,
  4: optional TablePermission perm,
}
struct GrantTablePermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// hasSystemPermission
struct HasSystemPermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional SystemPermission perm,
}
struct HasSystemPermissionReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// hasTablePermission
struct HasTablePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string table,
  4: optional TablePermission perm,
}
struct HasTablePermissionReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// listLocalUsers
struct ListLocalUsersRequest {
  1: optional binary token,
}
struct ListLocalUsersReply {
  0: optional set<string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// revokeSystemPermission
struct RevokeSystemPermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional SystemPermission perm,
}
struct RevokeSystemPermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// revokeTablePermission
struct RevokeTablePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string table,
  4: optional TablePermission perm,
}
struct RevokeTablePermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// grantNamespacePermission
struct GrantNamespacePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string namespaceName,
  4: optional NamespacePermission perm,
}
struct GrantNamespacePermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// hasNamespacePermission
struct HasNamespacePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string namespaceName,
  4: optional NamespacePermission perm,
}
struct HasNamespacePermissionReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// revokeNamespacePermission
struct RevokeNamespacePermissionRequest {
  1: optional binary token,
  2: optional string user,
  3: optional string namespaceName,
  4: optional NamespacePermission perm,
}
struct RevokeNamespacePermissionReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// createBatchScanner
struct CreateBatchScannerRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional BatchScanOptions options,
}
struct CreateBatchScannerReply {
  0: optional string success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// createScanner
struct CreateScannerRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional ScanOptions options,
}
struct CreateScannerReply {
  0: optional string success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// hasNext
struct HasNextRequest {
  1: optional string scanner,
}
struct HasNextReply {
  0: optional bool success,
  1: optional Thrown unknown_scanner,
}

// nextEntry
struct NextEntryRequest {
  1: optional string scanner,
}
struct NextEntryReply {
  0: optional KeyValueAndPeek success,
  1: optional Thrown no_more_entries,
  2: optional Thrown unknown_scanner,
  3: optional Thrown security,
}

// nextK
struct NextKRequest {
  1: optional string scanner,
  2: optional i32 k,
}
struct NextKReply {
  0: optional ScanResult success,
  1: optional Thrown no_more_entries,
  2: optional Thrown unknown_scanner,
  3: optional Thrown security,
}

// closeScanner
struct CloseScannerRequest {
  1: optional string scanner,
}
struct CloseScannerReply {
  1: optional Thrown unknown_scanner,
}

// updateAndFlush
struct UpdateAndFlushRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional map<binary, list<ColumnUpdate>> cells,
}
struct UpdateAndFlushReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
  4: optional Thrown mutations_rejected,
}

// updateRowConditionally
struct UpdateRowConditionallyRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional binary row,
  4: optional ConditionalUpdates updates,
}
struct UpdateRowConditionallyReply {
  0: optional ConditionalStatus success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// createConditionalWriter
struct CreateConditionalWriterRequest {
  1: optional binary token,
  2: optional string tableName,
  3: optional ConditionalWriterOptions options,
}
struct CreateConditionalWriterReply {
  0: optional string success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown table_not_found,
}

// updateRowsConditionally
struct UpdateRowsConditionallyRequest {
  1: optional string conditionalWriter,
  2: optional map<binary, ConditionalUpdates> updates,
}
struct UpdateRowsConditionallyReply {
  0: optional map<binary, ConditionalStatus> success,
  1: optional Thrown unknown_writer,
  2: optional Thrown accumulo,
  3: optional Thrown security,
}

// closeConditionalWriter
struct CloseConditionalWriterRequest {
  1: optional string conditionalWriter,
}
struct CloseConditionalWriterReply {
}

// getRowRange
struct GetRowRangeRequest {
  1: optional binary row,
}
struct GetRowRangeReply {
  0: optional Range success,
}

// getFollowing
struct GetFollowingRequest {
  1: optional Key key,
  2: optional PartialKey part,
}
struct GetFollowingReply {
  0: optional Key success,
}

// systemNamespace
struct SystemNamespaceRequest {
}
struct SystemNamespaceReply {
  0: optional string success,
}

// defaultNamespace
struct DefaultNamespaceRequest {
}
struct DefaultNamespaceReply {
  0: optional string success,
}

// listNamespaces
struct ListNamespacesRequest {
  1: optional binary token,
}
struct ListNamespacesReply {
  0: optional list<string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// namespaceExists
struct NamespaceExistsRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct NamespaceExistsReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// createNamespace
struct CreateNamespaceRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct CreateNamespaceReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_exists,
}

// deleteNamespace
struct DeleteNamespaceRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct DeleteNamespaceReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
  4: optional Thrown namespace_not_empty,
}

// renameNamespace
struct RenameNamespaceRequest {
  1: optional binary token,
  2: optional string oldNamespaceName,
  3: optional string newNamespaceName,
}
struct RenameNamespaceReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
  4: optional Thrown namespace_exists,
}

// setNamespaceProperty
struct SetNamespacePropertyRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string property,
  4: optional string value,
}
struct SetNamespacePropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// removeNamespaceProperty
struct RemoveNamespacePropertyRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string property,
}
struct RemoveNamespacePropertyReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// getNamespaceProperties
struct GetNamespacePropertiesRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct GetNamespacePropertiesReply {
  0: optional map<string, string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// namespaceIdMap
struct NamespaceIdMapRequest {
  1: optional binary token,
}
struct NamespaceIdMapReply {
  0: optional map<string, string> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
}

// attachNamespaceIterator
struct AttachNamespaceIteratorRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional IteratorSetting setting,
  4: optional set<IteratorScope> scopes,
}
struct AttachNamespaceIteratorReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// removeNamespaceIterator
struct RemoveNamespaceIteratorRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string name,
  4: optional set<IteratorScope> scopes,
}
struct RemoveNamespaceIteratorReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// getNamespaceIteratorSetting
struct GetNamespaceIteratorSettingRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string name,
  4: optional IteratorScope scope,
}
struct GetNamespaceIteratorSettingReply {
  0: optional IteratorSetting success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// listNamespaceIterators
struct ListNamespaceIteratorsRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct ListNamespaceIteratorsReply {
  0: optional map<string, set<IteratorScope>> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// checkNamespaceIteratorConflicts
struct CheckNamespaceIteratorConflictsRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional IteratorSetting setting,
  4: optional set<IteratorScope> scopes,
}
struct CheckNamespaceIteratorConflictsReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// addNamespaceConstraint
struct AddNamespaceConstraintRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string constraintClassName,
}
struct AddNamespaceConstraintReply {
  0: optional i32 success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// removeNamespaceConstraint
struct RemoveNamespaceConstraintRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional i32 id,
}
struct RemoveNamespaceConstraintReply {
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// listNamespaceConstraints
struct ListNamespaceConstraintsRequest {
  1: optional binary token,
  2: optional string namespaceName,
}
struct ListNamespaceConstraintsReply {
  0: optional map<string, i32> success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}

// testNamespaceClassLoad
struct TestNamespaceClassLoadRequest {
  1: optional binary token,
  2: optional string namespaceName,
  3: optional string className,
  4: optional string asTypeName,
}
struct TestNamespaceClassLoadReply {
  0: optional bool success,
  1: optional Thrown accumulo,
  2: optional Thrown security,
  3: optional Thrown namespace_not_found,
}
