//! T16, for tables that write rows together. On other tables these functions check nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fluo_table::coordination::PendingCommit;
use fluo_table::{
    Condition, ConditionalMutation, ErrorKind, Filter, Mutation, Outcome, Result, Table,
    TableAdmin, Timestamp, Versions,
};
use futures::FutureExt;
use tokio::sync::oneshot;

use super::ground::{Ground, column};

fn put(row: &'static str, qualifier: &'static str, value: &'static str) -> Mutation {
    Mutation::new(row).put(column(qualifier), value)
}

fn always(mutation: Mutation) -> ConditionalMutation {
    ConditionalMutation { mutation, conditions: Vec::new() }
}

fn absent(qualifier: &'static str) -> Condition {
    Condition::absent(column(qualifier))
}

fn value(qualifier: &'static str, value: &'static str) -> Condition {
    Condition::value(column(qualifier), value)
}

async fn write(table: &dyn Table, mutations: Vec<ConditionalMutation>) -> Option<Result<Outcome>> {
    Some(table.together()?.write_atomically(mutations, None).await)
}

/// Checks T16: the mutations are written if the conditions of all of them hold; otherwise none is
/// written. All conditions are checked before anything is written.
pub async fn t16_rows_are_written_together_or_not_at_all(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let table = &*ground.table;
    ground.write(vec![put("b", "q", "old")]).await;
    let wanted: [(&str, Vec<ConditionalMutation>, bool); 7] = [
        (
            "the last does not hold",
            vec![
                put("a", "q", "v").when(absent("q")),
                always(put("c", "q", "v")),
                put("b", "q", "v").when(absent("q")),
            ],
            false,
        ),
        (
            "the first does not hold",
            vec![put("b", "q", "v").when(absent("q")), put("a", "q", "v").when(absent("q"))],
            false,
        ),
        (
            "one of two conditions of a row does not hold",
            vec![
                put("a", "q", "v").when(absent("q")),
                put("b", "q", "v").when(value("q", "old")).and(value("q", "new")),
            ],
            false,
        ),
        (
            "all hold, and one has none",
            vec![
                put("a", "q", "v").when(absent("q")),
                put("b", "q", "new").when(value("q", "old")),
                always(put("c", "q", "v")),
            ],
            true,
        ),
        (
            "a condition holds only after an earlier mutation of the call",
            vec![put("d", "q", "v").when(absent("q")), put("d", "r", "v").when(value("q", "v"))],
            false,
        ),
        (
            "a condition no longer holds after an earlier mutation of the call",
            vec![put("d", "q", "v").when(absent("q")), put("d", "q", "w").when(absent("q"))],
            true,
        ),
        (
            "a condition holds through a filter of transactions",
            vec![
                put("e", "q", "v").when(absent("none").through(Filter::OpenReadLocks)),
                put("a", "r", "v").when(value("q", "v")),
            ],
            true,
        ),
    ];
    for (case, mutations, is_accepted) in wanted {
        let before = ground.all().await;
        let Some(outcome) = write(table, mutations.clone()).await else {
            return ground.end().await;
        };
        let outcome = outcome.unwrap();
        match is_accepted {
            true => assert!(outcome.is_accepted(), "{case}: {outcome:?}"),
            false => {
                assert!(matches!(outcome, Outcome::Rejected), "{case}: {outcome:?}");
                assert_eq!(ground.all().await, before, "{case}");
                continue;
            }
        }
        // If two mutations write the same row and column, the later one wins, as always (T6).
        let last = mutations.last().unwrap();
        let update = last.mutation.updates.first().unwrap();
        let found = table.get(last.mutation.row.clone(), &update.column).await;
        assert!(found.unwrap().is_some(), "{case}");
    }
    let found: Vec<String> = ground
        .all()
        .await
        .iter()
        .map(|cell| format!("{:?} {:?}", cell.key.row, cell.value))
        .collect();
    assert_eq!(found.len(), 6, "{found:?}");
    assert_eq!(table.get("b", &column("q")).await.unwrap(), Some("new".into()));
    assert_eq!(table.get("d", &column("q")).await.unwrap(), Some("w".into()));
}

/// Checks T16 and T8: a call with an invalid mutation, or without any condition, writes nothing.
pub async fn t16_an_invalid_call_writes_nothing(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let marked = column("m").with_visibility("A&");
    let good = || put("a", "q", "v").when(absent("q"));
    for wrong in [
        vec![],
        vec![always(put("a", "q", "v")), always(put("b", "q", "v"))],
        vec![good(), always(Mutation::new("b"))],
        vec![good(), always(Mutation::new("b").put(marked.clone(), "v"))],
        vec![good(), put("b", "q", "v").when(Condition::absent(marked))],
        vec![good(), put("b", "q", "v").when(Condition::absent(column("q").with_visibility("A")))],
    ] {
        let Some(outcome) = write(&*ground.table, wrong.clone()).await else { break };
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{wrong:?}: {error}");
        assert_eq!(ground.all().await, [], "{wrong:?}");
    }
}

