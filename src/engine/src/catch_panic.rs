//! User code that may panic.

use std::panic::AssertUnwindSafe;

use fluo_table::Error;
use futures::FutureExt;

/// Runs a future, and converts a panic into an error. The future's values are dropped by then. The
/// kind is `Invalid`, because a panic is a mistake in user code that a retry does not fix.
///
/// `what` names the code that may panic, for example "the observer `count`".
pub(crate) async fn caught<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Error> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::invalid(format!("{what} panicked: {}", said.unwrap_or("no message")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn converts_a_panic_into_an_error_with_its_message() {
        let message = |caught: Result<(), Error>| caught.unwrap_err().to_string();
        let text = message(caught("the observer `a`", async { panic!("no page") }).await);
        assert_eq!(text, "the observer `a` panicked: no page");
        let owned = message(caught("a load", async { panic!("{}", 7) }).await);
        assert_eq!(owned, "a load panicked: 7");
        let silent = message(caught("a load", async { std::panic::panic_any(7) }).await);
        assert_eq!(silent, "a load panicked: no message");
        assert_eq!(caught("a load", async { 7 }).await.unwrap(), 7);
    }
}
