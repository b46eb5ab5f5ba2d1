//! Conversion of panics into errors.
//!
//! The storage engine checks pages by assertions, so it panics on a damaged page. A library must
//! not abort its process because of a bad disk, so every call of the engine runs in [`contain`].
//!
//! A panic in the engine's source is reported as damage and prints nothing. Any other panic is a
//! bug, most likely of this crate: it is reported as one, and printed as usual. To distinguish the
//! two, the panic hook of the process is wrapped once. If the program has since set a hook that
//! does not call this one, the place of the panic is unknown, and it is reported as damage, which
//! is the safe side.
//!
//! Only a panic in the engine's modules that read pages proves damage and [marks](crate::mark) the
//! directory. The engine also panics on misuse, on a lock that an earlier panic poisoned, and on
//! bugs of its own.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use fluo_table::Result;
use tracing::error;

use crate::error::Failure;

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
    /// The place of the last contained panic, if it is known.
    static PLACE: Cell<Option<Place>> = const { Cell::new(None) };
}

/// The place of a panic.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A module of the engine that reads pages.
    ReadingPages,
    /// Any other module of the engine.
    Engine,
    /// Any other source file, with the line.
    Elsewhere(String),
}

/// The modules of the engine that read pages, below its `tree_store`.
const READING_PAGES: [&str; 12] = [
    "btree.rs",
    "btree_base.rs",
    "btree_cursor.rs",
    "btree_cursor_range.rs",
    "btree_iters.rs",
    "multimap_btree.rs",
    "table_tree.rs",
    "table_tree_base.rs",
    "base.rs",
    "header.rs",
    "layout.rs",
    "page_manager.rs",
];

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
        let place = panic.location().map(Place::of);
        let prints = !CONTAINED.get() || matches!(place, Some(Place::Elsewhere(_)));
        if CONTAINED.get() {
            // A thread that is ending may not have the cell any more.
            let _ = PLACE.try_with(|cell| cell.set(place));
        }
        if prints {
            before(panic);
        }
    }));
}

impl Place {
    fn of(location: &Location<'_>) -> Self {
        Self::in_file(location.file())
            .unwrap_or_else(|| Self::Elsewhere(format!("{}:{}", location.file(), location.line())))
    }

    /// Returns the place in a source file of the storage engine, whose folder is `redb` or `redb-`
    /// and its version. `None` for any other file.
    fn in_file(file: &str) -> Option<Self> {
        let is_engine = |folder: &&str| {
            let version = folder.strip_prefix("redb-").unwrap_or_default();
            *folder == "redb" || version.starts_with(|first: char| first.is_ascii_digit())
        };
        let mut folders = file.split(['/', '\\']);
        folders.find(is_engine)?;
        let is_of_trees = folders.any(|folder| folder == "tree_store");
        Some(match folders.next_back() {
            Some(name) if is_of_trees && READING_PAGES.contains(&name) => Self::ReadingPages,
            _ => Self::Engine,
        })
    }
}

fn failure_of(panic: &(dyn Any + Send)) -> Failure {
    let message = message_of(panic);
    match PLACE.take() {
        Some(Place::Elsewhere(place)) => {
            error!(place, message, "a bug in this build");
            Failure::Bug {
                what: format!("{place}: {message}"),
                leaves_doubt: false,
            }
        }
        place => Failure::Stopped {
            message,
            read_pages: place == Some(Place::ReadingPages),
        },
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

    /// The engine refuses a table without a name by an assertion. A directory was marked as damaged
    /// for misuse like this, and took no writes until a check.
    #[test]
    fn a_panic_of_the_engine_is_damage_and_no_proof_of_it() {
        let stopped = contain::<()>(|| {
            let _ = redb::TableDefinition::<u64, u64>::new("");
            Ok(())
        });
        let Err(failure) = stopped else {
            panic!("{stopped:?}")
        };
        assert!(failure.finding().is_some(), "{failure:?}");
        assert!(!failure.is_proof(), "{failure:?}");
    }

    /// The program replaced the hook that tells the place.
    #[test]
    fn a_panic_of_unknown_place_is_no_proof_of_damage() {
        let stopped = failure_of(&"page 7 is odd");
        assert!(stopped.finding().is_some(), "{stopped:?}");
        assert!(!stopped.is_proof(), "{stopped:?}");
    }

    #[test]
    fn the_engine_is_known_by_the_folder_of_its_source() {
        let registry = "/home/x/.cargo/registry/src/index-1949/redb-4.4.0/src";
        for (file, place) in [
            ("tree_store/btree_base.rs", Place::ReadingPages),
            ("tree_store/page_store/page_manager.rs", Place::ReadingPages),
            ("tree_store/page_store/buddy_allocator.rs", Place::Engine),
            ("tree_store/btree_mutator.rs", Place::Engine),
            ("db.rs", Place::Engine),
        ] {
            let found = Place::in_file(&format!("{registry}/{file}"));
            assert_eq!(found, Some(place), "{file}");
        }
        let vendored = Place::in_file(r"C:\vendor\redb\src\db.rs");
        assert_eq!(vendored, Some(Place::Engine));
        for file in [
            "src/embedded/src/key.rs",
            "/home/x/redb-play/src/clock.rs",
            "redbx/a.rs",
        ] {
            assert_eq!(Place::in_file(file), None, "{file}");
        }
    }
}
