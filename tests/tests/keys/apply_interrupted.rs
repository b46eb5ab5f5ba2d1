//! `apply` is stopped at every call that it makes, in every way in which a call can fail, and then
//! run again.
//!
//! An undone run leaves the table as it was before. An interrupted run leaves it somewhere in
//! between, and a second run finishes. The second run always ends in the same state as an
//! undisturbed run.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{
    ApplyError, ApplyEvent, KeyDesign, Plan, RowHasher, Step, TableOptimizations, TableRequirement,
    Unsalted,
};
use fluo_table::table::property::BALANCER;
use fluo_table::{Bytes, MemoryTables, TableAdmin, Versions};
use fluo_tests::{Call, Fault, FaultyTables, Intercepted};
use futures::FutureExt;
use tokio::sync::Notify;

const TABLE: &str = "pages";
const FAULTS: [Fault; 4] = [Fault::Before, Fault::After, Fault::Lost, Fault::Partial];

type State = (Vec<Bytes>, BTreeMap<String, String>);

fn optimizations() -> TableOptimizations {
    let of = |prefix: &str, tablets| {
        RowHasher::new(prefix).unwrap().table_optimizations(tablets).unwrap()
    };
    of("p", 7).merge(of("q", 2)).unwrap()
}

/// Creates a table with three runs of superfluous split points, some of them between the planned
/// ones, one of the planned ones, and another balancer, which an undo must restore.
async fn prepare(tables: &dyn TableAdmin) {
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    let splits = ["a", "b", "p:~", "p:zz", "q:5", "z"].map(Bytes::from);
    tables.add_splits(TABLE, &BTreeSet::from(splits)).await.unwrap();
    tables.set_property(TABLE, BALANCER, "org.example.Balancer").await.unwrap();
}

async fn memory() -> Arc<dyn TableAdmin> {
    let tables = MemoryTables::new();
    prepare(&tables).await;
    Arc::new(tables)
}

/// Temporary directories of embedded tables, which are deleted together.
#[derive(Default)]
struct Directories(Mutex<Vec<tempfile::TempDir>>);

impl Directories {
    async fn prepared(&self) -> Arc<dyn TableAdmin> {
        let directory = tempfile::tempdir().unwrap();
        let options = EmbeddedOptions::new().create_if_missing(true);
        let tables = EmbeddedTables::open(directory.path(), options).unwrap();
        self.0.lock().unwrap().push(directory);
        prepare(&tables).await;
        Arc::new(tables)
    }
}

async fn state(tables: &dyn TableAdmin) -> State {
    (tables.splits(TABLE).await.unwrap(), tables.properties(TABLE).await.unwrap())
}

async fn planned(tables: &dyn TableAdmin) -> Plan {
    optimizations().plan(tables, TABLE).prune(true).await.unwrap()
}

async fn run(tables: &dyn TableAdmin, plan: &Plan) -> Result<usize, ApplyError> {
    plan.apply(tables).await.map(|applied| applied.done)
}

/// Returns the number of changing calls of an undisturbed run, and the state after it.
async fn undisturbed(directories: &Directories) -> (usize, State) {
    let tables = directories.prepared().await;
    let plan = planned(&*tables).await;
    let counting = FaultyTables::new(Arc::clone(&tables));
    let done = run(&counting, &plan).await.unwrap();
    assert_eq!(done, plan.steps().len());
    (counting.changes(), state(&*tables).await)
}

#[tokio::test]
async fn each_failing_step_is_undone() {
    let directories = Directories::default();
    let (calls, end) = undisturbed(&directories).await;
    assert!(calls >= 7, "one addition, three properties, three merges at least: {calls}");
    for (call, fault) in (0..calls).flat_map(|call| FAULTS.map(|fault| (call, fault))) {
        let tables = directories.prepared().await;
        let (before, plan) = (state(&*tables).await, planned(&*tables).await);
        let faulty = FaultyTables::new(Arc::clone(&tables)).fail_call(call, fault);

        let error = run(&faulty, &plan).await.unwrap_err();
        let ApplyError::Failed { number, left, .. } = &error else { panic!("{error}") };
        assert_eq!(*number, call + 1);
        assert_eq!(left.kept.len(), 0, "{left}");
        assert_eq!(left.may_come_late, fault != Fault::Before);
        let outcome = match (call, fault) {
            (0, Fault::Before) => "nothing was changed on table `pages`",
            _ => "everything was undone, table `pages` is as it was before",
        };
        assert!(error.to_string().contains(outcome), "{error}");
        assert_eq!(state(&*tables).await, before, "call {call} {fault:?}");

        run(&*tables, &plan).await.unwrap();
        assert_eq!(state(&*tables).await, end, "call {call} {fault:?}, the second run");
    }
}

