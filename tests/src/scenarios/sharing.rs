//! Workers that share the notifications.

use std::num::NonZeroU32;

use fluo_engine::Observers;
use fluo_table::layout::{Partition, is_unpartitioned, notification_column};
use fluo_table::{Column, Instance};

use super::observed::{Runs, column, counts, idle, read, set_all, work};
use crate::Fixture;

const ROWS: usize = 60;

/// Checks that each worker runs only the notifications that hash to its share, on every table.
pub async fn two_workers_share_notifications_and_each_commits_once(instance: Instance) {
    let runs = Runs::default();
    let observers = |worker| {
        let counts = counts(worker, &runs);
        Observers::new().strong(column("a"), "count", counts).unwrap()
    };
    let fixture = Fixture::observed(&instance, &observers(0)).await;
    // Workers notice their own commits directly, so a third client sets the notifications.
    let notifier = fixture.client().await;
    let (one, two) = (fixture.client().await, fixture.client().await);
    let workers = [work(&one).await, work(&two.with_observers(observers(1))).await];
    let rows = (0..ROWS).map(|row| format!("row {row}"));
    for round in 1..=3 {
        runs.lock().unwrap().clear();
        set_all(&notifier, rows.clone().map(|row| (row, round)), "a").await;
        idle(&notifier).await;
        let now = notifier.snapshot().await.unwrap();
        for row in rows.clone() {
            assert_eq!(read(&now, &row, "count").await, round, "{row}");
        }
    }
    // In the first round a worker may still have scanned for all notifications. In the last round
    // both workers know the shares.
    let share = |rank| Partition::new(NonZeroU32::MIN.saturating_add(1), rank).unwrap();
    let hashed = notification_column(&column("a")).qualifier;
    let mut took_part = [0, 0];
    for (row, by) in &*runs.lock().unwrap() {
        let owner = usize::from(share(1).contains(row, &hashed));
        assert!(by.iter().all(|worker| *worker == owner), "{row:?}: {by:?}");
        took_part[owner] += 1;
    }
    assert_eq!(took_part[0] + took_part[1], ROWS);
    assert!(took_part.iter().all(|rows| *rows > ROWS / 5), "{took_part:?}");
    for worker in workers {
        worker.stop().await;
    }
}

/// Checks that a notification is processed that Fluo's filter on the servers shows to none of three
/// workers, because its hash has no absolute value.
pub async fn three_workers_process_an_unpartitioned_notification(instance: Instance) {
    const ROW: &str = "adb:A0BM";
    let strong = Column::new("s", "strong");
    let qualifier = notification_column(&strong).qualifier;
    assert!(is_unpartitioned(ROW.as_bytes(), &qualifier));
    let runs = Runs::default();
    let observers = |worker| {
        let counts = counts(worker, &runs);
        let observers = Observers::new().strong(Column::new("s", "strong"), "count", counts);
        observers.unwrap()
    };
    let fixture = Fixture::observed(&instance, &observers(0)).await;
    let notifier = fixture.client().await;
    let mut workers = Vec::new();
    for worker in 0..3 {
        let client = fixture.client().await.with_observers(observers(worker));
        workers.push(work(&client).await);
    }
    for round in 1..=2 {
        notifier.run(async |tx| tx.set(ROW, &strong, round.to_string())).await.unwrap();
        idle(&notifier).await;
        let now = notifier.snapshot().await.unwrap();
        assert_eq!(read(&now, ROW, "count").await, round);
    }
    for worker in workers {
        worker.stop().await;
    }
}
