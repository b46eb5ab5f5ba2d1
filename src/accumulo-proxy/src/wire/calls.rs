//! The table of calls, with the name, the structures, the retry rule, the time limit and the
//! possible exceptions of each.
//!
//! # Sending again
//!
//! A call whose request was not written to the end was not executed, because the proxy acts on
//! complete frames only. Every call may therefore be retried in that case. If the request was sent
//! and no reply came, the retry rule is a property of the call, [`Resend`].

use std::collections::{BTreeMap, BTreeSet};

use thrift::protocol::TSerializable;

use super::generated as wire;
use crate::error::Exception;

/// The retry rule of a call whose request was sent and has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// The call changes nothing, or leaves only a handle behind that expires: it is retried.
    Read,
    /// The call is idempotent: it is retried.
    Repeat,
    /// The call is not idempotent: it is never retried, and the error says that it may have taken
    /// effect.
    Once,
}

/// The time limit of a call in [`ProxyOptions`](crate::ProxyOptions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// `call_timeout`.
    Call,
    /// `wait_timeout`: the call waits until the cluster has finished an operation.
    Wait,
}

/// A request and the rules of its call.
pub(crate) trait Call: TSerializable + Send + Sync {
    /// The name of the call on the wire.
    const NAME: &'static str;
    /// The retry rule.
    const RESEND: Resend;
    /// The time limit.
    const PATIENCE: Patience;
    /// The structure of the reply.
    type Reply: Reply;
}

/// A reply: a result or an exception.
pub(crate) trait Reply: TSerializable {
    /// The result of a reply without an exception.
    type Success;

    /// Returns the exception of the reply (the first, if a broken server sent several) or else the
    /// result. Returns `None` if a required result is absent.
    fn outcome(self) -> Result<Option<Self::Success>, (Exception, String)>;
}

macro_rules! calls {
    ($($name:literal ($request:ident, $reply:ident), $resend:ident, $patience:ident, $kind:ident -> $success:ty, [$($exception:ident),*];)*) => {
        $(
            impl Call for wire::$request {
                const NAME: &'static str = $name;
                const RESEND: Resend = Resend::$resend;
                const PATIENCE: Patience = Patience::$patience;
                type Reply = wire::$reply;
            }

            impl Reply for wire::$reply {
                type Success = $success;

                fn outcome(self) -> Result<Option<$success>, (Exception, String)> {
                    $(
                        if let Some(thrown) = self.$exception {
                            return Err((exception!($exception), thrown.msg.unwrap_or_default()));
                        }
                    )*
                    Ok(result!($kind, self))
                }
            }
        )*

        /// The names of all calls that have a reply.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$($name),*];
    };
}

/// Extracts the result of a call that has none, one, or one that may be absent.
macro_rules! result {
    (nothing, $reply:expr) => {
        Some(())
    };
    (value, $reply:expr) => {
        $reply.success
    };
    (maybe, $reply:expr) => {
        Some($reply.success)
    };
}

macro_rules! exception {
    (accumulo) => {
        Exception::Accumulo
    };
    (security) => {
        Exception::Security
    };
    (table_not_found) => {
        Exception::TableNotFound
    };
    (table_exists) => {
        Exception::TableExists
    };
    (mutations_rejected) => {
        Exception::MutationsRejected
    };
    (namespace_not_found) => {
        Exception::NamespaceNotFound
    };
    (namespace_exists) => {
        Exception::NamespaceExists
    };
    (namespace_not_empty) => {
        Exception::NamespaceNotEmpty
    };
    (unknown_scanner) => {
        Exception::UnknownScanner
    };
    (unknown_writer) => {
        Exception::UnknownWriter
    };
    (no_more_entries) => {
        Exception::NoMoreEntries
    };
}

