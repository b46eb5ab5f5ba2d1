//! Calls on scanners and writers by their handles.

#[rustfmt::skip]
macro_rules! handle_calls { ($then:ident) => { $then! {
    HANDLES, "Scanners and writers by their handles", LowLevel<'_>;

    /// Opens a batch scanner. The proxy always includes the start of each range and excludes its
    /// stop, regardless of the range.
    fn create_batch_scanner(table: &str, options: &BatchScanOptions) -> ScannerHandle, about table;
    "createBatchScanner" (CreateBatchScannerRequest, CreateBatchScannerReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: options: BatchScanOptions }
        -> value(String), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Opens a scanner.
    fn create_scanner(table: &str, options: &ScanOptions) -> ScannerHandle, about table;
    "createScanner" (CreateScannerRequest, CreateScannerReply), Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: options: ScanOptions }
        -> value(String), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Checks whether there is another entry.
    fn has_next(scanner: &ScannerHandle) -> bool, about scanner;
    "hasNext" (HasNextRequest, HasNextReply), Read, Call, { 1: scanner: String }
        -> value(bool), [1: UnknownScanner];

    /// Returns the next entry, and whether there is another after it.
    fn next_entry(scanner: &ScannerHandle) -> (Entry, bool), about scanner;
    "nextEntry" (NextEntryRequest, NextEntryReply), Once, Call, { 1: scanner: String }
        -> value(KeyValueAndPeek), [1: NoMoreEntries, 2: UnknownScanner, 3: Security];

    /// Returns the next entries, at most `k`.
    fn next_k(scanner: &ScannerHandle, k: i32) -> NextBatch, about scanner;
    "nextK" (NextKRequest, NextKReply), Once, Call, { 1: scanner: String, 2: k: i32 }
        -> value(NextBatch), [1: NoMoreEntries, 2: UnknownScanner, 3: Security];

    /// Closes a scanner or batch scanner.
    fn close_scanner(scanner: &ScannerHandle) -> (), about scanner;
    "closeScanner" (CloseScannerRequest, CloseScannerReply), Repeat, Call, { 1: scanner: String }
        -> nothing, [1: UnknownScanner];

    by hand update_and_flush;
    "updateAndFlush" (UpdateAndFlushRequest, UpdateAndFlushReply), Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: cells: BTreeMap<Bytes, Vec<ColumnUpdate>> }
        -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound, 4: MutationsRejected];

    /// Writes a mutation if its conditions hold, with a separate writer.
    fn update_row_conditionally(
        table: &str, mutation: &ConditionalMutation
    ) -> ConditionalOutcome, about table,
        as [table.to_owned(), mutation.row.clone(), mutation.to_wire()];
    "updateRowConditionally" (UpdateRowConditionallyRequest, UpdateRowConditionallyReply),
        Once, Call,
        { 1: token: Bytes, 2: table_name: String, 3: row: Bytes,
          4: updates: ConditionalUpdates }
        -> value(ConditionalStatus), [1: Accumulo, 2: Security, 3: TableNotFound];

    /// Opens a conditional writer.
    fn create_conditional_writer(
        table: &str, options: &ConditionalWriterOptions
    ) -> ConditionalWriterHandle, about table;
    "createConditionalWriter" (CreateConditionalWriterRequest, CreateConditionalWriterReply),
        Read, Call,
        { 1: token: Bytes, 2: table_name: String, 3: options: ConditionalWriterOptions }
        -> value(String), [1: Accumulo, 2: Security, 3: TableNotFound];

    by hand update_rows_conditionally;
    "updateRowsConditionally" (UpdateRowsConditionallyRequest, UpdateRowsConditionallyReply),
        Once, Call,
        { 1: conditional_writer: String, 2: updates: BTreeMap<Bytes, ConditionalUpdates> }
        -> value(BTreeMap<Bytes, ConditionalStatus>),
           [1: UnknownWriter, 2: Accumulo, 3: Security];

    /// Closes a conditional writer. Succeeds also if the proxy does not have the writer.
    fn close_conditional_writer(writer: &ConditionalWriterHandle) -> (), about writer;
    "closeConditionalWriter" (CloseConditionalWriterRequest, CloseConditionalWriterReply),
        Repeat, Call,
        { 1: conditional_writer: String } -> nothing, [];
} } }

pub(crate) use handle_calls;
