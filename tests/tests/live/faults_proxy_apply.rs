//! The proxy is killed while a plan is applied through it: after each step, and in the middle of one. Applied again,
//! the plan is finished.

use std::time::Duration;

use accumulo_proxy::{Range, ScanColumn, ScanOptions};
use fluo_accumulo::AccumuloTables;
use fluo_core::table::property::GROUP_DEFAULT;
use fluo_core::{Bytes, ErrorKind, TableAdmin};
use fluo_recipes::{ApplyError, ApplyEvent, Plan, RowHasher, TableOptimizations};
use tokio::time::sleep;

use crate::cli::assert_says;
use crate::faults_ground::{Broken, hashed_rows_are_there, is_as_wanted, patient, put_hashed_rows};
use crate::fresh::entries;
use crate::ground::until;

const PRUNE: bool = true;
/// Split points that nobody asked for.
const STRAYS: [&str; 2] = ["a", "z"];

fn optimizations(tablets: u32) -> TableOptimizations {
    let hasher = RowHasher::new("p").unwrap();
    TableOptimizations::of_row_hasher(&hasher, tablets).unwrap()
}

/// A table with rows and with split points that nobody asked for, and what would change on it.
async fn planned(broken: &Broken, tablets: u32) -> Plan {
    let strays = STRAYS.map(Bytes::from).into();
    broken.good.add_splits(&broken.name, &strays).await.unwrap();
    put_hashed_rows(&broken.good, &broken.name).await;
    optimizations(tablets)
        .plan(&broken.good, &broken.name)
        .prune(PRUNE)
        .await
        .unwrap()
}

/// The same plan again, by somebody whom nothing happens to; then everything is as wanted, and every row is there.
async fn applied_again(broken: &Broken, plan: &Plan, tablets: u32) {
    let applied = plan.apply(&broken.good).await.unwrap();
    assert_eq!(applied.done + applied.already_so, plan.steps().len());
    is_as_wanted(&broken.good, &broken.name, &optimizations(tablets)).await;
    hashed_rows_are_there(&broken.good, &broken.name).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_goes_away_after_a_step() {
    const TABLETS: u32 = 8;
    let Some(mut broken) = Broken::new("faults_apply").await else {
        return;
    };
    let mut kill_after = 1;
    loop {
        let plan = planned(&broken, TABLETS).await;
        let steps = plan.steps().len();
        assert!(steps > 4, "{:?}", plan.steps());
        if kill_after == steps {
            break;
        }
        let tables = broken.tables(broken.settings.clone()).await;
        let mut done = 0;
        let watch = |event: ApplyEvent<'_>| {
            if matches!(event, ApplyEvent::Done(_)) {
                done += 1;
                if done == kill_after {
                    broken.kill();
                }
            }
        };
        let error = plan.apply(&tables).on_event(watch).await.unwrap_err();
        check_told(&error, &broken, &plan, kill_after);

        applied_again(&broken, &plan, TABLETS).await;
        broken.restart();
        broken = broken.with_another_table("faults_apply").await;
        kill_after += 1;
    }
    broken.end().await;
}

