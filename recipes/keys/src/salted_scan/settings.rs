//! The settings of a merge.

/// The treatment of a stored key that the design cannot have made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownKeys {
    /// The scan ends with an error that names the key.
    #[default]
    Refuse,
    /// The key is skipped and [counted](crate::SaltedRows::skipped).
    Skip,
}

/// The limits of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MergeSettings {
    pub(super) limit: Option<u64>,
    pub(super) memory_bytes: usize,
    pub(super) open_scans: usize,
    pub(super) concurrent_reads: usize,
    pub(super) foreign: UnknownKeys,
}

impl Default for MergeSettings {
    fn default() -> Self {
        Self {
            limit: None,
            memory_bytes: 64 << 20,
            open_scans: 256,
            concurrent_reads: 4,
            foreign: UnknownKeys::default(),
        }
    }
}
