//! Recording transactions: the reads and writes of a transaction, as data.
//!
//! A [`RecordedTransaction`] is a handle of a transaction that logs each read and write.
//! The [`TxLog`] can be serialized, put on a queue, and applied to another table. So a table of a
//! query system can follow an application without a scan of the application's table.
//!
//! # Rules
//!
//! - **L1, success first.** An operation is logged after it has succeeded. A write that the
//!   transaction rejects is not in the log.
//! - **L2, one entry for each value.** A read logs one [`Get`](Operation::Get) for each value that
//!   it returns. It logs nothing for a cell without a value. A scan logs the cells of a batch when
//!   its caller receives the batch.
//! - **L3, the order of the calls.** Entries are in the order in which the operations succeeded.
//!   Within one read they are in the order of the cells.
//!
//! # What it does not do
//!
//! Notifications are not logged. The transaction of a log may still fail to commit: store the log
//! by the wrapped transaction itself, and not elsewhere.
//!
//! # Examples
//!
//! ```
//! use fluo_engine::{Column, Instance, InstanceExt};
//! use fluo_recipes::recording::RecordedTransaction;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_engine::Result<()> {
//! let client = Instance::in_memory().application("bank").create().await?;
//! let balance = Column::new("account", "balance");
//! client.run(async |tx| tx.set("alice", &balance, "100")).await?;
//!
//! let tx = client.begin().await?;
//! let recorded = RecordedTransaction::new(&tx);
//! let moved = recorded.get("alice", &balance).await?.unwrap_or_default();
//! recorded.delete("alice", &balance)?;
//! recorded.set("bob", &balance, moved)?;
//! let log = recorded.finish();
//!
//! let lines: Vec<String> = log.entries.iter().map(ToString::to_string).collect();
//! assert_eq!(
//!     lines,
//!     [
//!         "get alice account:balance = 100",
//!         "delete alice account:balance",
//!         "set bob account:balance = 100",
//!     ]
//! );
//!
//! // The same changes for another table, at the start timestamp of the transaction.
//! let mutations = log.to_mutations(tx.start());
//! assert_eq!(mutations.len(), 2);
//! # Ok(())
//! # }
//! ```

mod log_entry;
mod recorded_transaction;
mod tx_log;

pub use log_entry::{LogEntry, Operation};
pub use recorded_transaction::RecordedTransaction;
pub use tx_log::{TxLog, difference};
