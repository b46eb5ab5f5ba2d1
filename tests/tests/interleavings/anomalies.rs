//! No order shows an anomaly that snapshot isolation forbids. Some orders show those that it
//! allows.

use std::collections::BTreeSet;

use fluo_engine::Client;
use fluo_table::{Scan, Span};
use fluo_tests::shop::number;
use fluo_tests::soak;
use futures::stream::TryStreamExt;

use super::explorer::{Orders, Program, Scenario, explore};
use super::scene::{column, get, set};

pub(super) const READ_BOTH: Program = |client| {
    Box::pin(async move {
        let snapshot = client.snapshot().await.unwrap();
        vec![get(&snapshot, "x").await, get(&snapshot, "y").await]
    })
};

pub(super) const SET_BOTH: Program = |client| {
    Box::pin(async move {
        let tx = client.begin().await.unwrap();
        set(&tx, "x", 1);
        set(&tx, "y", 1);
        vec![i64::from(tx.commit().await.is_ok())]
    })
};

#[test]
fn no_dirty_read_and_no_read_skew() {
    let scenario = Scenario {
        name: "one sets two rows, another one reads both",
        cells: &[("x", 0), ("y", 0)],
        programs: &[SET_BOTH, READ_BOTH],
        orders: Orders::All,
        afterwards: READ_BOTH,
    };
    let mut seen = BTreeSet::new();
    explore(&scenario, |ended| {
        assert_eq!(ended.results[0], [1], "{ended:?}");
        assert_eq!(ended.afterwards, [1, 1], "{ended:?}");
        assert_eq!(ended.results[1][0], ended.results[1][1], "{ended:?}");
        seen.insert((ended.is_together, ended.results[1][0]));
    });
    assert_eq!(seen.len(), 4, "some orders show the old values, and some the new ones");
}

/// Returns the orders of three transactions. A usual run tries those with a few preemptions. A soak
/// tries all orders of the smallest transactions, which takes minutes, and one more preemption of
/// the others.
fn of_three() -> Orders {
    match soak() {
        1 => Orders::Preempted(MAX_PREEMPTIONS),
        _ => Orders::Different,
    }
}

const MAX_PREEMPTIONS: usize = 3;

pub(super) const COUNT: Program = |client| {
    Box::pin(async move {
        let tx = client.begin().await.unwrap();
        let before = get(&tx, "x").await;
        set(&tx, "x", before + 1);
        vec![i64::from(tx.commit().await.is_ok())]
    })
};

#[test]
fn no_lost_update() {
    let mut outcomes = BTreeSet::new();
    for (programs, orders) in
        [(&[COUNT, COUNT][..], Orders::All), (&[COUNT, COUNT, COUNT][..], of_three())]
    {
        let scenario = Scenario {
            name: "each adds one to a counter",
            cells: &[("x", 0)],
            programs,
            orders,
            afterwards: READ_BOTH,
        };
        explore(&scenario, |ended| {
            let committed: i64 = ended.results.iter().map(|result| result[0]).sum();
            assert!(committed >= 1, "at least one commits: {ended:?}");
            assert_eq!(ended.afterwards[0], committed, "{ended:?}");
            outcomes.insert((ended.is_together, programs.len(), committed));
        });
    }
    for is_together in [true, false] {
        let is_seen = |committed| outcomes.contains(&(is_together, 2, committed));
        assert!(is_seen(1) && is_seen(2), "{outcomes:?}");
    }
}

const SCAN_TWICE: Program = |client| {
    Box::pin(async move {
        let snapshot = client.snapshot().await.unwrap();
        let mut sums = Vec::new();
        for _ in 0..2 {
            let cells: Vec<_> = snapshot.scan(Scan::over(Span::all())).try_concat().await.unwrap();
            sums.push(cells.iter().map(|cell| number(Some(cell.value.clone()))).sum());
            sums.push(i64::try_from(cells.len()).unwrap());
        }
        sums
    })
};

const INSERT: Program = |client| {
    Box::pin(async move {
        let tx = client.begin().await.unwrap();
        set(&tx, "w", 10);
        set(&tx, "z", 10);
        tx.delete("x", &column()).unwrap();
        vec![i64::from(tx.commit().await.is_ok())]
    })
};

#[test]
fn no_phantom() {
    let scenario = Scenario {
        name: "one inserts and deletes rows, another one scans twice",
        cells: &[("x", 1), ("y", 1)],
        programs: &[INSERT, SCAN_TWICE],
        orders: Orders::All,
        afterwards: SCAN_TWICE,
    };
    let mut seen = BTreeSet::new();
    explore(&scenario, |ended| {
        let scans = &ended.results[1];
        assert_eq!(scans[..2], scans[2..], "{ended:?}");
        assert!(scans[..2] == [2, 2] || scans[..2] == [21, 3], "{ended:?}");
        seen.insert((ended.is_together, scans[0]));
    });
    assert_eq!(seen.len(), 4);
}

