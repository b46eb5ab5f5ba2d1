//! The one place where a panic becomes an error.
//!
//! The storage engine checks what it reads by assertions: on a damaged page it panics. A library must not take
//! its process down for a bad disk, so everything that touches the engine runs through [`contain`].
//!
//! A panic whose place is in the engine's source is damage, and prints nothing. Any other one is a bug, of this
//! crate most likely: it says so, and it is printed as it would be anywhere. To tell the two apart, the panic hook
//! of the process is wrapped once. Where somebody has set another hook since and never calls this one, the place
//! is not known; that is taken for damage, which is the safe side.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use fluo_core::Result;
use tracing::error;

use crate::error::Failure;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
    /// The place of the last contained panic, unless it was the engine's.
    static BUG_AT: Cell<Option<String>> = const { Cell::new(None) };
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
    result.unwrap_or_else(|panic| Err(failure_of(&*panic)))
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
        let bug_at = match panic.location() {
            Some(place) if !is_of_the_engine(place.file()) => Some(name_of(place)),
            _ => None,
        };
        let prints = !CONTAINED.get() || bug_at.is_some();
        if CONTAINED.get() {
            // A thread that is ending may not have the cell any more.
            let _ = BUG_AT.try_with(|cell| cell.set(bug_at));
        }
        if prints {
            before(panic);
        }
    }));
}

/// Whether a source file is the storage engine's: its folder is `redb`, or `redb-` and its version.
fn is_of_the_engine(file: &str) -> bool {
    let version = |folder: &str| {
        let version = folder.strip_prefix("redb")?;
        let digits = version.strip_prefix('-')?;
        Some(digits.starts_with(|first: char| first.is_ascii_digit()))
    };
    file.split(['/', '\\'])
        .any(|folder| folder == "redb" || version(folder) == Some(true))
}

fn name_of(place: &Location<'_>) -> String {
    format!("{}:{}", place.file(), place.line())
}

fn failure_of(panic: &(dyn Any + Send)) -> Failure {
    let message = message_of(panic);
    let Some(place) = BUG_AT.take() else {
        return Failure::Stopped(message);
    };
    error!(place, message, "a bug in this build");
    Failure::Bug {
        what: format!("{place}: {message}"),
        leaves_doubt: false,
    }
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
    fn a_panic_elsewhere_is_a_bug_with_its_place_and_the_next_call_works() {
        let line = line!() + 1;
        let stopped = contain::<()>(|| panic!("page {} is odd\nsecond line", 7));
        let Err(Failure::Bug { what, leaves_doubt }) = stopped else {
            panic!("{stopped:?}")
        };
        assert_eq!(what, format!("{}:{line}: page 7 is odd", file!()));
        assert!(!leaves_doubt);
        assert_eq!(contain(|| Ok(3)).unwrap(), 3);
        assert!(!CONTAINED.get());
    }

    /// The engine refuses a table without a name by an assertion.
    #[test]
    fn a_panic_of_the_engine_is_damage() {
        let stopped = contain::<()>(|| {
            let _ = redb::TableDefinition::<u64, u64>::new("");
            Ok(())
        });
        assert!(matches!(stopped, Err(Failure::Stopped(_))), "{stopped:?}");
    }

    #[test]
    fn the_engine_is_known_by_the_folder_of_its_source() {
        for file in [
            "/home/x/.cargo/registry/src/index-1949/redb-4.4.0/src/db.rs",
            r"C:\vendor\redb\src\db.rs",
        ] {
            assert!(is_of_the_engine(file), "{file}");
        }
        for file in [
            "src/embedded/src/key.rs",
            "/home/x/redb-play/src/clock.rs",
            "redbx/a.rs",
        ] {
            assert!(!is_of_the_engine(file), "{file}");
        }
    }
}
