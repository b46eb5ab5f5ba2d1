//! Code of users that may panic.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use crate::error::{Error, ErrorKind};

/// Runs a future, and makes an error of a panic. What the future held is dropped by then.
///
/// `what` names what panicked, as in "the observer `count`".
pub(crate) async fn caught<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Error> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .map_err(|panic| panicked(what, &*panic))
}

/// A panic is a mistake in the code of the user, which stays.
fn panicked(what: &str, panic: &(dyn Any + Send)) -> Error {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it did not say why");
    Error::new(ErrorKind::Invalid, format!("{what} panicked: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_that_says_what_it_said() {
        let message = |caught: Result<(), Error>| caught.unwrap_err().to_string();
        let text = message(caught("the observer `a`", async { panic!("no page") }).await);
        assert_eq!(text, "the observer `a` panicked: no page");
        let owned = message(caught("a load", async { panic!("{}", 7) }).await);
        assert_eq!(owned, "a load panicked: 7");
        let silent = message(caught("a load", async { std::panic::panic_any(7) }).await);
        assert_eq!(silent, "a load panicked: it did not say why");
        assert_eq!(caught("a load", async { 7 }).await.unwrap(), 7);
    }
}
