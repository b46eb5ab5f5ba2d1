//! A tablet server is killed while rows are written: on a cluster of the test's own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use accumulo_proxy::ProxyOptions;
use fluo_accumulo::AccumuloTables;
use fluo_cluster::Cluster;
use fluo_core::{Bytes, ErrorKind, TableAdmin, Versions};
use fluo_recipes::{RowCounting, RowHasher, TableOptimizations, Verdict, VerifyOptions};
use tokio::time::{Instant, sleep};

use crate::cli::assert_says;
use crate::faults_claims::{Claims, claim};
use crate::faults_ground::{blocking, open, say, whole_rows};
use crate::faults_writers::{Signals, Told, load};

const TABLE: &str = "pages";
const SUCCESSES: usize = 60;
/// A server is missed after 30 s, and its tablets are recovered then.
const PATIENCE: Duration = Duration::from_secs(150);
/// Shorter than that: so writers are told that nobody knows.
const LIMIT: Duration = Duration::from_secs(10);

fn settings(cluster: &Cluster) -> ProxyOptions {
    let credentials = crate::cluster::credentials(cluster);
    ProxyOptions::new(cluster.proxy().unwrap().address(), credentials)
}

fn optimizations() -> TableOptimizations {
    TableOptimizations::of_row_hasher(&RowHasher::new("p").unwrap(), 8).unwrap()
}

/// A table whose tablets are on both servers, those that are written to and those of a recipe.
async fn prepare(tables: &AccumuloTables) {
    tables
        .create_table(TABLE, Versions::default())
        .await
        .unwrap();
    let splits = (1..10)
        .map(|digit| Bytes::from(digit.to_string()))
        .collect();
    tables.add_splits(TABLE, &splits).await.unwrap();
    let plan = optimizations().plan(tables, TABLE).await.unwrap();
    plan.apply(tables).await.unwrap();
    settled_on(tables, 2).await;
}

/// The verdict once everything is as wanted on so many servers.
async fn settled_on(tables: &AccumuloTables, servers: usize) -> Verdict {
    let options = VerifyOptions {
        allow_extra_splits: true,
        rows: RowCounting::Skip,
        ..VerifyOptions::default()
    };
    let start = Instant::now();
    loop {
        // While servers are missed, not even the metadata need be there.
        let verdict = optimizations()
            .verify(tables, TABLE)
            .options(&options)
            .await;
        if let Ok(seen) = &verdict
            && seen.ok
            && seen
                .groups
                .iter()
                .all(|group| group.per_server.len() == servers)
        {
            say(&format!("settled on {servers} after {:?}", start.elapsed()));
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

    let mut hasty = settings(&cluster);
    hasty = hasty.call_timeout(LIMIT);
    let hasty = AccumuloTables::connect(hasty).await.unwrap();
    let signals = Arc::new(Signals::default());
    let table = open(&hasty, TABLE).await;
    let writers = [0, 1]
        .map(|writer| load(&table, &signals, writer, false))
        .into();
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
    say(&format!(
        "written to again {:?} after the kill",
        killed.elapsed()
    ));

    let (told, claims) = (Told::of(writers).await, Claims::of(claimers).await);
    let found = whole_rows(&*open(&tables, TABLE).await).await;
    told.check(&found);
    claims.check(&found);
    check_messages(&told, &claims, &cluster.proxy().unwrap().address());
}

/// Who wrote to a server that is gone is told which call failed and why, and that nobody can tell what became of the
/// rows: by the kind, and of a condition by the sentence too.
fn check_messages(told: &Told, claims: &Claims, address: &str) {
    let late = format!("updateAndFlush of `{TABLE}` at {address}: no answer within 10s");
    assert_eq!(told.message(ErrorKind::Uncertain), late);

    let unknown = format!(
        "nobody can tell whether the mutation was written: updateRowsConditionally of `{TABLE}` at {address}: "
    );
    let reasons = claims
        .errors
        .iter()
        .filter(|error| error.kind() == ErrorKind::Uncertain);
    let reasons: BTreeSet<_> = reasons
        .map(ToString::to_string)
        .map(|said| {
            said.strip_prefix(&unknown)
                .unwrap_or_else(|| panic!("{said}"))
                .to_owned()
        })
        .collect();
    let is_a_limit =
        |reason: &String| reason.contains("timed out") || reason == "no answer within 10s";
    assert!(reasons.iter().any(is_a_limit), "{reasons:?}");
    assert!(!reasons.contains(""), "{reasons:?}");
    // Of what nobody is there to serve, nothing was done.
    for error in told.errors.iter().chain(&claims.errors) {
        if error.kind() == ErrorKind::Unavailable {
            assert_says(&error.to_string(), &format!(" at {address}: "));
        }
    }
}
