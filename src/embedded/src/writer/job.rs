//! Requests with their own transaction: changes of the catalog, of applications, and compactions.

use fluo_table::Result;
use redb::WriteTransaction;

use crate::catch_panic::contain;
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
    job: impl FnOnce(&WriteTransaction) -> Result<Verdict<T>, Failure>,
) -> Result<T> {
    let transaction = store.begin_write()?;
    match contain(|| job(&transaction)) {
        Err(failure) => Err(store.undo(transaction, failure)),
        Ok(Verdict::Discard(result)) => {
            let _ = contain(|| Ok(transaction.abort()?));
            Ok(result)
        }
        Ok(Verdict::Commit(result)) => store.commit(transaction).map(|()| result),
    }
}
