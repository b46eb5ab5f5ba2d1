//! A client of Apache Accumulo through its Thrift proxy.

mod client;
mod convert;
mod data;
mod dialect;
mod error;
mod operations;
mod scan;
mod settings;
#[cfg(feature = "tls")]
mod tls;
mod wire;
mod write;

pub use client::ProxyClient;
pub use data::{
    ActiveCompaction, ActiveScan, Bytes, Change, ColumnUpdate, CompactionReason, CompactionType,
    Condition, ConditionalMutation, DiskUsage, Durability, Entry, IteratorScope, IteratorSetting,
    Key, KeyExtent, Mutation, NamespacePermission, PartialKey, Range, ScanColumn, ScanState,
    ScanType, SystemPermission, TablePermission, TimeType,
};
pub use dialect::{CompactionPlan, Credentials, Plugin};
pub use error::{Error, ErrorKind, Result};
pub use operations::{
    CloneOptions, Compaction, ConditionalWriterHandle, InstanceOperations, LowLevel,
    NamespaceOperations, NextBatch, ScannerHandle, SecurityOperations, ServerWriter,
    TableOperations, WriterHandle, WriterOptions,
};
pub use scan::{BatchScanOptions, BatchScanner, ScanOptions, Scanner};
pub use settings::{Protocol, Retry, Settings};
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsError};
pub use write::{
    BatchWriter, BatchWriterOptions, ConditionalOutcome, ConditionalWriter,
    ConditionalWriterOptions,
};
