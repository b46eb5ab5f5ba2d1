//! The form of the output, which the arguments of all commands choose.

use std::sync::atomic::{AtomicBool, Ordering};

/// True if notes and progress are left out.
static IS_QUIET: AtomicBool = AtomicBool::new(false);
/// True if results and errors are printed as JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

pub(crate) fn set(is_json: bool, is_quiet: bool) {
    IS_JSON.store(is_json, Ordering::Relaxed);
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

pub(crate) fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}