async fn take(
    client: Client,
    mine: &'static str,
    other: &'static str,
    is_locked: bool,
) -> Vec<i64> {
    let tx = client.begin().await.unwrap();
    let covering = match is_locked {
        true => number(tx.with_read_lock().get(other, &column()).await.unwrap()),
        false => get(&tx, other).await,
    };
    if covering == 0 {
        return vec![0];
    }
    set(&tx, mine, 0);
    vec![i64::from(tx.commit().await.is_ok())]
}

const TAKE_X: Program = |client| Box::pin(take(client, "x", "y", false));
const TAKE_Y: Program = |client| Box::pin(take(client, "y", "x", false));
const TAKE_X_LOCKED: Program = |client| Box::pin(take(client, "x", "y", true));
const TAKE_Y_LOCKED: Program = |client| Box::pin(take(client, "y", "x", true));

/// Returns the kinds of tables on which write skew occurs: `true` for rows that are written
/// together.
fn skews(programs: &'static [Program]) -> BTreeSet<bool> {
    let scenario = Scenario {
        name: "each empties one of two cells if the other one is not empty",
        cells: &[("x", 1), ("y", 1)],
        programs,
        orders: Orders::Different,
        afterwards: READ_BOTH,
    };
    let mut skews = BTreeSet::new();
    explore(&scenario, |ended| {
        let left: i64 = ended.afterwards.iter().sum();
        let taken: i64 = ended.results.iter().map(|result| result[0]).sum();
        assert_eq!(left + taken, 2, "{ended:?}");
        if left == 0 {
            skews.insert(ended.is_together);
        }
    });
    skews
}

#[test]
fn read_locks_prevent_write_skew() {
    assert_eq!(skews(&[TAKE_X, TAKE_Y]).len(), 2);
    assert!(skews(&[TAKE_X_LOCKED, TAKE_Y_LOCKED]).is_empty());
}

const X_TO_Y: Program = |client| Box::pin(transfer(client, "x", "y", 3));
const Y_TO_X: Program = |client| Box::pin(transfer(client, "y", "x", 5));

async fn transfer(client: Client, from: &'static str, to: &'static str, amount: i64) -> Vec<i64> {
    let tx = client.begin().await.unwrap();
    let (rich, poor) = (get(&tx, from).await, get(&tx, to).await);
    set(&tx, from, rich - amount);
    set(&tx, to, poor + amount);
    vec![i64::from(tx.commit().await.is_ok())]
}

#[test]
fn a_reader_sees_the_same_sum_during_transfers() {
    let scenario = Scenario {
        name: "two transfers and a reader",
        cells: &[("x", 100), ("y", 100)],
        programs: &[X_TO_Y, Y_TO_X, READ_BOTH],
        orders: Orders::Preempted(MAX_PREEMPTIONS + usize::from(soak() > 1)),
        afterwards: READ_BOTH,
    };
    explore(&scenario, |ended| {
        assert_eq!(ended.results[2].iter().sum::<i64>(), 200, "{ended:?}");
        let moved = ended.results[1][0] * 5 - ended.results[0][0] * 3;
        assert_eq!(ended.afterwards, [100 + moved, 100 - moved], "{ended:?}");
    });
}

/// Checks that every result of all orders is a result of one of the different orders.
#[test]
fn skipped_orders_have_the_results_of_others() {
    let mut pairs =
        vec![[SET_BOTH, READ_BOTH], [COUNT, COUNT], [INSERT, SCAN_TWICE], [TAKE_X, TAKE_Y]];
    if soak() > 1 {
        pairs.push([TAKE_X_LOCKED, TAKE_Y_LOCKED]);
    }
    for programs in &pairs {
        let all = outcomes(programs, Orders::All);
        let different = outcomes(programs, Orders::Different);
        assert_eq!(all.seen, different.seen);
        assert!(different.count < all.count);
    }
}

struct Outcomes {
    count: usize,
    seen: BTreeSet<Outcome>,
}

/// The kind of the table, the result and the number of calls of each transaction, and the final
/// cells. The number of calls shows which transaction met a lock of the other one.
type Outcome = (bool, Vec<Vec<i64>>, Vec<usize>, Vec<i64>);

fn outcomes(programs: &[Program], orders: Orders) -> Outcomes {
    let scenario = Scenario {
        name: "results of all orders, and of those that differ",
        cells: &[("x", 1), ("y", 1)],
        programs,
        orders,
        afterwards: SCAN_TWICE,
    };
    let mut seen = BTreeSet::new();
    let count = explore(&scenario, |ended| {
        let calls = |transaction| {
            let schedule = ended.schedule.iter();
            schedule.filter(|next| **next == transaction).count()
        };
        let calls = (0..programs.len()).map(calls).collect();
        let (results, afterwards) = (ended.results.clone(), ended.afterwards.clone());
        seen.insert((ended.is_together, results, calls, afterwards));
    });
    Outcomes { count, seen }
}
