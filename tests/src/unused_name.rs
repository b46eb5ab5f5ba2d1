//! Unique names.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a name of a table or an application that is unique to this call. It begins with the
/// purpose.
pub fn unused_name(purpose: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}{number}", prefix(purpose))
}

/// Returns the common prefix of all names of this process for one purpose. No name of another
/// process begins with it.
pub(crate) fn prefix(purpose: &str) -> String {
    static BEGUN: OnceLock<u128> = OnceLock::new();
    let millis = BEGUN.get_or_init(|| {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        since_1970.unwrap_or_default().as_millis()
    });
    format!("{purpose}_{millis}_{}_", process::id())
}
