//! The current activity of the servers.

use bytes::Bytes;

use super::{Column, IteratorSetting};

/// A tablet: the rows after `previous_end_row`, up to and including `end_row`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyExtent {
    /// The id of the table.
    pub table_id: String,
    /// The last row; `None` for the last tablet of the table.
    pub end_row: Option<Bytes>,
    /// The last row of the tablet before; `None` for the first tablet of the table.
    pub previous_end_row: Option<Bytes>,
}

/// A scan that runs on a tablet server, or is kept there between two batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveScan {
    /// The address and port of the client.
    pub client: String,
    /// The user.
    pub user: String,
    /// The table.
    pub table: String,
    /// The age of the scan, in milliseconds.
    pub age_ms: i64,
    /// The time since the scan was last read, in milliseconds.
    pub idle_ms: i64,
    /// The type of the scan.
    pub scan_type: ScanType,
    /// The current state.
    pub state: ScanState,
    /// The tablet.
    pub extent: Option<KeyExtent>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The iterators of the scan.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations of the scan.
    pub authorizations: Vec<Bytes>,
}

/// The type of a scan: one range or many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanType {
    /// A scan by a scanner.
    Single,
    /// A scan by a batch scanner.
    Batch,
}

/// The current state of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanState {
    /// Waiting for the next read.
    Idle,
    /// Reading.
    Running,
    /// Waiting for a thread.
    Queued,
}

/// A compaction that runs on a tablet server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveCompaction {
    /// The tablet.
    pub extent: Option<KeyExtent>,
    /// The run time so far, in milliseconds.
    pub age_ms: i64,
    /// The input files.
    pub input_files: Vec<String>,
    /// The output file.
    pub output_file: String,
    /// The type of the compaction.
    pub compaction_type: CompactionType,
    /// The reason for the compaction.
    pub reason: CompactionReason,
    /// The locality group that is being compacted; empty for the default group.
    pub locality_group: String,
    /// Entries read so far.
    pub entries_read: i64,
    /// Entries written so far.
    pub entries_written: i64,
    /// The iterators of the compaction.
    pub iterators: Vec<IteratorSetting>,
}

/// The input of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompactionType {
    /// Memory, to a file.
    Minor,
    /// Memory and a small file, to a file.
    Merge,
    /// Some files.
    Major,
    /// All files.
    Full,
}

/// The reason for a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompactionReason {
    /// A request by a user.
    User,
    /// A decision of the system.
    System,
    /// An upcoming merge of tablets.
    Chop,
    /// An idle tablet.
    Idle,
    /// A tablet that is about to be closed.
    Close,
}

/// The disk space of tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiskUsage {
    /// The tables that share these bytes.
    pub tables: Vec<String>,
    /// The disk space in bytes.
    pub bytes: i64,
}