const ROWS: [&str; 2] = ["left", "right"];
const TASKS: usize = 4;
const EACH: usize = 25;

/// Checks T16: a reader that reads one of two rows, which are always written together, and then
/// begins to read the other, never finds the other one older. No increment of both rows by
/// concurrent tasks is lost.
pub async fn t16_rows_that_are_written_together_are_seen_together(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    if ground.table.together().is_none() {
        return ground.end().await;
    }
    let is_written = Arc::new(AtomicBool::new(false));
    // The counting tasks start after the watcher.
    let (looks, is_watched) = oneshot::channel();
    let watcher = tokio::spawn(watch(ground.table.clone(), is_written.clone(), looks));
    is_watched.await.unwrap();
    let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(count_up(ground.table.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    is_written.store(true, Ordering::SeqCst);
    watcher.await.unwrap();
    for row in ROWS {
        assert_eq!(number(&*ground.table, row).await, TASKS * EACH, "{row}");
    }
}

async fn number(table: &dyn Table, row: &'static str) -> usize {
    let found = table.get(row, &column("count")).await.unwrap();
    found.map_or(0, |value| str::from_utf8(&value).unwrap().parse().unwrap())
}

async fn watch(table: Arc<dyn Table>, is_written: Arc<AtomicBool>, looks: oneshot::Sender<()>) {
    looks.send(()).unwrap();
    while !is_written.load(Ordering::SeqCst) {
        for [first, then] in [ROWS, [ROWS[1], ROWS[0]]] {
            let first = number(&*table, first).await;
            let then = number(&*table, then).await;
            assert!(then >= first, "{first} was seen, and then {then}");
        }
        tokio::task::yield_now().await;
    }
}

async fn count_up(table: Arc<dyn Table>) {
    for _ in 0..EACH {
        loop {
            let mut mutations = Vec::new();
            for row in ROWS {
                let count = number(&*table, row).await;
                let unchanged = match count {
                    0 => absent("count"),
                    _ => Condition::value(column("count"), count.to_string()),
                };
                let next = Mutation::new(row).put(column("count"), (count + 1).to_string());
                mutations.push(next.when(unchanged));
            }
            match write(&*table, mutations).await {
                Some(Ok(Outcome::Accepted)) => break,
                Some(Ok(Outcome::Rejected)) => tokio::task::yield_now().await,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Checks T16 and C18: a pending commit ends once its mutations can be seen, also if its caller is
/// cancelled, and at once if they are rejected or refused.
pub async fn t16_a_pending_commit_ends_when_its_write_is_visible(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let Some(together) = ground.table.together() else { return ground.end().await };
    for (case, qualifier, is_cancelled) in [
        ("accepted", "a", false),
        ("rejected", "a", false),
        ("invalid", "m", false),
        ("cancelled", "c", true),
    ] {
        let condition = match case {
            "invalid" => Condition::absent(column(qualifier).with_visibility("A")),
            _ => absent(qualifier),
        };
        let write =
            vec![put("r", qualifier, "v").when(condition), always(put("s", qualifier, "v"))];
        let (ends, ended) = oneshot::channel();
        let end = move || {
            let _ = ends.send(());
            Vec::new()
        };
        let pending = PendingCommit::new(Timestamp::FIRST, Timestamp::ZERO, end);
        let call = together.write_atomically(write, Some(pending));
        if is_cancelled {
            drop(call.now_or_never());
        } else {
            let answer = call.await;
            assert_eq!(answer.is_ok_and(|outcome| outcome.is_accepted()), case == "accepted");
        }
        ended.await.expect(case);
        let seen = ground.table.get("s", &column(qualifier)).await.unwrap();
        let is_absent = ["invalid", "cancelled"].contains(&case) && seen.is_none();
        assert!(seen.is_some() || is_absent, "{case}");
        // A later write has overtaken nothing: the mutations are seen now, or never.
        ground.write(vec![put("later", "q", "v")]).await;
        assert_eq!(ground.table.get("s", &column(qualifier)).await.unwrap(), seen, "{case}");
        assert_eq!(seen, ground.table.get("r", &column(qualifier)).await.unwrap(), "{case}");
    }
}
