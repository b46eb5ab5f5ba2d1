//! Transactions: Percolator's protocol, on Apache Fluo's bytes.
//!
//! A transaction reads at its start timestamp and gathers its writes. Its commit locks every cell that it writes, one
//! of them, the primary, first; takes a commit timestamp; and turns the lock of the primary into a committed write with one
//! conditional write of one row. That write is the commit. Whatever else is left then is rolled forward by it or by
//! whoever meets it. Until then anybody who finds it dead may roll it back, at the same place. Each step has a file here,
//! with the invariants that it keeps (P1.., S1.., R1..); `docs/protocol.md` has the bytes and the states.

mod blame;
mod buffer;
mod commit;
mod commit_primary;
mod commit_timestamp;
mod conflict;
mod damage;
pub(crate) mod entries;
mod found_lock;
mod lock_others;
mod lock_primary;
mod only_notify;
mod open;
mod plan;
mod raw;
mod read_locking;
mod read_past;
mod reading;
mod resolve;
mod roll_back;
mod snapshot;
mod status;
mod together;

pub use conflict::{CommitError, Conflict, OtherTransaction, Stale};
pub use open::{Committed, OwnedTransaction, Transaction};
pub use read_locking::ReadLocking;
pub use snapshot::Snapshot;

pub(crate) use open::Open;
pub(crate) use plan::Trigger;
pub(crate) use reading::Reading;
pub(crate) use resolve::RowMutations;
