//! The one place where a panic of the storage engine becomes an error.
//!
//! The storage engine checks what it reads by assertions: on a damaged page it panics. A library must not take
//! its process down for a bad disk, so everything that touches the engine runs through [`contain`]. The panic
//! hook of the process is wrapped once, so that a contained panic prints nothing; every other panic goes to the
//! hook that was there before.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use fluo_core::Result;

use crate::error::Failure;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

static WRAP_HOOK: Once = Once::new();

/// Runs what touches the storage engine; a panic in it is a [`Failure`].
///
/// What `work` captured is not used after a panic, or is the engine's, which poisons itself.
pub(crate) fn contain<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    WRAP_HOOK.call_once(wrap_hook);
    let was_contained = CONTAINED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(was_contained);
    result.unwrap_or_else(|panic| Err(Failure::Stopped(message_of(&*panic))))
}

/// [`contain`] with the error that a caller gets.
pub(crate) fn contain_in<T>(
    directory: &Path,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T> {
    contain(work).map_err(|failure| failure.into_error(directory))
}

fn wrap_hook() {
    // A thread that panics may not change the hook, and does not need to.
    if std::thread::panicking() {
        return;
    }
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        if !CONTAINED.get() {
            before(panic);
        }
    }));
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_the_next_call_works() {
        let stopped = contain::<()>(|| panic!("page {} is odd\nsecond line", 7));
        let Err(Failure::Stopped(message)) = stopped else {
            panic!("{stopped:?}")
        };
        assert_eq!(message, "page 7 is odd");
        assert_eq!(contain(|| Ok(3)).unwrap(), 3);
        assert!(!CONTAINED.get());
    }
}
