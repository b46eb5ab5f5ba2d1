//! What the servers are doing.

use bytes::Bytes;

use super::IteratorSetting;

/// A tablet: the rows after `previous_end_row`, up to and including `end_row`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyExtent {
    /// Id of the table.
    pub table_id: String,
    /// Last row; none is the end of the table.
    pub end_row: Option<Bytes>,
    /// Last row of the tablet before; none where there is none.
    pub previous_end_row: Option<Bytes>,
}

/// A scan that runs on a tablet server, or is kept there between two batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveScan {
    /// Who asked: address and port.
    pub client: String,
    /// The user.
    pub user: String,
    /// The table.
    pub table: String,
    /// How long it has been there, in milliseconds.
    pub age_ms: i64,
    /// How long it has not been read, in milliseconds.
    pub idle_ms: i64,
    /// Of one range or of many.
    pub scan_type: ScanType,
    /// What it does at present.
    pub state: ScanState,
    /// The tablet.
    pub extent: Option<KeyExtent>,
    /// The columns: family, qualifier and visibility.
    pub columns: Vec<(Bytes, Bytes, Bytes)>,
    /// Its iterators.
    pub iterators: Vec<IteratorSetting>,
    /// The authorizations that it reads with.
    pub authorizations: Vec<Bytes>,
}

/// Of one range or of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanType {
    /// A scanner's.
    Single,
    /// A batch scanner's.
    Batch,
}

/// What a scan does at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanState {
    /// Waits to be read.
    Idle,
    /// Reads.
    Running,
    /// Waits for a thread.
    Queued,
}

/// A compaction that runs on a tablet server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveCompaction {
    /// The tablet.
    pub extent: Option<KeyExtent>,
    /// How long it has run, in milliseconds.
    pub age_ms: i64,
    /// The files that it reads.
    pub input_files: Vec<String>,
    /// The file that it writes.
    pub output_file: String,
    /// What is compacted.
    pub compaction_type: CompactionType,
    /// Why.
    pub reason: CompactionReason,
    /// The locality group at which it is; empty is the default one.
    pub locality_group: String,
    /// Entries read so far.
    pub entries_read: i64,
    /// Entries written so far.
    pub entries_written: i64,
    /// Its iterators.
    pub iterators: Vec<IteratorSetting>,
}

/// What a compaction compacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompactionType {
    /// Memory to a file.
    Minor,
    /// Memory and a small file to a file.
    Merge,
    /// Some files.
    Major,
    /// All files.
    Full,
}

/// Why a compaction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompactionReason {
    /// A user asked for it.
    User,
    /// The system found it useful.
    System,
    /// Tablets are to be merged.
    Chop,
    /// The tablet was idle.
    Idle,
    /// The tablet is to be closed.
    Close,
}

/// The bytes that tables take on disk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiskUsage {
    /// The tables that share these bytes.
    pub tables: Vec<String>,
    /// Bytes.
    pub bytes: i64,
}
