//! A client of Apache Accumulo through its Thrift proxy.

mod client;
mod convert;
mod data;
mod dialect;
mod error;
mod operations;
mod settings;
#[cfg(feature = "tls")]
mod tls;
mod wire;

pub use client::ProxyClient;
pub use data::{
    ActiveCompaction, ActiveScan, Bytes, Change, ColumnUpdate, CompactionReason, CompactionType,
    Condition, ConditionalMutation, ConditionalStatus, DiskUsage, Durability, Entry, IteratorScope,
    IteratorSetting, Key, KeyExtent, Mutation, NamespacePermission, PartialKey, Range, ScanColumn,
    ScanState, ScanType, SystemPermission, TablePermission, TimeType,
};
pub use dialect::{CompactionPlan, Credentials, Plugin};
pub use error::{Error, ErrorKind, Result};
pub use operations::TableOperations;
pub use settings::{Protocol, Retry, Settings};
#[cfg(feature = "tls")]
pub use tls::{ClientCertificate, Tls, TlsError};
