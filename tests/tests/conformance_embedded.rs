//! The embedded tables pass the conformance suite with the default settings and with the tightest
//! limits. They agree with the reference.

#![cfg(test)]

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{Clock, TableAdmin};
use fluo_tests::ManualClock;
use fluo_tests::conformance::{self, Workload};
use tempfile::TempDir;

fn open(directory: &Path, options: EmbeddedOptions) -> Arc<dyn TableAdmin> {
    let options = options.create_if_missing(true);
    Arc::new(EmbeddedTables::open(directory, options).unwrap())
}

fn open_new(options: EmbeddedOptions) -> (Arc<dyn TableAdmin>, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (open(directory.path(), options), directory)
}

fn with_clock(clock: Arc<dyn Clock>) -> EmbeddedOptions {
    EmbeddedOptions::new().clock(clock)
}

async fn embedded() -> (Arc<dyn TableAdmin>, TempDir) {
    open_new(EmbeddedOptions::new())
}

conformance::suite!(embedded);

/// A queue of one mutation: every call is alone in its commit.
mod tightly_bounded {
    use super::{Arc, EmbeddedOptions, NonZeroUsize, TableAdmin, TempDir, conformance, open_new};

    async fn tight() -> (Arc<dyn TableAdmin>, TempDir) {
        open_new(
            EmbeddedOptions::new()
                .servers(NonZeroUsize::MIN)
                .cache_bytes(1 << 20)
                .max_queued_mutations(1)
                .max_mutation_bytes(128 << 10),
        )
    }

    conformance::suite!(tight);
}

#[tokio::test]
async fn acknowledged_writes_survive_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let open = async || open(directory.path(), EmbeddedOptions::new());
    conformance::t5_acknowledged_writes_survive_reopening(open).await;
}

#[tokio::test]
async fn the_time_of_the_table_survives_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let open = async |now_ms| open(directory.path(), with_clock(Arc::new(ManualClock::at(now_ms))));
    conformance::t7_the_time_of_the_table_survives_reopening(open).await;
}

#[tokio::test]
async fn the_time_of_the_table_advances_when_its_clock_is_set_back() {
    let clock = Arc::new(ManualClock::at(0));
    let (tables, _directory) = open_new(with_clock(clock.clone()));
    let set_clock = |now_ms| clock.set(now_ms);
    conformance::t7_the_time_of_the_table_advances_when_its_clock_is_set_back(tables, set_clock)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_lands_in_the_next_table() {
    let (tables, _directory) = open_new(EmbeddedOptions::new());
    conformance::a3_no_write_reaches_the_next_table(tables).await;
}

#[tokio::test]
async fn embedded_agrees_with_the_reference() {
    for seed in 0..20 * fluo_tests::soak() {
        let (tables, _directory) = open_new(EmbeddedOptions::new());
        let workload = Workload { seed, operations: 250 };
        conformance::agrees_with_reference(tables, workload).await;
    }
}
