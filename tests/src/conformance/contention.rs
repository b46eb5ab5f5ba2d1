//! T4, T9 and the part of A3 that needs many concurrent tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fluo_table::{
    Column, Condition, ConditionalMutation, ErrorKind, Mutation, Outcome, Scan, Span, Table,
    TableAdmin, Versions,
};
use tokio::task::JoinHandle;

use super::ground::{Ground, assert_kind, column, read};

const ROW_COLUMNS: usize = 40;

/// Checks T4: a row that fits in one batch shows all updates of a mutation, or none.
pub async fn t4_a_mutation_is_atomic(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let is_written = Arc::new(AtomicBool::new(false));
    let watchers: Vec<_> =
        (0..2).map(|_| tokio::spawn(watch_row(ground.table.clone(), is_written.clone()))).collect();
    let writers: Vec<_> =
        (0..2).map(|writer| tokio::spawn(write_row(ground.table.clone(), writer))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
    is_written.store(true, Ordering::SeqCst);
    for watcher in watchers {
        watcher.await.unwrap();
    }
    let last = ground.all().await[0].value.clone();
    let has_last = |column| Condition::value(column, last.clone());
    let conditions = columns_of_row().map(has_last).collect();
    let mutation = Mutation::new("r").put(column("seen"), "v");
    let seen = ConditionalMutation { mutation, conditions };
    let outcomes = ground.table.write_conditional(vec![seen]).await.unwrap();
    assert!(outcomes[0].is_accepted(), "{outcomes:?}");
}

async fn write_row(table: Arc<dyn Table>, writer: usize) {
    for n in 0..150 {
        let value = format!("{writer} {n}");
        let put = |row: Mutation, column| row.put(column, value.clone());
        let row = columns_of_row().fold(Mutation::new("r"), put);
        table.write(vec![row]).await.unwrap();
        tokio::task::yield_now().await;
    }
}

/// Returns enough columns to detect a table that does not write them atomically, and few enough for
/// one batch.
fn columns_of_row() -> impl Iterator<Item = Column> {
    (0..ROW_COLUMNS).map(|n| Column::new("f", format!("{n:02}")))
}

async fn watch_row(table: Arc<dyn Table>, is_written: Arc<AtomicBool>) {
    while !is_written.load(Ordering::SeqCst) {
        let cells = table.read(Scan::over(Span::row("r"))).await.unwrap();
        let is_whole = cells.is_empty() || cells.len() == ROW_COLUMNS;
        assert!(is_whole, "half a mutation: {cells:?}");
        let is_one = cells.windows(2).all(|pair| pair[0].value == pair[1].value);
        assert!(is_one, "parts of two mutations: {cells:?}");
        tokio::task::yield_now().await;
    }
}

/// Maximum number of attempts. Each rejected attempt is a success of another task, and there are
/// fewer successes than this.
const MAX_ATTEMPTS: usize = 1_000;

/// Checks T9: no increment by concurrent tasks is lost.
pub async fn t9_concurrent_increments_are_all_counted(tables: Arc<dyn TableAdmin>) {
    const TASKS: usize = 6;
    const EACH: usize = 25;
    let ground = Ground::new(&tables, Versions::default()).await;
    let increment = |task| tokio::spawn(increment(ground.table.clone(), task, EACH));
    let tasks: Vec<_> = (0..TASKS).map(increment).collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(counter(&*ground.table).await, TASKS * EACH);
    for task in 0..TASKS {
        let done = ground.table.get("counter", &done_by(task)).await.unwrap();
        assert_eq!(done, Some(EACH.to_string().into()), "task {task}");
    }
}

fn done_by(task: usize) -> Column {
    Column::new("done", format!("{task}"))
}

async fn counter(table: &dyn Table) -> usize {
    let value = table.get("counter", &column("count")).await.unwrap();
    value.map_or(0, |value| str::from_utf8(&value).unwrap().parse().unwrap())
}

async fn increment(table: Arc<dyn Table>, task: usize, times: usize) {
    for nth in 1..=times {
        let nth = nth.to_string();
        for attempt in 0.. {
            assert!(attempt < MAX_ATTEMPTS, "rejected, though no other task was accepted");
            let count = counter(&*table).await;
            let unchanged = match count {
                0 => Condition::absent(column("count")),
                _ => Condition::value(column("count"), count.to_string()),
            };
            let next = Mutation::new("counter").put(column("count"), (count + 1).to_string());
            let next = next.put(done_by(task), nth.clone()).when(unchanged);
            match &table.write_conditional(vec![next]).await.unwrap()[..] {
                [Outcome::Accepted] => break,
                [Outcome::Rejected] => {}
                [Outcome::ConstraintViolation(error)] => panic!("{error}"),
                // A write that is applied later still finds the count that it expects, or is
                // rejected.
                [Outcome::Unknown(_)] => {
                    let done = table.get("counter", &done_by(task)).await.unwrap();
                    if done.is_some_and(|done| done == nth) {
                        break;
                    }
                }
                outcomes => panic!("{outcomes:?} of one mutation"),
            }
        }
    }
}

/// Checks T9: if many tasks claim a row concurrently, exactly one is accepted, for each row.
pub async fn t9_one_of_many_claims_is_accepted(tables: Arc<dyn TableAdmin>) {
    const ROWS: usize = 50;
    let ground = Ground::new(&tables, Versions::default()).await;
    let claim = |task| tokio::spawn(claim_rows(ground.table.clone(), task, ROWS));
    let tasks: Vec<_> = (0..5).map(claim).collect();
    let mut owners = vec![Vec::new(); ROWS];
    for (task, claims) in tasks.into_iter().enumerate() {
        for row in claims.await.unwrap() {
            owners[row].push(task);
        }
    }
    for (row, owners) in owners.iter().enumerate() {
        let owner = ground.table.get(format!("{row:03}"), &column("owner")).await.unwrap();
        let [one] = owners[..] else { panic!("row {row} belongs to {owners:?}") };
        assert_eq!(owner, Some(one.to_string().into()));
    }
}

async fn claim_rows(table: Arc<dyn Table>, task: usize, rows: usize) -> Vec<usize> {
    let claim = |row| {
        let put = Mutation::new(format!("{row:03}")).put(column("owner"), task.to_string());
        put.when(Condition::absent(column("owner")))
    };
    let mut claimed = Vec::new();
    // Each call has several rows, and each task uses another order.
    let order: Vec<_> = (0..rows).map(|n| (n * 7 + task * 11) % rows).collect();
    for rows in order.chunks(5) {
        let outcomes = table.write_conditional(rows.iter().copied().map(claim).collect()).await;
        for (&row, outcome) in rows.iter().zip(outcomes.unwrap()) {
            if settled(&*table, row, task, &outcome).await {
                claimed.push(row);
            }
        }
    }
    claimed
}

async fn settled(table: &dyn Table, row: usize, task: usize, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Accepted => true,
        Outcome::Rejected | Outcome::ConstraintViolation(_) => false,
        Outcome::Unknown(_) => {
            let owner = table.get(format!("{row:03}"), &column("owner")).await.unwrap();
            owner.is_some_and(|owner| owner == task.to_string())
        }
    }
}

