//! Names that nothing else uses.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A name of a table that no other test, and no other run, uses; it begins with what the table is for.
pub(crate) fn unused_name(purpose: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let since_1970 = since_1970.unwrap_or_default().as_millis();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{purpose}_{since_1970}_{}_{number}", process::id())
}