#[tokio::test]
async fn an_interrupted_run_can_be_finished() {
    let directories = Directories::default();
    let (calls, end) = undisturbed(&directories).await;
    for (call, fault) in (0..calls).flat_map(|call| FAULTS.map(|fault| (call, fault))) {
        let tables = directories.prepared().await;
        let (before, plan) = (state(&*tables).await, planned(&*tables).await);
        // The undo is interrupted as well: as after a kill, the completed steps stay.
        let cut_off = (call..call + 100)
            .fold(FaultyTables::new(Arc::clone(&tables)), |faulty, n| faulty.fail_call(n, fault));
        let error = run(&cut_off, &plan).await.unwrap_err();
        let ApplyError::Failed { left, .. } = &error else { panic!("{error}") };
        // The error reports the changes that were read back, not the answers of the calls.
        let now = state(&*tables).await;
        assert_eq!(left.kept.is_empty(), now == before, "{left}");
        assert_eq!(error.to_string().contains("apply again to finish"), now != before, "{error}");

        // The saved plan still applies, because the table is between its start and its end.
        let resumed = run(&*tables, &plan).await.unwrap();
        assert!(resumed <= plan.steps().len());
        assert_eq!(state(&*tables).await, end, "call {call} {fault:?}");
        assert_eq!(run(&*tables, &plan).await.unwrap(), 0, "a third run has nothing to do");
    }
}

/// Drops the future of a run after each call, like a process that is killed.
#[tokio::test]
async fn a_dropped_run_can_be_finished() {
    let directories = Directories::default();
    let (calls, end) = undisturbed(&directories).await;
    for after in 0..calls {
        let tables = directories.prepared().await;
        let plan = planned(&*tables).await;
        let (sent, stopped) = (AtomicUsize::new(0), Arc::new(Notify::new()));
        let stop = Arc::clone(&stopped);
        let stopping = Intercepted::with_hooks(Arc::clone(&tables), move |_: &Call| {
            let goes_on = sent.fetch_add(1, Ordering::SeqCst) < after;
            let stop = Arc::clone(&stop);
            async move {
                if !goes_on {
                    stop.notify_one();
                    std::future::pending::<()>().await;
                }
                Ok(None)
            }
        });
        tokio::select! {
            () = stopped.notified() => {}
            run = plan.apply(&stopping) => panic!("{run:?}"),
        }
        run(&*tables, &planned(&*tables).await).await.unwrap();
        assert_eq!(state(&*tables).await, end, "stopped after {after}");
    }
}

#[tokio::test]
async fn the_message_names_the_step_the_cause_and_the_remaining_changes() {
    let tables = memory().await;
    let plan = planned(&*tables).await;
    let faulty = FaultyTables::new(Arc::clone(&tables)).fail_call(3, Fault::Before);
    assert_eq!(
        run(&faulty, &plan).await.unwrap_err().to_string(),
        "step 4 of 8 failed (set table.balancer to \
         `org.apache.accumulo.core.spi.balancer.RegexGroupBalancer` in place of `org.example.Balancer`): \
         injected fault: the call was not sent; nothing was done; everything was undone, table `pages` is as \
         it was before"
    );

    let faulty = FaultyTables::new(tables).fail_call(1, Fault::Before).fail_call(3, Fault::Before);
    assert_eq!(
        run(&faulty, &plan).await.unwrap_err().to_string(),
        "step 2 of 8 failed (set table.custom.balancer.group.regex.pattern to `(\\Qp:\\E|\\Qq:\\E).*`): \
         injected fault: the call was not sent; nothing was done; table `pages` serves as before but may have \
         kept: add 8 split points, `p:5556` to `q:~` (undoing it failed: injected fault: the call was not \
         sent; nothing was done); apply again to finish, or plan to see what differs"
    );
}

/// Regression test: another application split the table while a plan was applied, and then a step
/// failed. The undo also merged the tablets of the other application, and the message called the
/// table unchanged.
#[tokio::test]
async fn undo_keeps_the_split_points_of_others() {
    let tables = MemoryTables::new();
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    let plan = planned(&tables).await;
    let faulty = FaultyTables::new(Arc::new(tables.clone())).fail_call(2, Fault::Before);
    let others = ["app2:1", "p:5", "p:~~"].map(Bytes::from);
    let watch = |event: ApplyEvent<'_>| {
        if matches!(event, ApplyEvent::Begin(Step::SetProperty { .. })) {
            let added = tables.add_splits(TABLE, &BTreeSet::from(others.clone())).now_or_never();
            added.expect("tables in memory answer at once").unwrap();
        }
    };
    let error = plan.apply(&faulty).on_event(watch).await.unwrap_err();
    assert!(error.to_string().contains("everything was undone"), "{error}");
    assert_eq!(tables.splits(TABLE).await.unwrap(), others);
}

