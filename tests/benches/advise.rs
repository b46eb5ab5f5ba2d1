//! The time of the advisor for a key: a profile of 24-byte keys, monotonic and random, on one core.
//!
//! Prints the medians of several rounds. Budget: 1 M keys/s.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark that cannot run must say so"
)]

use std::fmt::Write;
use std::time::Instant;

use fluo_advisor::ProfileBuilder;

const KEYS: u64 = 4_000_000;
const ROUNDS: usize = 5;

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    for (what, key_number) in [
        ("monotonic", (|number| number) as fn(u64) -> u64),
        ("random", |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4),
    ] {
        let mut rates: Vec<f64> = (0..ROUNDS).map(|_| keys_per_second(key_number)).collect();
        rates.sort_by(f64::total_cmp);
        println!("profile of {KEYS} {what} 24-byte keys: {:.2} M keys/s", rates[ROUNDS / 2] / 1e6);
    }
}

/// Returns the rate of a profile. The small time of making the keys is included.
fn keys_per_second(key_number: fn(u64) -> u64) -> f64 {
    let mut key = String::new();
    let start = Instant::now();
    let mut builder = ProfileBuilder::default();
    for number in 0..KEYS {
        key.clear();
        write!(key, "acme|{:019}", key_number(number)).unwrap();
        builder.push(key.as_bytes());
    }
    let profile = builder.finish();
    assert_eq!((profile.keys, profile.lengths.max), (KEYS, 24));
    KEYS as f64 / start.elapsed().as_secs_f64()
}
