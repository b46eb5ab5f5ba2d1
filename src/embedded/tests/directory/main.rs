//! Tables in a directory: opening, writing, checking, compacting, and what happens to them when
//! processes are killed, disks are full and files are damaged.
#![cfg(test)]

use std::sync::atomic::{AtomicI64, Ordering};

use fluo_table::Clock;

mod applications;
mod bit_flips;
mod check;
mod compaction;
mod copied;
mod damage;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod disk;
mod files;
#[cfg(unix)]
mod full_disk;
mod kill;
mod like_memory;
mod marked;
#[cfg(target_os = "linux")]
mod memory;
mod opening;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod power_loss;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod syncs;
mod tablets;
mod torn_commit;
mod writer;

/// The variable that multiplies the rounds of the long tests.
const SOAK: &str = "FLUO_SOAK";

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// A clock that shows the time that a test has set.
#[derive(Debug, Default)]
struct HeldClock(AtomicI64);

impl Clock for HeldClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}
