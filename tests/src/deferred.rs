//! Work that a suite does after a rule or a scenario holds.

use std::cell::RefCell;

use fluo_table::{ErrorKind, Result};
use futures::future::{BoxFuture, FutureExt};

tokio::task_local! {
    static DEFERRED: RefCell<Vec<BoxFuture<'static, Result<()>>>>;
}

/// Does some work after the check that runs now. A check that fails skips the work, and so leaves
/// its tables for inspection. Outside of a suite there is no such check, and the work is dropped.
pub(crate) fn after_the_check(work: impl Future<Output = Result<()>> + Send + 'static) {
    // There is an error outside of a suite.
    let _ = DEFERRED.try_with(|deferred| deferred.borrow_mut().push(work.boxed()));
}

/// Makes a check, and then does the deferred work, such as the deletion of its tables. The check
/// itself may have deleted them.
///
/// # Panics
///
/// The work fails.
#[doc(hidden)]
pub async fn checked(check: impl Future<Output = ()>) {
    let all = async {
        check.await;
        for work in DEFERRED.with(RefCell::take) {
            match work.await {
                Err(error) if error.kind() != ErrorKind::NotFound => panic!("{error}"),
                _ => {}
            }
        }
    };
    DEFERRED.scope(RefCell::default(), all).await;
}
