//! The enumerations and structures in the arguments and results of calls.

use std::collections::{BTreeMap, BTreeSet};

use super::structure::{enumerations, structures};

enumerations! {
    PartialKey {
        ROW = 0,
        ROW_COLFAM = 1,
        ROW_COLFAM_COLQUAL = 2,
        ROW_COLFAM_COLQUAL_COLVIS = 3,
        ROW_COLFAM_COLQUAL_COLVIS_TIME = 4,
        ROW_COLFAM_COLQUAL_COLVIS_TIME_DEL = 5,
    }

    TablePermission {
        READ = 2,
        WRITE = 3,
        BULK_IMPORT = 4,
        ALTER_TABLE = 5,
        GRANT = 6,
        DROP_TABLE = 7,
    }

    SystemPermission {
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

    NamespacePermission {
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

    ScanType {
        SINGLE = 0,
        BATCH = 1,
    }

    ScanState {
        IDLE = 0,
        RUNNING = 1,
        QUEUED = 2,
    }

    ConditionalStatus {
        ACCEPTED = 0,
        REJECTED = 1,
        VIOLATED = 2,
        UNKNOWN = 3,
        INVISIBLE_VISIBILITY = 4,
    }

    Durability {
        DEFAULT = 0,
        NONE = 1,
        LOG = 2,
        FLUSH = 3,
        SYNC = 4,
    }

    CompactionType {
        MINOR = 0,
        MERGE = 1,
        MAJOR = 2,
        FULL = 3,
    }

    CompactionReason {
        USER = 0,
        SYSTEM = 1,
        CHOP = 2,
        IDLE = 3,
        CLOSE = 4,
    }

    IteratorScope {
        MINC = 0,
        MAJC = 1,
        SCAN = 2,
    }

    TimeType {
        LOGICAL = 0,
        MILLIS = 1,
    }
}

structures! {
    Key {
        1: row: Vec<u8>,
        2: col_family: Vec<u8>,
        3: col_qualifier: Vec<u8>,
        4: col_visibility: Vec<u8>,
        5: timestamp: i64,
    }

    ColumnUpdate {
        1: col_family: Vec<u8>,
        2: col_qualifier: Vec<u8>,
        3: col_visibility: Vec<u8>,
        4: timestamp: i64,
        5: value: Vec<u8>,
        6: delete_cell: bool,
    }

    DiskUsage {
        1: tables: Vec<String>,
        2: usage: i64,
    }

    KeyValue {
        1: key: Key,
        2: value: Vec<u8>,
    }

    ScanResult {
        1: results: Vec<KeyValue>,
        2: more: bool,
    }

    Range {
        1: start: Key,
        2: start_inclusive: bool,
        3: stop: Key,
        4: stop_inclusive: bool,
    }

    ScanColumn {
        1: col_family: Vec<u8>,
        2: col_qualifier: Vec<u8>,
    }

    IteratorSetting {
        1: priority: i32,
        2: name: String,
        3: iterator_class: String,
        4: properties: BTreeMap<String, String>,
    }

    ScanOptions {
        1: authorizations: BTreeSet<Vec<u8>>,
        2: range: Range,
        3: columns: Vec<ScanColumn>,
        4: iterators: Vec<IteratorSetting>,
        5: buffer_size: i32,
    }

    BatchScanOptions {
        1: authorizations: BTreeSet<Vec<u8>>,
        2: ranges: Vec<Range>,
        3: columns: Vec<ScanColumn>,
        4: iterators: Vec<IteratorSetting>,
        5: threads: i32,
    }

    KeyValueAndPeek {
        1: key_value: KeyValue,
        2: has_next: bool,
    }

    KeyExtent {
        1: table_id: String,
        2: end_row: Vec<u8>,
        3: prev_end_row: Vec<u8>,
    }

    Column {
        1: col_family: Vec<u8>,
        2: col_qualifier: Vec<u8>,
        3: col_visibility: Vec<u8>,
    }

    Condition {
        1: column: Column,
        2: timestamp: i64,
        3: value: Vec<u8>,
        4: iterators: Vec<IteratorSetting>,
    }

    ConditionalUpdates {
        2: conditions: Vec<Condition>,
        3: updates: Vec<ColumnUpdate>,
    }

    ConditionalWriterOptions {
        1: max_memory: i64,
        2: timeout_ms: i64,
        3: threads: i32,
        4: authorizations: BTreeSet<Vec<u8>>,
        5: durability: Durability,
    }

    ActiveScan {
        1: client: String,
        2: user: String,
        3: table: String,
        4: age: i64,
        5: idle_time: i64,
        6: type_: ScanType,
        7: state: ScanState,
        8: extent: KeyExtent,
        9: columns: Vec<Column>,
        10: iterators: Vec<IteratorSetting>,
        11: authorizations: Vec<Vec<u8>>,
    }

    ActiveCompaction {
        1: extent: KeyExtent,
        2: age: i64,
        3: input_files: Vec<String>,
        4: output_file: String,
        5: type_: CompactionType,
        6: reason: CompactionReason,
        7: locality_group: String,
        8: entries_read: i64,
        9: entries_written: i64,
        10: iterators: Vec<IteratorSetting>,
    }

    PluginConfig {
        1: class_name: String,
        2: options: BTreeMap<String, String>,
    }

    Thrown {
        1: msg: String,
    }
}
