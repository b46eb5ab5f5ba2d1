//! Conversion of panics into errors.
//!
//! The storage engine asserts some of what it reads, so it may panic on damaged files. A library
//! must not abort its process because of a bad disk, so every call of the engine runs in
//! [`contain`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fluo_table::Result;

use crate::error::Failure;

/// Runs code that uses the storage engine; a panic in it is a [`Failure`].
///
/// What `work` captured is not used after a panic, or is the engine's, which poisons itself.
pub(crate) fn contain<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Failure::Panicked(message_of(&*panic))))
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

    /// A directory was marked as damaged for misuse of the engine, and took no writes until a
    /// check.
    #[test]
    fn a_panic_is_damage_and_no_proof_of_it_and_the_next_call_works() {
        let failure = contain::<()>(|| panic!("page {} is odd\nsecond line", 7)).unwrap_err();
        assert!(failure.finding().is_some(), "{failure:?}");
        assert!(!failure.is_proof(), "{failure:?}");
        assert!(matches!(failure, Failure::Panicked(message) if message == "page 7 is odd"));
        assert_eq!(contain(|| Ok(3)).unwrap(), 3);
    }
}
