//! Requests with their own transaction: changes of the catalog, of applications, and compactions.

use fluo_table::Result;

use crate::catch_panic::contain;
use crate::engine::Transaction;
use crate::error::Failure;
use crate::store::Store;

/// The decision of a job whether to commit its transaction, with the result of the job.
#[derive(Debug)]
pub(crate) enum Verdict<T> {
    /// Commits: the job changed something.
    Commit(T),
    /// Discards: the job changed nothing.
    Discard(T),
}

pub(super) fn run<T>(
    store: &Store,
    job: impl FnOnce(&mut Transaction<'_>) -> Result<Verdict<T>, Failure>,
) -> Result<T> {
    let mut transaction = store.begin_write()?;
    match contain(|| job(&mut transaction)).map_err(|failure| store.write_error(failure))? {
        Verdict::Discard(result) => Ok(result),
        Verdict::Commit(result) => store.commit(transaction).map(|()| result),
    }
}
