//! Transactions: Percolator's protocol, on Apache Fluo's bytes.
//!
//! A transaction reads at its start timestamp and buffers its writes. Its commit locks every cell
//! that it writes, beginning with one of them, the primary. It then takes a commit timestamp, and
//! replaces the lock of the primary by a committed write in one conditional write of one row. That
//! write is the commit. The transaction, or any other one that meets the remaining locks, then
//! rolls them forward. Before that write, any transaction that finds the owner dead may roll the
//! transaction back, also at the primary.
//!
//! Each step has a file in this folder, with the invariants that it keeps (P1.., S1.., R1..).
//! `docs/protocol.md` describes the bytes and the states.

mod buffer;
mod commit;
mod conflict;
mod corrupt;
pub(crate) mod encode_entries;
mod foreign_lock;
mod open;
mod read;
mod read_past;
mod resolve;
mod roll_back;
mod snapshot;
mod state;
mod status;

pub use conflict::{CommitError, CommitInfo, Conflict, ConflictCause, SnapshotTooOld};
pub use open::{LockedReads, OwnedTransaction, Transaction};
pub use snapshot::{Recorder, Snapshot};

pub(crate) use state::Trigger;
