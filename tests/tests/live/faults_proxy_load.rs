//! The proxy is killed while rows are written through it, and restarted on its port.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::ErrorKind;
use tokio::time::sleep;

use crate::cli::assert_says;
use crate::faults_claims::{Claims, claim};
use crate::faults_ground::Broken;
use crate::faults_writers::{Signals, Told, load};

const WRITERS: usize = 4;
/// Number of successful calls before the kill, and after the restart.
const SUCCESSES: usize = 60;
/// Time from the kill until the restart begins.
const AWAY: Duration = Duration::from_millis(500);

/// Kills the proxy while its clients work, and restarts it.
async fn kill_and_restart(broken: &Broken, signals: &Signals) {
    signals.successes(SUCCESSES).await;
    broken.kill();
    sleep(AWAY).await;
    broken.restart_meanwhile().await.unwrap();
    signals.successes(SUCCESSES).await;
    signals.end();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loses_no_acknowledged_row_and_denies_no_written_row() {
    let Some(broken) = Broken::new("faults_load").await else { return };
    let table = broken.open(broken.settings.clone()).await;
    let signals = Arc::new(Signals::default());
    let writers = (0..WRITERS).map(|writer| load(&table, &signals, writer, false));
    let writers: Vec<_> = writers.collect();
    kill_and_restart(&broken, &signals).await;
    let told = Told::of(writers).await;
    told.check(&broken.rows().await);

    let (name, address) = (&broken.name, broken.proxy.address());
    // The kill may hit a moment without a write.
    for error in told.errors.iter().filter(|error| error.kind() == ErrorKind::Uncertain) {
        let uncertain = error.to_string();
        assert_says(&uncertain, &format!("updateAndFlush of `{name}` at {address}: the "));
        assert_says(&uncertain, "before ");
    }
    assert_says(
        &told.message(ErrorKind::Unavailable),
        &format!("at {address}: cannot reach the proxy: Connection refused"),
    );
    broken.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_claimers_wins_each_row() {
    let Some(broken) = Broken::new("faults_claim").await else { return };
    let signals = Arc::new(Signals::default());
    let mut claimers = Vec::new();
    for claimer in 0..WRITERS {
        // Each claimer has its own writer on the proxy.
        let table = broken.open(broken.settings.clone()).await;
        claimers.push(claim(&table, &signals, claimer));
    }
    kill_and_restart(&broken, &signals).await;
    let claims = Claims::of(claimers).await;
    claims.check(&broken.rows().await);

    let (name, address) = (&broken.name, broken.proxy.address());
    for error in claims.errors.iter().filter(|error| error.kind() == ErrorKind::Uncertain) {
        let said = format!(
            "it is unknown whether the mutation was written: updateRowsConditionally of `{name}` at {address}: the "
        );
        assert_says(&error.to_string(), &said);
    }
    assert_says(
        &claims.message(ErrorKind::Unavailable),
        &format!("at {address}: cannot reach the proxy: Connection refused"),
    );
    broken.end().await;
}