/// Checks the same for a plan that removes split points.
#[tokio::test]
async fn prune_keeps_the_split_points_of_others() {
    let tables = MemoryTables::new();
    prepare(&tables).await;
    let plan = planned(&tables).await;
    let watch = |event: ApplyEvent<'_>| {
        if matches!(event, ApplyEvent::Begin(Step::RemoveSplits(_))) {
            let added = tables.add_splits(TABLE, &BTreeSet::from(["aa".into()])).now_or_never();
            added.expect("tables in memory answer at once").unwrap();
        }
    };
    plan.apply(&tables).on_event(watch).await.unwrap();
    let splits = tables.splits(TABLE).await.unwrap();
    assert_eq!(
        splits.first().map(AsRef::as_ref),
        Some(&b"aa"[..]),
        "`a` and `b` are removed, `aa` between them is not"
    );
}

/// Checks that a step with several merges reads the split points again before each.
#[tokio::test]
async fn prune_keeps_what_others_add_between_two_merges() {
    let tables = MemoryTables::new();
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    let point = |n: u32| Bytes::from(format!("{n:04}"));
    tables.add_splits(TABLE, &(0..400).map(point).collect()).await.unwrap();
    let design = KeyDesign::new(Unsalted {}).unwrap();
    let odd = (1..400).step_by(2).map(point);
    let wanted = TableRequirement::for_key_design_at(&design, odd).unwrap();
    let plan = TableOptimizations::from(wanted).plan(&tables, TABLE).prune(true).await.unwrap();
    let (inner, is_added) = (tables.clone(), AtomicBool::new(false));
    let other = Bytes::from("00015");
    let added = BTreeSet::from([other.clone()]);
    let others = Intercepted::with_hooks(Arc::new(tables.clone()), move |call: &Call| {
        if matches!(call, Call::Admin("merge")) && !is_added.swap(true, Ordering::Relaxed) {
            let added = inner.add_splits(TABLE, &added).now_or_never();
            added.expect("tables in memory answer at once").unwrap();
        }
        ready(Ok(None))
    });
    plan.apply(&others).await.unwrap();
    let splits = tables.splits(TABLE).await.unwrap();
    assert_eq!((splits.len(), splits.contains(&other)), (201, true));
}

/// Regression test: a user who may not alter the table got a message about an unnecessary undo.
#[tokio::test]
async fn a_first_step_that_is_refused_needs_no_undo() {
    let tables = memory().await;
    let plan = planned(&*tables).await;
    let faulty = FaultyTables::new(tables).fail_call(0, Fault::Before);
    let mut events = Vec::new();
    let watch = |event: ApplyEvent<'_>| events.push(format!("{event:?}"));
    let error = plan.apply(&faulty).on_event(watch).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 1 of 8 failed (add 8 split points, `p:5556` to `q:~`): injected fault: the call was not sent; nothing \
         was done; nothing was changed on table `pages`"
    );
    let ApplyError::Failed { left, .. } = &error else { panic!("{error}") };
    assert!(left.is_empty());
    assert_eq!(faulty.changes(), 1, "only the step itself");
    assert_eq!(events.len(), 2, "a begin and a failure: {events:?}");
}

/// Regression test: the message called a deleted table unchanged and unreadable in one sentence.
#[tokio::test]
async fn reports_a_table_that_is_deleted_during_a_run() {
    let tables = MemoryTables::new();
    prepare(&tables).await;
    let plan = planned(&tables).await;
    let mut events = Vec::new();
    let watch = |event: ApplyEvent<'_>| {
        if matches!(event, ApplyEvent::Done(Step::AddSplits(_))) {
            let deleted = tables.delete_table(TABLE).now_or_never();
            deleted.expect("tables in memory answer at once").unwrap();
        }
        events.push(format!("{event:?}"));
    };
    let error = plan.apply(&tables).on_event(watch).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 2 of 8 failed (set table.custom.balancer.group.regex.pattern to `(\\Qp:\\E|\\Qq:\\E).*`): there is no \
         table `pages`; table `pages` no longer exists, so there is nothing to undo (if it was renamed, it keeps the changes)"
    );
    let ApplyError::Failed { left, .. } = &error else { panic!("{error}") };
    assert!(left.is_table_gone && !left.is_empty());
    assert!(!events.iter().any(|event| event.contains("Undo")), "{events:?}");
}
