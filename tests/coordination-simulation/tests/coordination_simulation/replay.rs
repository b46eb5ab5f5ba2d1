//! Seeds that fail can be run again.

use tokio::task::LocalSet;

use crate::run::check_replay;
use crate::{horizon, oracles, workers};

/// With all delays, losses and lags.
const SEEDS: std::ops::Range<u64> = 26..28;

#[test]
fn a_seed_replays() {
    for seed in SEEDS {
        check_replay(seed, async |seed| LocalSet::new().run_until(oracles::play(seed)).await);
        check_replay(seed, async |seed| LocalSet::new().run_until(horizon::play(seed)).await);
        let workers = |seed| workers::play(seed, 5, workers::LENGTH / 2);
        check_replay(seed, async |seed| LocalSet::new().run_until(workers(seed)).await);
    }
}
