//! An exporter that writes the orders of customers to a SQLite database, each exactly once.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fluo::{Export, ExportError, Exported, Exports, Timestamp};
use rusqlite::{Connection, ErrorCode, Row, TransactionBehavior};

/// The number of an order, and its price in cents.
pub(crate) type Order = (u64, u64);

/// SQLite must not lose a commit after the queue has deleted its entries, so it syncs each.
const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS last (customer TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS orders (
        customer TEXT NOT NULL, sequence INTEGER NOT NULL,
        number INTEGER NOT NULL, cents INTEGER NOT NULL
    );";
/// Sets the last sequence of a customer. Changes no row if it has this one or a larger one.
const SET_LAST: &str = "
    INSERT INTO last VALUES (?1, ?2)
    ON CONFLICT (customer) DO UPDATE SET sequence = excluded.sequence
    WHERE excluded.sequence > last.sequence";
const INSERT: &str = "INSERT INTO orders VALUES (?1, ?2, ?3, ?4)";
const SELECT: &str = "SELECT customer, sequence, number, cents FROM orders ORDER BY rowid";

/// The time that SQLite waits for another program that writes. Then the worker tries again, after a
/// pause of the same length.
const PAUSE: Duration = Duration::from_millis(200);

/// The exporter. Cloning is cheap; clones share a connection.
#[derive(Clone)]
pub(crate) struct SqliteSink {
    connection: Arc<Mutex<Connection>>,
}

impl SqliteSink {
    /// Opens the database of a file, and creates it if it does not exist.
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SCHEMA)?;
        connection.busy_timeout(PAUSE)?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)) })
    }

    /// Exports the entries of a pass. SQLite blocks, so it gets a thread of its own.
    pub(crate) async fn export(
        self,
        orders: Exports<String, Order>,
    ) -> Result<Exported, ExportError> {
        let applying = move || apply(&mut self.connection(), &orders);
        match tokio::task::spawn_blocking(applying).await {
            Ok(applied) => applied.map_err(export_error)?,
            Err(panicked) => return Err(ExportError::fatal(panicked)),
        }
        Ok(Exported::All)
    }

    /// Returns the orders in SQLite, in the order in which it got them.
    pub(crate) fn exported(&self) -> Result<Vec<Export<String, Order>>, Box<dyn Error>> {
        let connection = self.connection();
        let mut select = connection.prepare(SELECT)?;
        let rows = select.query_and_then([], exported)?;
        rows.collect()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic has rolled its transaction back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Inserts the orders that SQLite does not have yet, in one transaction.
fn apply(connection: &mut Connection, orders: &[Export<String, Order>]) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for order in orders {
        let (number, cents) = order.value;
        let sequence = order.sequence.get();
        let is_new = tx.execute(SET_LAST, (&order.key, sequence))? > 0;
        if is_new {
            tx.execute(INSERT, (&order.key, sequence, number, cents))?;
        }
    }
    tx.commit()
}

/// Returns the answer for an error: another try if it can disappear without a change of programs.
fn export_error(error: rusqlite::Error) -> ExportError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::SystemIoFailure
            | ErrorCode::DiskFull
            | ErrorCode::CannotOpen,
        ) => ExportError::retry_after(PAUSE, error),
        _ => ExportError::fatal(error),
    }
}

fn exported(row: &Row<'_>) -> Result<Export<String, Order>, Box<dyn Error>> {
    let (customer, sequence): (String, u64) = (row.get(0)?, row.get(1)?);
    let order = (row.get(2)?, row.get(3)?);
    let sequence = Timestamp::new(sequence)?;
    Ok(Export::new(customer.clone(), customer, order, sequence))
}