/// Checks A3: a write that is concurrent with the deletion of its table never reaches the next
/// table of that name.
pub async fn a3_no_write_reaches_the_next_table(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let is_deleted = Arc::new(AtomicBool::new(false));
    let write = |writer| {
        let table = ground.table.clone();
        tokio::spawn(write_until_deleted(table, writer, is_deleted.clone()))
    };
    let writers: Vec<_> = (0..3).map(write).collect();
    while ground.all().await.len() < 3 {
        assert!(!writers.iter().any(JoinHandle::is_finished), "a write failed");
        tokio::task::yield_now().await;
    }
    tables.delete_table(&ground.name).await.unwrap();
    is_deleted.store(true, Ordering::SeqCst);
    tables.create_table(&ground.name, Versions::default()).await.unwrap();
    for writer in writers {
        writer.await.unwrap();
    }
    let new = ground.reader(&[]).await;
    assert_eq!(read(&*new, Scan::over(Span::all())).await, []);
    ground.end().await;
}

async fn write_until_deleted(table: Arc<dyn Table>, writer: usize, is_deleted: Arc<AtomicBool>) {
    for n in 0.. {
        let must_fail = is_deleted.load(Ordering::SeqCst);
        let put = Mutation::new(format!("{writer} {n:06}")).put(column("q"), "v");
        let result = if n % 2 == 0 {
            table.write(vec![put]).await
        } else {
            let put = vec![put.when(Condition::absent(column("q")))];
            table.write_conditional(put).await.map(|_| ())
        };
        if must_fail || result.is_err() {
            return assert_kind(result, ErrorKind::NotFound, "a write to a deleted table");
        }
        // Without this, a table that answers at once would never let other tasks run.
        tokio::task::yield_now().await;
    }
}
