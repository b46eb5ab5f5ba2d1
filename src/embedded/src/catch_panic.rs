//! Conversion of panics into errors.
//!
//! The storage engine checks pages by assertions, so it panics on a damaged page. A library must
//! not abort its process because of a bad disk, so every call of the engine runs in [`contain`].

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

    /// The engine refuses a table without a name by an assertion. A directory was marked as damaged
    /// for misuse like this, and took no writes until a check.
    #[test]
    fn a_panic_is_damage_and_no_proof_of_it_and_the_next_call_works() {
        let stopped = contain::<()>(|| {
            let _ = redb::TableDefinition::<u64, u64>::new("");
            Ok(())
        });
        let failure = stopped.unwrap_err();
        assert!(failure.finding().is_some(), "{failure:?}");
        assert!(!failure.is_proof(), "{failure:?}");
        let failure = contain::<()>(|| panic!("page {} is odd\nsecond line", 7)).unwrap_err();
        assert!(matches!(failure, Failure::Panicked(message) if message == "page 7 is odd"));
        assert_eq!(contain(|| Ok(3)).unwrap(), 3);
    }
}
