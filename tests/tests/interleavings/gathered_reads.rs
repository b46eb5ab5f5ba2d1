//! Transactions of one client, whose reads travel together, in every order with those of another
//! client (S3).

use std::collections::BTreeSet;

use fluo_engine::{Error, Transaction};
use fluo_tests::shop::number;
use fluo_tests::soak;
use futures::future::try_join_all;

use super::anomalies::{COUNT, READ_BOTH, SET_BOTH};
use super::explorer::{Orders, Program, Scenario, explore};
use super::scene::column;

/// Number of transactions of the client that gathers. The first one occupies the lane, and the
/// reads of the others travel together.
const GATHERED: usize = 3;

async fn read(tx: &Transaction, row: &'static str) -> Result<i64, Error> {
    Ok(number(tx.get(row, &column()).await?))
}

/// Reads two rows in each of some transactions.
const READ_GATHERED: Program = |client| {
    Box::pin(async move {
        let both = async |tx: Transaction| Ok([read(&tx, "x").await?, read(&tx, "y").await?]);
        let all = (0..GATHERED).map(|_| client.run::<_, Error, _>(both));
        try_join_all(all).await.unwrap().concat()
    })
};

/// Adds one to a counter in each of some transactions.
const COUNT_GATHERED: Program = |client| {
    Box::pin(async move {
        let count = async |tx: Transaction| {
            let before = read(&tx, "x").await?;
            tx.set("x", &column(), (before + 1).to_string())
        };
        let all = (0..GATHERED).map(|_| client.run::<_, Error, _>(count));
        let all = try_join_all(all).await.unwrap();
        vec![i64::try_from(all.len()).unwrap()]
    })
};

fn orders() -> Orders {
    Orders::Preempted(if soak() > 1 { 5 } else { 3 })
}

#[test]
fn reads_that_travel_together_have_no_read_skew() {
    let scenario = Scenario {
        name: "one sets two rows, three transactions of one client read both",
        cells: &[("x", 0), ("y", 0)],
        programs: &[SET_BOTH, READ_GATHERED],
        orders: orders(),
        afterwards: READ_BOTH,
    };
    let mut seen = BTreeSet::new();
    explore(&scenario, |ended| {
        assert_eq!(ended.afterwards, [1, 1], "{ended:?}");
        let each: Vec<_> = ended.results[1].chunks(2).collect();
        assert!(each.iter().all(|both| both[0] == both[1]), "{ended:?}");
        seen.insert((ended.is_together, each.iter().map(|both| both[0]).sum::<i64>()));
    });
    let mixed = |sum: i64| (1..i64::try_from(GATHERED).unwrap()).contains(&sum);
    let has_mixed = |together| seen.iter().any(|(is, sum)| *is == together && mixed(*sum));
    assert!(has_mixed(true) && has_mixed(false), "{seen:?}");
}

#[test]
fn reads_that_travel_together_lose_no_update() {
    let scenario = Scenario {
        name: "one adds to a counter, three transactions of one client too",
        cells: &[("x", 0)],
        programs: &[COUNT, COUNT_GATHERED],
        orders: orders(),
        afterwards: READ_BOTH,
    };
    explore(&scenario, |ended| {
        let committed: i64 = ended.results.iter().map(|result| result[0]).sum();
        assert_eq!(ended.afterwards[0], committed, "{ended:?}");
    });
}
