//! The numbers of the values and fields in the arguments and results of calls.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::structure::{enumerations, message, structure};
use crate::data::{
    ActiveCompaction, ActiveScan, Column, CompactionReason, CompactionType, DiskUsage, Durability,
    Entry, IteratorScope, IteratorSetting, Key, KeyExtent, NamespacePermission, NextBatch,
    PartialKey, Plugin, Range, ScanColumn, ScanState, ScanType, SystemPermission, TablePermission,
    TimeType,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum ConditionalStatus {
    Accepted,
    Rejected,
    Violated,
    Unknown,
    InvisibleVisibility,
}

/// An entry, and whether there is another after it.
#[derive(Clone, Debug)]
pub(crate) struct KeyValueAndPeek {
    pub(crate) entry: Entry,
    pub(crate) has_next: bool,
}

enumerations! {
    PartialKey {
        Row = 0, RowFamily = 1, RowFamilyQualifier = 2, RowFamilyQualifierVisibility = 3,
        RowFamilyQualifierVisibilityTime = 4, All = 5,
    }
    TablePermission {
        Read = 2, Write = 3, BulkImport = 4, AlterTable = 5, Grant = 6, DropTable = 7,
    }
    SystemPermission {
        Grant = 0, CreateTable = 1, DropTable = 2, AlterTable = 3, CreateUser = 4, DropUser = 5,
        AlterUser = 6, System = 7, CreateNamespace = 8, DropNamespace = 9, AlterNamespace = 10,
        ObtainDelegationToken = 11,
    }
    NamespacePermission {
        Read = 0, Write = 1, AlterNamespace = 2, Grant = 3, AlterTable = 4, CreateTable = 5,
        DropTable = 6, BulkImport = 7, DropNamespace = 8,
    }
    ScanType { Single = 0, Batch = 1 }
    ScanState { Idle = 0, Running = 1, Queued = 2 }
    ConditionalStatus {
        Accepted = 0, Rejected = 1, Violated = 2, Unknown = 3, InvisibleVisibility = 4,
    }
    Durability { Default = 0, None = 1, Log = 2, Flush = 3, Sync = 4 }
    CompactionType { Minor = 0, Merge = 1, Major = 2, Full = 3 }
    CompactionReason { User = 0, System = 1, Chop = 2, Idle = 3, Close = 4 }
    IteratorScope { MinorCompaction = 0, MajorCompaction = 1, Scan = 2 }
    TimeType { Logical = 0, Millis = 1 }
}

structure! { Key {
    1: row, 2: family = Bytes::new(), 3: qualifier = Bytes::new(), 4: visibility = Bytes::new(),
    // An absent timestamp means the latest one.
    5: timestamp = i64::MAX,
} }
structure! { Entry { 1: key, 2: value = Bytes::new() } }
structure! { Range {
    1: start, 2: start_inclusive = false, 3: stop, 4: stop_inclusive = false,
} }
structure! { ScanColumn { 1: family, 2: qualifier } }
structure! { Column {
    1: family = Bytes::new(), 2: qualifier = Bytes::new(), 3: visibility = Bytes::new(),
} }
structure! { IteratorSetting {
    1: priority, 2: name, 3: class, 4: options = Default::default(),
} }
structure! { Plugin { 1: class, 2: options } }
structure! { DiskUsage { 1: tables = Vec::new(), 2: bytes = 0 } }
structure! { KeyExtent { 1: table_id, 2: end_row, 3: previous_end_row } }
structure! { ActiveScan {
    1: client = String::new(), 2: user = String::new(), 3: table = String::new(), 4: age_ms = 0,
    5: idle_ms = 0, 6: scan_type, 7: state, 8: extent, 9: columns = Vec::new(),
    10: iterators = Vec::new(), 11: authorizations = Vec::new(),
} }
structure! { ActiveCompaction {
    1: extent, 2: age_ms = 0, 3: input_files = Vec::new(), 4: output_file = String::new(),
    5: compaction_type, 6: reason, 7: locality_group = String::new(), 8: entries_read = 0,
    9: entries_written = 0, 10: iterators = Vec::new(),
} }
structure! { NextBatch { 1: entries, 2: more } }
structure! { KeyValueAndPeek { 1: entry, 2: has_next } }

message! { ColumnUpdate {
    1: family: Bytes, 2: qualifier: Bytes, 3: visibility: Bytes, 4: timestamp: i64,
    5: value: Bytes, 6: delete_cell: bool,
} }
message! { Condition {
    1: column: Column, 2: timestamp: i64, 3: value: Bytes, 4: iterators: Vec<IteratorSetting>,
} }
message! { ConditionalUpdates {
    2: conditions: Vec<Condition>, 3: updates: Vec<ColumnUpdate>,
} }
message! { ScanOptions {
    1: authorizations: BTreeSet<Bytes>, 2: range: Range, 3: columns: Vec<ScanColumn>,
    4: iterators: Vec<IteratorSetting>, 5: buffer_size: i32,
} }
message! { BatchScanOptions {
    1: authorizations: BTreeSet<Bytes>, 2: ranges: Vec<Range>, 3: columns: Vec<ScanColumn>,
    4: iterators: Vec<IteratorSetting>, 5: threads: i32,
} }
message! { ConditionalWriterOptions {
    1: max_memory: i64, 2: timeout_ms: i64, 3: threads: i32, 4: authorizations: BTreeSet<Bytes>,
    5: durability: Durability,
} }
message! { Thrown { 1: message: String } }
