//! The arguments and results of calls.

mod activity;
mod conditional_writer_options;
mod iterator;
mod key;
mod mutation;
mod permission;
mod range;
mod scan_options;

pub use activity::{
    ActiveCompaction, ActiveScan, CompactionReason, CompactionType, DiskUsage, KeyExtent,
    ScanState, ScanType,
};
pub use bytes::Bytes;
pub use conditional_writer_options::ConditionalWriterOptions;
pub use iterator::{IteratorScope, IteratorSetting, Plugin};
pub use key::{Column, Entry, Key, NextBatch, PartialKey};
pub use mutation::{
    Change, ColumnUpdate, Condition, ConditionalMutation, ConditionalOutcome, Durability, Mutation,
    TimeType,
};
pub use permission::{NamespacePermission, SystemPermission, TablePermission};
pub use range::{Range, ScanColumn};
pub use scan_options::{BatchScanOptions, ScanOptions};