#[rustfmt::skip]
calls! {
    "login" (LoginRequest, LoginReply), Read, Call, value -> Vec<u8>, [security];
    "addConstraint" (AddConstraintRequest, AddConstraintReply), Once, Call, value -> i32, [accumulo, security, table_not_found];
    "addSplits" (AddSplitsRequest, AddSplitsReply), Repeat, Wait, nothing -> (), [accumulo, security, table_not_found];
    "attachIterator" (AttachIteratorRequest, AttachIteratorReply), Once, Call, nothing -> (), [security, accumulo, table_not_found];
    "checkIteratorConflicts" (CheckIteratorConflictsRequest, CheckIteratorConflictsReply), Read, Call, nothing -> (), [security, accumulo, table_not_found];
    "clearLocatorCache" (ClearLocatorCacheRequest, ClearLocatorCacheReply), Repeat, Call, nothing -> (), [table_not_found];
    "cloneTable" (CloneTableRequest, CloneTableReply), Once, Wait, nothing -> (), [accumulo, security, table_not_found, table_exists];
    "compactTable" (CompactTableRequest, CompactTableReply), Once, Wait, nothing -> (), [security, table_not_found, accumulo];
    "cancelCompaction" (CancelCompactionRequest, CancelCompactionReply), Once, Call, nothing -> (), [security, table_not_found, accumulo];
    "createTable" (CreateTableRequest, CreateTableReply), Once, Wait, nothing -> (), [accumulo, security, table_exists];
    "deleteTable" (DeleteTableRequest, DeleteTableReply), Once, Wait, nothing -> (), [accumulo, security, table_not_found];
    "deleteRows" (DeleteRowsRequest, DeleteRowsReply), Once, Wait, nothing -> (), [accumulo, security, table_not_found];
    "exportTable" (ExportTableRequest, ExportTableReply), Once, Wait, nothing -> (), [accumulo, security, table_not_found];
    "flushTable" (FlushTableRequest, FlushTableReply), Repeat, Wait, nothing -> (), [accumulo, security, table_not_found];
    "getDiskUsage" (GetDiskUsageRequest, GetDiskUsageReply), Read, Call, value -> Vec<wire::DiskUsage>, [accumulo, security, table_not_found];
    "getLocalityGroups" (GetLocalityGroupsRequest, GetLocalityGroupsReply), Read, Call, value -> BTreeMap<String, BTreeSet<String>>, [accumulo, security, table_not_found];
    "getIteratorSetting" (GetIteratorSettingRequest, GetIteratorSettingReply), Read, Call, maybe -> Option<wire::IteratorSetting>, [accumulo, security, table_not_found];
    "getMaxRow" (GetMaxRowRequest, GetMaxRowReply), Read, Call, maybe -> Option<Vec<u8>>, [accumulo, security, table_not_found];
    "getTableProperties" (GetTablePropertiesRequest, GetTablePropertiesReply), Read, Call, value -> BTreeMap<String, String>, [accumulo, security, table_not_found];
    "importDirectory" (ImportDirectoryRequest, ImportDirectoryReply), Once, Wait, nothing -> (), [table_not_found, accumulo, security];
    "importTable" (ImportTableRequest, ImportTableReply), Once, Wait, nothing -> (), [table_exists, accumulo, security];
    "listSplits" (ListSplitsRequest, ListSplitsReply), Read, Call, value -> Vec<Vec<u8>>, [accumulo, security, table_not_found];
    "listTables" (ListTablesRequest, ListTablesReply), Read, Call, value -> BTreeSet<String>, [];
    "listIterators" (ListIteratorsRequest, ListIteratorsReply), Read, Call, value -> BTreeMap<String, BTreeSet<wire::IteratorScope>>, [accumulo, security, table_not_found];
    "listConstraints" (ListConstraintsRequest, ListConstraintsReply), Read, Call, value -> BTreeMap<String, i32>, [accumulo, security, table_not_found];
    "mergeTablets" (MergeTabletsRequest, MergeTabletsReply), Repeat, Wait, nothing -> (), [accumulo, security, table_not_found];
    "offlineTable" (OfflineTableRequest, OfflineTableReply), Repeat, Wait, nothing -> (), [accumulo, security, table_not_found];
    "onlineTable" (OnlineTableRequest, OnlineTableReply), Repeat, Wait, nothing -> (), [accumulo, security, table_not_found];
    "removeConstraint" (RemoveConstraintRequest, RemoveConstraintReply), Once, Call, nothing -> (), [accumulo, security, table_not_found];
    "removeIterator" (RemoveIteratorRequest, RemoveIteratorReply), Once, Call, nothing -> (), [accumulo, security, table_not_found];
    "removeTableProperty" (RemoveTablePropertyRequest, RemoveTablePropertyReply), Repeat, Call, nothing -> (), [accumulo, security, table_not_found];
    "renameTable" (RenameTableRequest, RenameTableReply), Once, Wait, nothing -> (), [accumulo, security, table_not_found, table_exists];
    "setLocalityGroups" (SetLocalityGroupsRequest, SetLocalityGroupsReply), Repeat, Call, nothing -> (), [accumulo, security, table_not_found];
    "setTableProperty" (SetTablePropertyRequest, SetTablePropertyReply), Repeat, Call, nothing -> (), [accumulo, security, table_not_found];
    "splitRangeByTablets" (SplitRangeByTabletsRequest, SplitRangeByTabletsReply), Read, Call, value -> BTreeSet<wire::Range>, [accumulo, security, table_not_found];
    "tableExists" (TableExistsRequest, TableExistsReply), Read, Call, value -> bool, [];
    "tableIdMap" (TableIdMapRequest, TableIdMapReply), Read, Call, value -> BTreeMap<String, String>, [];
    "testTableClassLoad" (TestTableClassLoadRequest, TestTableClassLoadReply), Read, Call, value -> bool, [accumulo, security, table_not_found];
    "pingTabletServer" (PingTabletServerRequest, PingTabletServerReply), Read, Call, nothing -> (), [accumulo, security];
    "getActiveScans" (GetActiveScansRequest, GetActiveScansReply), Read, Call, value -> Vec<wire::ActiveScan>, [accumulo, security];
    "getActiveCompactions" (GetActiveCompactionsRequest, GetActiveCompactionsReply), Read, Call, value -> Vec<wire::ActiveCompaction>, [accumulo, security];
    "getSiteConfiguration" (GetSiteConfigurationRequest, GetSiteConfigurationReply), Read, Call, value -> BTreeMap<String, String>, [accumulo, security];
    "getSystemConfiguration" (GetSystemConfigurationRequest, GetSystemConfigurationReply), Read, Call, value -> BTreeMap<String, String>, [accumulo, security];
    "getTabletServers" (GetTabletServersRequest, GetTabletServersReply), Read, Call, value -> Vec<String>, [];
    "removeProperty" (RemovePropertyRequest, RemovePropertyReply), Repeat, Call, nothing -> (), [accumulo, security];
    "setProperty" (SetPropertyRequest, SetPropertyReply), Repeat, Call, nothing -> (), [accumulo, security];
    "testClassLoad" (TestClassLoadRequest, TestClassLoadReply), Read, Call, value -> bool, [accumulo, security];
    "authenticateUser" (AuthenticateUserRequest, AuthenticateUserReply), Read, Call, value -> bool, [accumulo, security];
    "changeUserAuthorizations" (ChangeUserAuthorizationsRequest, ChangeUserAuthorizationsReply), Repeat, Call, nothing -> (), [accumulo, security];
    "changeLocalUserPassword" (ChangeLocalUserPasswordRequest, ChangeLocalUserPasswordReply), Repeat, Call, nothing -> (), [accumulo, security];
    "createLocalUser" (CreateLocalUserRequest, CreateLocalUserReply), Once, Call, nothing -> (), [accumulo, security];
    "dropLocalUser" (DropLocalUserRequest, DropLocalUserReply), Once, Call, nothing -> (), [accumulo, security];
    "getUserAuthorizations" (GetUserAuthorizationsRequest, GetUserAuthorizationsReply), Read, Call, value -> Vec<Vec<u8>>, [accumulo, security];
    "grantSystemPermission" (GrantSystemPermissionRequest, GrantSystemPermissionReply), Repeat, Call, nothing -> (), [accumulo, security];
    "grantTablePermission" (GrantTablePermissionRequest, GrantTablePermissionReply), Repeat, Call, nothing -> (), [accumulo, security, table_not_found];
    "hasSystemPermission" (HasSystemPermissionRequest, HasSystemPermissionReply), Read, Call, value -> bool, [accumulo, security];
    "hasTablePermission" (HasTablePermissionRequest, HasTablePermissionReply), Read, Call, value -> bool, [accumulo, security, table_not_found];
    "listLocalUsers" (ListLocalUsersRequest, ListLocalUsersReply), Read, Call, value -> BTreeSet<String>, [accumulo, security, table_not_found];
    "revokeSystemPermission" (RevokeSystemPermissionRequest, RevokeSystemPermissionReply), Repeat, Call, nothing -> (), [accumulo, security];
    "revokeTablePermission" (RevokeTablePermissionRequest, RevokeTablePermissionReply), Repeat, Call, nothing -> (), [accumulo, security, table_not_found];
    "grantNamespacePermission" (GrantNamespacePermissionRequest, GrantNamespacePermissionReply), Repeat, Call, nothing -> (), [accumulo, security];
    "hasNamespacePermission" (HasNamespacePermissionRequest, HasNamespacePermissionReply), Read, Call, value -> bool, [accumulo, security];
    "revokeNamespacePermission" (RevokeNamespacePermissionRequest, RevokeNamespacePermissionReply), Repeat, Call, nothing -> (), [accumulo, security];
    "createBatchScanner" (CreateBatchScannerRequest, CreateBatchScannerReply), Read, Call, value -> String, [accumulo, security, table_not_found];
    "createScanner" (CreateScannerRequest, CreateScannerReply), Read, Call, value -> String, [accumulo, security, table_not_found];
    "hasNext" (HasNextRequest, HasNextReply), Read, Call, value -> bool, [unknown_scanner];
    "nextEntry" (NextEntryRequest, NextEntryReply), Once, Call, value -> wire::KeyValueAndPeek, [no_more_entries, unknown_scanner, security];
    "nextK" (NextKRequest, NextKReply), Once, Call, value -> wire::ScanResult, [no_more_entries, unknown_scanner, security];
    "closeScanner" (CloseScannerRequest, CloseScannerReply), Repeat, Call, nothing -> (), [unknown_scanner];
    "updateAndFlush" (UpdateAndFlushRequest, UpdateAndFlushReply), Once, Call, nothing -> (), [accumulo, security, table_not_found, mutations_rejected];
    "createWriter" (CreateWriterRequest, CreateWriterReply), Read, Call, value -> String, [accumulo, security, table_not_found];
    "flush" (FlushRequest, FlushReply), Once, Wait, nothing -> (), [unknown_writer, mutations_rejected];
    "closeWriter" (CloseWriterRequest, CloseWriterReply), Once, Wait, nothing -> (), [unknown_writer, mutations_rejected];
    "updateRowConditionally" (UpdateRowConditionallyRequest, UpdateRowConditionallyReply), Once, Call, value -> wire::ConditionalStatus, [accumulo, security, table_not_found];
    "createConditionalWriter" (CreateConditionalWriterRequest, CreateConditionalWriterReply), Read, Call, value -> String, [accumulo, security, table_not_found];
    "updateRowsConditionally" (UpdateRowsConditionallyRequest, UpdateRowsConditionallyReply), Once, Call, value -> BTreeMap<Vec<u8>, wire::ConditionalStatus>, [unknown_writer, accumulo, security];
    "closeConditionalWriter" (CloseConditionalWriterRequest, CloseConditionalWriterReply), Repeat, Call, nothing -> (), [];
    "getRowRange" (GetRowRangeRequest, GetRowRangeReply), Read, Call, value -> wire::Range, [];
    "getFollowing" (GetFollowingRequest, GetFollowingReply), Read, Call, value -> wire::Key, [];
    "systemNamespace" (SystemNamespaceRequest, SystemNamespaceReply), Read, Call, value -> String, [];
    "defaultNamespace" (DefaultNamespaceRequest, DefaultNamespaceReply), Read, Call, value -> String, [];
    "listNamespaces" (ListNamespacesRequest, ListNamespacesReply), Read, Call, value -> Vec<String>, [accumulo, security];
    "namespaceExists" (NamespaceExistsRequest, NamespaceExistsReply), Read, Call, value -> bool, [accumulo, security];
    "createNamespace" (CreateNamespaceRequest, CreateNamespaceReply), Once, Wait, nothing -> (), [accumulo, security, namespace_exists];
    "deleteNamespace" (DeleteNamespaceRequest, DeleteNamespaceReply), Once, Wait, nothing -> (), [accumulo, security, namespace_not_found, namespace_not_empty];
    "renameNamespace" (RenameNamespaceRequest, RenameNamespaceReply), Once, Wait, nothing -> (), [accumulo, security, namespace_not_found, namespace_exists];
    "setNamespaceProperty" (SetNamespacePropertyRequest, SetNamespacePropertyReply), Repeat, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "removeNamespaceProperty" (RemoveNamespacePropertyRequest, RemoveNamespacePropertyReply), Repeat, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "getNamespaceProperties" (GetNamespacePropertiesRequest, GetNamespacePropertiesReply), Read, Call, value -> BTreeMap<String, String>, [accumulo, security, namespace_not_found];
    "namespaceIdMap" (NamespaceIdMapRequest, NamespaceIdMapReply), Read, Call, value -> BTreeMap<String, String>, [accumulo, security];
    "attachNamespaceIterator" (AttachNamespaceIteratorRequest, AttachNamespaceIteratorReply), Once, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "removeNamespaceIterator" (RemoveNamespaceIteratorRequest, RemoveNamespaceIteratorReply), Once, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "getNamespaceIteratorSetting" (GetNamespaceIteratorSettingRequest, GetNamespaceIteratorSettingReply), Read, Call, maybe -> Option<wire::IteratorSetting>, [accumulo, security, namespace_not_found];
    "listNamespaceIterators" (ListNamespaceIteratorsRequest, ListNamespaceIteratorsReply), Read, Call, value -> BTreeMap<String, BTreeSet<wire::IteratorScope>>, [accumulo, security, namespace_not_found];
    "checkNamespaceIteratorConflicts" (CheckNamespaceIteratorConflictsRequest, CheckNamespaceIteratorConflictsReply), Read, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "addNamespaceConstraint" (AddNamespaceConstraintRequest, AddNamespaceConstraintReply), Once, Call, value -> i32, [accumulo, security, namespace_not_found];
    "removeNamespaceConstraint" (RemoveNamespaceConstraintRequest, RemoveNamespaceConstraintReply), Once, Call, nothing -> (), [accumulo, security, namespace_not_found];
    "listNamespaceConstraints" (ListNamespaceConstraintsRequest, ListNamespaceConstraintsReply), Read, Call, value -> BTreeMap<String, i32>, [accumulo, security, namespace_not_found];
    "testNamespaceClassLoad" (TestNamespaceClassLoadRequest, TestNamespaceClassLoadReply), Read, Call, value -> bool, [accumulo, security, namespace_not_found];}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_all_calls_of_the_service() {
        // `update` is the one call without a reply.
        assert_eq!(NAMES.len() + 1, 100);
    }

    #[test]
    fn sends_calls_that_are_not_idempotent_once() {
        assert_eq!(wire::UpdateRowsConditionallyRequest::RESEND, Resend::Once);
        assert_eq!(wire::UpdateAndFlushRequest::RESEND, Resend::Once);
        assert_eq!(wire::NextKRequest::RESEND, Resend::Once);
        assert_eq!(wire::DeleteRowsRequest::RESEND, Resend::Once);
        // A second compaction applies the iterators again, and a second cancellation may cancel a
        // compaction that another client started.
        assert_eq!(wire::CompactTableRequest::RESEND, Resend::Once);
        assert_eq!(wire::CancelCompactionRequest::RESEND, Resend::Once);
        assert_eq!(wire::AddSplitsRequest::RESEND, Resend::Repeat);
        assert_eq!(wire::ListSplitsRequest::RESEND, Resend::Read);
    }
}
