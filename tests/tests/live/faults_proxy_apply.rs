//! The proxy is killed while a plan is applied through it: after each call, but between the changes
//! of properties, which are one, and in the middle of one. The next apply finishes the plan.

use std::time::Duration;

use accumulo_proxy::{Range, ScanColumn, ScanOptions};
use fluo_accumulo::AccumuloTables;
use fluo_keys::{ApplyError, ApplyEvent, Plan, RowHasher, Step, TableOptimizations};
use fluo_table::table::property::GROUP_DEFAULT;
use fluo_table::{Bytes, ErrorKind, TableAdmin};
use tokio::time::sleep;

use crate::cli::assert_says;
use crate::faults_ground::{Broken, hashed_rows_are_there, is_as_wanted, patient, put_hashed_rows};
use crate::ground::read;
use crate::ground::until;

const PRUNE: bool = true;
/// Superfluous split points.
const STRAYS: [&str; 2] = ["a", "z"];

fn optimizations(tablets: u32) -> TableOptimizations {
    let hasher = RowHasher::new("p").unwrap();
    hasher.table_optimizations(tablets).unwrap()
}

/// Adds rows and superfluous split points to the table, and returns the plan for it.
async fn planned(broken: &Broken, tablets: u32) -> Plan {
    let strays = STRAYS.map(Bytes::from).into();
    broken.good.add_splits(&broken.name, &strays).await.unwrap();
    put_hashed_rows(&broken.good, &broken.name).await;
    optimizations(tablets).plan(&broken.good, &broken.name).prune(PRUNE).await.unwrap()
}

/// Applies the same plan through the good proxy, and checks the table and its rows.
async fn applied_again(broken: &Broken, plan: &Plan, tablets: u32) {
    let applied = plan.apply(&broken.good).await.unwrap();
    assert_eq!(applied.done + applied.already_so, plan.steps().len());
    is_as_wanted(&broken.good, &broken.name, &optimizations(tablets)).await;
    hashed_rows_are_there(&broken.good, &broken.name).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_proxy_that_is_killed_after_a_step() {
    const TABLETS: u32 = 8;
    let Some(mut broken) = Broken::new("faults_apply").await else { return };
    let mut kill_after = 1;
    loop {
        let plan = planned(&broken, TABLETS).await;
        let steps = plan.steps();
        assert!(steps.len() > 4, "{steps:?}");
        kill_after = last_done(&steps, kill_after);
        if kill_after == steps.len() {
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

/// Returns the number of steps that are done when this step is done: changes of properties that
/// follow each other are done together.
fn last_done(steps: &[Step], done: usize) -> usize {
    let is_property =
        |step: &Step| matches!(step, Step::SetProperty { .. } | Step::RemoveProperty { .. });
    match is_property(&steps[done - 1]) {
        true => done + steps[done..].iter().take_while(|it| is_property(it)).count(),
        false => done,
    }
}

/// Checks the error of the step after the kill, which did nothing. The steps before it are kept,
/// because their undo failed too.
fn check_told(error: &ApplyError, broken: &Broken, plan: &Plan, done: usize) {
    let ApplyError::Failed { number, cause, left, .. } = error else { panic!("{error}") };
    assert_eq!((*number, cause.kind()), (done + 1, ErrorKind::Unavailable));
    assert!(!left.may_come_late && !left.is_empty());
    assert_eq!(left.kept.len(), done + 1);
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
        &format!("; table `{}` serves as before but may have kept: ", broken.name),
    );
    assert_says(&message, &format!("{first} (undoing it failed: "));
    assert_says(
        &message,
        "; apply again to finish, or plan to see what differs; the table could not be read back: ",
    );
}

/// Waits until a table has more than this number of split points. It reads the metadata, because a
/// proxy answers requests for split points or tablets only when they no longer change.
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
        let tablets = read(tables.client().scanner("accumulo.metadata", options())).await;
        // The last tablet, which has no split point, is beyond the range.
        if tablets.unwrap().len() > before {
            return;
        }
        sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until some of the split points exist, but not all.
async fn is_halfway(broken: &Broken) {
    until_more_splits(&broken.good, &broken.name, STRAYS.len()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_proxy_that_is_killed_during_a_step() {
    const TABLETS: u32 = 300;
    let Some(broken) = Broken::new("faults_halfway").await else { return };
    let plan = planned(&broken, TABLETS).await;
    let tables = broken.tables(broken.settings.clone()).await;
    let (applied, ()) = tokio::join!(plan.apply(&tables).into_future(), async {
        is_halfway(&broken).await;
        broken.kill();
    });
    let error = applied.unwrap_err();
    let ApplyError::Failed { number: 1, cause, left, .. } = &error else { panic!("{error}") };
    assert_eq!(cause.kind(), ErrorKind::Uncertain, "{cause}");
    assert!(left.may_come_late);
    let message = error.to_string();
    assert_says(&message, "step 1 of 6 failed (add 300 split points, `p:0");
    let (name, address) = (&broken.name, broken.proxy.address());
    assert_says(&message, &format!("): addSplits of `{name}` at {address}: "));
    assert_says(&message, "may have kept: add 300 split points, ");
    assert_says(
        &message,
        "; the call that failed got no answer and may still take effect, so check the table again",
    );
    applied_again(&broken, &plan, TABLETS).await;
    broken.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_for_a_proxy_that_restarts_during_a_step() {
    const TABLETS: u32 = 300;
    let Some(broken) = Broken::new("faults_waiting").await else { return };
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

/// Regression test: the property was set, and the proxy was killed before this could be checked.
/// The error denied that anything was done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn does_not_deny_a_property_that_was_set_before_the_kill() {
    let Some(broken) = Broken::new("faults_set").await else { return };
    let tables = broken.tables(broken.settings.clone()).await;
    let mut failures = Vec::new();
    let (name, address) = (broken.name.clone(), broken.proxy.address());
    let setting = tokio::spawn(async move {
        for value in 0.. {
            let value = value.to_string();
            if let Err(error) = tables.set_property(&name, GROUP_DEFAULT, &value).await {
                failures.push((value, error));
                break;
            }
        }
        failures
    });
    let properties = async || broken.good.properties(&broken.name).await.unwrap();
    until("a property is set", async || properties().await.contains_key(GROUP_DEFAULT)).await;
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
