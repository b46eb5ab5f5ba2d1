//! Calls on scanners and writers by their handles.

use std::collections::BTreeMap;

#[cfg(test)]
use super::Group;
use super::call::{Call, Exception, Patience, Reply, Resend};
use super::call::{declare, exception, result, success};
use super::data::{
    BatchScanOptions, ColumnUpdate, ConditionalStatus, ConditionalUpdates,
    ConditionalWriterOptions, KeyValueAndPeek, ScanOptions, ScanResult, Thrown,
};

#[rustfmt::skip]
macro_rules! handle_calls { ($then:ident) => { $then! {
    "Scanners and writers by their handles", LowLevel<'_>;

    by hand create_batch_scanner;
    "createBatchScanner" (CreateBatchScannerRequest, CreateBatchScannerReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: BatchScanOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];

    by hand create_scanner;
    "createScanner" (CreateScannerRequest, CreateScannerReply), Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: ScanOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];

    /// Checks whether there is another entry.
    fn has_next(scanner: &ScannerHandle) -> bool, about scanner;
    "hasNext" (HasNextRequest, HasNextReply), Read, Call,
        { 1: scanner: String }
        -> value(bool), [1: unknown_scanner];

    /// Returns the next entry, and whether there is another after it.
    fn next_entry(scanner: &ScannerHandle) -> (Entry, bool), about scanner;
    "nextEntry" (NextEntryRequest, NextEntryReply), Once, Call,
        { 1: scanner: String }
        -> value(KeyValueAndPeek), [1: no_more_entries, 2: unknown_scanner, 3: security];

    /// Returns the next entries, at most `k`.
    fn next_k(scanner: &ScannerHandle, k: i32) -> NextBatch, about scanner;
    "nextK" (NextKRequest, NextKReply), Once, Call,
        { 1: scanner: String, 2: k: i32 }
        -> value(ScanResult), [1: no_more_entries, 2: unknown_scanner, 3: security];

    /// Closes a scanner or batch scanner.
    fn close_scanner(scanner: &ScannerHandle) -> (), about scanner;
    "closeScanner" (CloseScannerRequest, CloseScannerReply), Repeat, Call,
        { 1: scanner: String }
        -> nothing, [1: unknown_scanner];

    by hand update_and_flush;
    "updateAndFlush" (UpdateAndFlushRequest, UpdateAndFlushReply), Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: cells: BTreeMap<Vec<u8>, Vec<ColumnUpdate>> }
        -> nothing, [1: accumulo, 2: security, 3: table_not_found, 4: mutations_rejected];

    /// Writes a mutation if its conditions hold, with a separate writer.
    fn update_row_conditionally(
        table: &str, mutation: &ConditionalMutation
    ) -> ConditionalOutcome, about table,
        as [table.to_owned(), mutation.row.to_vec(), mutation.to_wire()];
    "updateRowConditionally" (UpdateRowConditionallyRequest, UpdateRowConditionallyReply),
        Once, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: row: Vec<u8>,
          4: updates: ConditionalUpdates }
        -> value(ConditionalStatus), [1: accumulo, 2: security, 3: table_not_found];

    by hand create_conditional_writer;
    "createConditionalWriter" (CreateConditionalWriterRequest, CreateConditionalWriterReply),
        Read, Call,
        { 1: token: Vec<u8>, 2: table_name: String, 3: options: ConditionalWriterOptions }
        -> value(String), [1: accumulo, 2: security, 3: table_not_found];

    by hand update_rows_conditionally;
    "updateRowsConditionally" (UpdateRowsConditionallyRequest, UpdateRowsConditionallyReply),
        Once, Call,
        { 1: conditional_writer: String, 2: updates: BTreeMap<Vec<u8>, ConditionalUpdates> }
        -> value(BTreeMap<Vec<u8>, ConditionalStatus>),
           [1: unknown_writer, 2: accumulo, 3: security];

    /// Closes a conditional writer. Succeeds also if the proxy does not have the writer.
    fn close_conditional_writer(writer: &ConditionalWriterHandle) -> (), about writer;
    "closeConditionalWriter" (CloseConditionalWriterRequest, CloseConditionalWriterReply),
        Repeat, Call,
        { 1: conditional_writer: String }
        -> nothing, [];
} } }

pub(crate) use handle_calls;

handle_calls!(declare);
