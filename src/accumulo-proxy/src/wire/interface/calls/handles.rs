//! Calls on scanners and writers by their handles.

#[rustfmt::skip]
macro_rules! handle_calls { ($then:ident) => { $then! {
    LowLevel<'_>;

    /// Opens a batch scanner. The proxy always includes the start of each range and excludes its
    /// stop, regardless of the range.
    fn create_batch_scanner(table: &str, options: &BatchScanOptions) -> ScannerHandle, about table;
    "createBatchScanner" CreateBatchScanner(
        token: Bytes, table_name: String, options: BatchScanOptions
    ) -> String, [Accumulo, Security, TableNotFound], Read, Call;

    /// Opens a scanner.
    fn create_scanner(table: &str, options: &ScanOptions) -> ScannerHandle, about table;
    "createScanner" CreateScanner(token: Bytes, table_name: String, options: ScanOptions) -> String,
        [Accumulo, Security, TableNotFound], Read, Call;

    /// Checks whether there is another entry.
    fn has_next(scanner: &ScannerHandle) -> bool, about scanner;
    "hasNext" HasNext(scanner: String) -> bool, [HandleExpired], Read, Call;

    /// Returns the next entry, and whether there is another after it. Fails with
    /// [`Invalid`](crate::ErrorKind::Invalid) if there is none.
    fn next_entry(scanner: &ScannerHandle) -> (Entry, bool), about scanner;
    "nextEntry" NextEntry(scanner: String) -> KeyValueAndPeek,
        [Invalid, HandleExpired, Security], Once, Call;

    /// Returns the next entries, at most `k`. The batch is empty if there is no further entry.
    fn next_k(scanner: &ScannerHandle, k: i32) -> NextBatch, about scanner;
    "nextK" NextK(scanner: String, k: i32) -> NextBatch,
        [Invalid, HandleExpired, Security], Once, Call;

    /// Closes a scanner or batch scanner.
    fn close_scanner(scanner: &ScannerHandle) -> (), about scanner;
    "closeScanner" CloseScanner(scanner: String) -> (), [HandleExpired], Repeat, Call;

    by hand update_and_flush;
    "updateAndFlush" UpdateAndFlush(
        token: Bytes, table_name: String, cells: BTreeMap<Bytes, Vec<ColumnUpdate>>
    ) -> (), [Accumulo, Security, TableNotFound, MutationsRejected], Once, Call;

    /// Writes a mutation if its conditions hold, with a separate writer.
    fn update_row_conditionally(table: &str, mutation: &ConditionalMutation)
        -> ConditionalOutcome, about table,
        as [table.to_owned(), mutation.row.clone(), mutation.to_wire()];
    "updateRowConditionally" UpdateRowConditionally(
        token: Bytes, table_name: String, row: Bytes, updates: ConditionalUpdates
    ) -> ConditionalStatus, [Accumulo, Security, TableNotFound], Once, Call;

    /// Opens a conditional writer.
    fn create_conditional_writer(table: &str, options: &ConditionalWriterOptions)
        -> ConditionalWriterHandle, about table;
    "createConditionalWriter" CreateConditionalWriter(
        token: Bytes, table_name: String, options: ConditionalWriterOptions
    ) -> String, [Accumulo, Security, TableNotFound], Read, Call;

    by hand update_rows_conditionally;
    "updateRowsConditionally" UpdateRowsConditionally(
        conditional_writer: String, updates: BTreeMap<Bytes, ConditionalUpdates>
    ) -> BTreeMap<Bytes, ConditionalStatus>, [HandleExpired, Accumulo, Security], Once, Call;

    /// Closes a conditional writer. Succeeds also if the proxy does not have the writer.
    fn close_conditional_writer(writer: &ConditionalWriterHandle) -> (), about writer;
    "closeConditionalWriter" CloseConditionalWriter(conditional_writer: String) -> (),
        [], Repeat, Call;
} } }

pub(crate) use handle_calls;
