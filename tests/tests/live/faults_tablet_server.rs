//! A tablet server is killed while rows are written: on a cluster of the test's own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fluo_accumulo::AccumuloTables;
use fluo_cluster::Cluster;
use fluo_keys::{RowCounting, RowHasher, TableOptimizations, Verdict, VerifyOptions};
use fluo_table::{Bytes, Error, ErrorKind, TableAdmin, Versions};
use tokio::time::{Instant, sleep};

use crate::cli::assert_says;
use crate::cluster::settings;
use crate::faults_claims::{Claims, claim};
use crate::faults_ground::{blocking, open, say, whole_rows};
use crate::faults_writers::{Signals, Told, load};

const TABLE: &str = "pages";
const SUCCESSES: usize = 60;
/// A server is missed after 30 s, and its tablets are recovered then.
const PATIENCE: Duration = Duration::from_secs(300);
/// Shorter than that, so the outcome of a write is uncertain for its writer.
const LIMIT: Duration = Duration::from_secs(10);

fn optimizations() -> TableOptimizations {
    RowHasher::new("p").unwrap().table_optimizations(8).unwrap()
}

/// Creates a table with tablets on both servers, both those that are written to and those of a
/// recipe.
async fn prepare(tables: &AccumuloTables) {
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    let splits = (1..10).map(|digit| Bytes::from(digit.to_string())).collect();
    tables.add_splits(TABLE, &splits).await.unwrap();
    let plan = optimizations().plan(tables, TABLE).await.unwrap();
    plan.apply(tables).await.unwrap();
    settled_on(tables, 2).await;
}

/// Waits until the tablets are laid out on this number of servers, and returns the verdict.
///
/// The layout is what this test is about: the writers' rows belong to no recipe, and after a
/// recovery the servers report their entries.
async fn settled_on(tables: &AccumuloTables, servers: usize) -> Verdict {
    let options = VerifyOptions::new().allow_extra_splits(true).rows(RowCounting::Skip);
    let start = Instant::now();
    loop {
        // While servers are missed, not even the metadata need be there.
        let verdict = optimizations().verify(tables, TABLE).options(&options).await;
        if let Ok(seen) = &verdict
            && seen.is_laid_out()
            && seen.groups.iter().all(|group| group.per_server.len() == servers)
        {
            let elapsed = start.elapsed();
            say(&format!("settled on {servers} after {elapsed:?}; {seen}"));
            return verdict.unwrap();
        }
        assert!(start.elapsed() < PATIENCE, "{verdict:?}");
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_outlives_a_server_and_its_tablets_move() {
    if !fluo_cluster::wanted() {
        return;
    }
    let cluster = blocking(|| Cluster::start(&fluo_cluster::Settings::default()).unwrap());
    let tables = AccumuloTables::connect(settings(&cluster)).await.unwrap();
    prepare(&tables).await;

    let hasty = settings(&cluster).call_timeout(LIMIT);
    let hasty = AccumuloTables::connect(hasty).await.unwrap();
    let signals = Arc::new(Signals::default());
    let table = open(&hasty, TABLE).await;
    let writers = [0, 1].map(|writer| load(&table, &signals, writer, false)).into();
    let mut claimers = Vec::new();
    for claimer in 0..3 {
        claimers.push(claim(&open(&hasty, TABLE).await, &signals, claimer));
    }
    signals.successes(SUCCESSES).await;
    blocking(|| cluster.kill_tablet_server(0).unwrap());
    let killed = Instant::now();
    let verdict = settled_on(&tables, 1).await;
    let tablets: Vec<_> = verdict.groups.iter().map(|group| group.tablets).collect();
    assert_eq!(tablets.iter().sum::<usize>(), 9 + 8 + 1, "{tablets:?}");
    signals.successes(SUCCESSES).await;
    signals.end();
    say(&format!("written to again {:?} after the kill", killed.elapsed()));

    let (told, claims) = (Told::of(writers).await, Claims::of(claimers).await);
    let found = whole_rows(&*open(&tables, TABLE).await).await;
    told.check(&found);
    claims.check(&found);
    check_messages(&told, &claims, &cluster.proxy().unwrap().address());
}

/// Checks that an error names the call and the reason, and that its kind says whether the rows may
/// have been written.
fn check_messages(told: &Told, claims: &Claims, address: &str) {
    let write = format!("updateAndFlush of `{TABLE}` at {address}: ");
    let reasons = reasons(&told.errors, &write);
    assert!(reasons.iter().any(is_a_limit), "{reasons:?}");

    let claim = format!(
        "it is unknown whether the mutation was written: updateRowsConditionally of `{TABLE}` at {address}: "
    );
    let reasons = self::reasons(&claims.errors, &claim);
    assert!(reasons.iter().any(is_a_limit), "{reasons:?}");
    assert!(!reasons.contains(""), "{reasons:?}");

    for error in told.errors.iter().chain(&claims.errors) {
        if error.kind() == ErrorKind::Unavailable {
            assert_says(&error.to_string(), &format!(" at {address}: "));
        }
    }
}

/// Returns the rest of the message of each uncertain error, after the prefix.
fn reasons(errors: &[Error], prefix: &str) -> BTreeSet<String> {
    let uncertain = errors.iter().filter(|error| error.kind() == ErrorKind::Uncertain);
    let reason = |error: &Error| {
        let message = error.to_string();
        let reason = message.strip_prefix(prefix).map(ToOwned::to_owned);
        reason.unwrap_or_else(|| panic!("{message}"))
    };
    uncertain.map(reason).collect()
}

fn is_a_limit(reason: &String) -> bool {
    reason.contains("timed out") || reason == "no answer within 10s"
}