/// The step after the kill did nothing, and says so; those before it are kept, because undoing them failed too.
fn check_told(error: &ApplyError, broken: &Broken, plan: &Plan, done: usize) {
    let ApplyError::Failed {
        number,
        cause,
        left,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!((*number, cause.kind()), (done + 1, ErrorKind::Unavailable));
    assert!(!left.may_come_late() && !left.is_empty());
    assert_eq!(left.kept().len(), done + 1);
    let (message, steps) = (error.to_string(), plan.steps());
    let address = broken.proxy.address();
    let (first, failed) = (&steps[0], &steps[done]);
    assert_says(
        &message,
        &format!(
            "step {number} of {} failed ({failed}): tableIdMap at {address}: cannot reach the proxy: Connection refused",
            steps.len()
        ),
    );
    assert_says(
        &message,
        &format!(
            "; table `{}` serves as before but may have kept: ",
            broken.name
        ),
    );
    assert_says(&message, &format!("{first} (undoing it failed: "));
    assert_says(
        &message,
        "; apply again to finish, or plan to see what differs; this could not be read back: ",
    );
}

/// Waits until a table that had so many split points has more. Asked for its split points or tablets, a proxy
/// would answer when they do not change any more.
pub(crate) async fn until_more_splits(tables: &AccumuloTables, name: &str, before: usize) {
    let ids = tables.client().table_operations().id_map().await.unwrap();
    let id = ids[name].as_bytes();
    let options = || {
        let [start, end] = [[id, b";"].concat(), [id, b"<"].concat()];
        ScanOptions::default()
            .range(Range::rows(Some(start.into()), Some(end.into())))
            .column(ScanColumn::qualifier("~tab", "~pr"))
    };
    loop {
        let tablets = entries(tables.client().scanner("accumulo.metadata", options())).await;
        // The last tablet, which has no split point, is beyond the range.
        if tablets.unwrap().len() > before {
            return;
        }
        sleep(Duration::from_millis(1)).await;
    }
}

/// In the middle: some of the split points are there, not all.
async fn is_halfway(broken: &Broken) {
    until_more_splits(&broken.good, &broken.name, STRAYS.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_goes_away_in_the_middle_of_a_step_and_stays_away() {
    const TABLETS: u32 = 300;
    let Some(broken) = Broken::new("faults_halfway").await else {
        return;
    };
    let plan = planned(&broken, TABLETS).await;
    let tables = broken.tables(broken.settings.clone()).await;
    let (applied, ()) = tokio::join!(plan.apply(&tables).into_future(), async {
        is_halfway(&broken).await;
        broken.kill();
    });
    let error = applied.unwrap_err();
    let ApplyError::Failed {
        number: 1,
        cause,
        left,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(cause.kind(), ErrorKind::Uncertain, "{cause}");
    assert!(left.may_come_late());
    let message = error.to_string();
    assert_says(&message, "step 1 of 6 failed (add 300 split points, `p:0");
    let (name, address) = (&broken.name, broken.proxy.address());
    assert_says(
        &message,
        &format!("): addSplits of `{name}` at {address}: "),
    );
    assert_says(&message, "may have kept: add 300 split points, ");
    assert_says(
        &message,
        "; but the call that failed was never answered and may yet take effect, so look again",
    );
    applied_again(&broken, &plan, TABLETS).await;
    broken.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_comes_back_in_the_middle_of_a_step_is_waited_for() {
    const TABLETS: u32 = 300;
    let Some(broken) = Broken::new("faults_waiting").await else {
        return;
    };
    let plan = planned(&broken, TABLETS).await;
    let tables = broken.tables(patient(broken.settings.clone())).await;
    let (applied, ()) = tokio::join!(plan.apply(&tables).into_future(), async {
        is_halfway(&broken).await;
        broken.kill();
        broken.restart_meanwhile().await.unwrap();
    });
    assert_eq!(applied.unwrap().done, plan.steps().len());
    is_as_wanted(&broken.good, &broken.name, &optimizations(TABLETS)).await;
    hashed_rows_are_there(&broken.good, &broken.name).await;
    broken.end().await;
}

/// The property was set, and the proxy went away before one could see it: the error denied that anything was done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_set_before_the_proxy_went_away_is_not_denied() {
    let Some(broken) = Broken::new("faults_set").await else {
        return;
    };
    let tables = broken.tables(broken.settings.clone()).await;
    let mut told = Vec::new();
    let (name, address) = (broken.name.clone(), broken.proxy.address());
    let setting = tokio::spawn(async move {
        for value in 0.. {
            let value = value.to_string();
            if let Err(error) = tables.set_property(&name, GROUP_DEFAULT, &value).await {
                told.push((value, error));
                break;
            }
        }
        told
    });
    let properties = async || broken.good.properties(&broken.name).await.unwrap();
    until("a property is set", async || {
        properties().await.contains_key(GROUP_DEFAULT)
    })
    .await;
    broken.kill();
    let (value, error) = setting.await.unwrap().pop().unwrap();
    let found = properties().await.remove(GROUP_DEFAULT).unwrap();
    match error.kind() {
        ErrorKind::Uncertain => {}
        ErrorKind::Unavailable => assert_ne!(found, value, "{error}"),
        other => panic!("{other:?}: {error}"),
    }
    assert_says(&error.to_string(), &format!("at {address}: "));
    broken.end().await;
}
