//! The table of calls, by group. `declare!` explains its form.
//!
//! Four calls of the proxy are not in the table: `createWriter`, `update`, `flush` and
//! `closeWriter`. `update` has no reply, so a writer of the proxy loses writes without an error.

mod client;
mod handles;
mod instance;
mod namespaces;
mod tables;
mod users;

pub(crate) use client::client_calls;
pub(crate) use handles::handle_calls;
pub(crate) use instance::instance_calls;
pub(crate) use namespaces::namespace_calls;
pub(crate) use tables::table_calls;
pub(crate) use users::user_calls;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::call::{Call, Patience, Resend, declare};
use super::data::{
    BatchScanOptions, ColumnUpdate, ConditionalStatus, ConditionalUpdates,
    ConditionalWriterOptions, KeyValueAndPeek, ScanOptions,
};
use crate::data::{
    ActiveCompaction, ActiveScan, DiskUsage, IteratorScope, IteratorSetting, Key,
    NamespacePermission, NextBatch, PartialKey, Plugin, Range, SystemPermission, TablePermission,
    TimeType,
};
use crate::error::ErrorKind;

client_calls!(declare);
table_calls!(declare);
namespace_calls!(declare);
user_calls!(declare);
instance_calls!(declare);
handle_calls!(declare);
