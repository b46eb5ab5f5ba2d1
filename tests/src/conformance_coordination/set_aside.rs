//! C8: failed notifications.

use std::sync::Arc;

use fluo_core::coordination::{Applications, FailedNotification, ObserverKind};
use fluo_core::{Column, ErrorKind, RowColumn, Timestamp};
use futures::stream::{self, TryStreamExt};

use super::ground::{Ground, at, failed};

/// How many are set aside at once, where there are many.
const AT_ONCE: usize = 64;

/// C8: one of a cell takes the place of the one before, whatever else is different; it is forgotten once.
pub async fn c8_the_last_dead_letter_of_a_cell_is_kept(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let coordination = &ground.coordination;
    assert!(coordination.set_aside_list().await.unwrap().is_empty());
    coordination.set_aside(failed("r")).await.unwrap();
    let last = FailedNotification {
        kind: ObserverKind::Weak,
        timestamp: at(9),
        tries: u32::MAX,
        error: String::new(),
        failed_at_ms: i64::MIN,
        ..failed("r")
    };
    coordination.set_aside(last.clone()).await.unwrap();
    assert_eq!(
        coordination.set_aside_list().await.unwrap(),
        std::slice::from_ref(&last)
    );
    let elsewhere = RowColumn::new("r", Column::new("f", "q").with_visibility("A"));
    let forget = async |cell: &RowColumn| coordination.forget_set_aside(cell, at(9)).await.unwrap();
    assert!(!forget(&elsewhere).await);
    assert!(forget(&last.cell).await);
    assert!(!forget(&last.cell).await);
    assert!(coordination.set_aside_list().await.unwrap().is_empty());
    ground.end().await;
}

/// C8: one is forgotten up to a timestamp, and stays if it was set aside anew with a later one.
pub async fn c8_a_later_dead_letter_is_not_removed(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let coordination = &ground.coordination;
    let first = failed("r");
    let again = FailedNotification {
        timestamp: at(first.timestamp.get() + 1),
        ..failed("r")
    };
    coordination.set_aside(first.clone()).await.unwrap();
    coordination.set_aside(again.clone()).await.unwrap();
    let forget = async |up_to| {
        coordination
            .forget_set_aside(&first.cell, up_to)
            .await
            .unwrap()
    };
    assert!(!forget(first.timestamp).await);
    assert!(!forget(Timestamp::ZERO).await);
    assert_eq!(coordination.set_aside_list().await.unwrap(), [again]);
    assert!(forget(Timestamp::MAX).await);
    assert!(coordination.set_aside_list().await.unwrap().is_empty());
    ground.end().await;
}

/// C8: they are listed in the order of their cells, whatever bytes these have, and come back as they were.
pub async fn c8_dead_letters_are_listed_by_cell(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let parts: [&'static [u8]; 6] = [b"", b"\0", b"\0\xff", b"\x01", b"a/b", b"\xff"];
    let mut all = Vec::new();
    for row in parts {
        for qualifier in parts {
            for visibility in ["", "A"] {
                let column = Column::new(row, qualifier).with_visibility(visibility);
                all.push(FailedNotification {
                    cell: RowColumn::new(row, column),
                    ..failed("")
                });
            }
        }
    }
    let set_aside = all.iter().rev().map(Ok).collect::<Vec<_>>();
    stream::iter(set_aside)
        .try_for_each_concurrent(AT_ONCE, |failed| {
            ground.coordination.set_aside(failed.clone())
        })
        .await
        .unwrap();
    all.sort_by(|a, b| a.cell.cmp(&b.cell));
    assert_eq!(ground.open().await.set_aside_list().await.unwrap(), all);
    ground.end().await;
}

/// C8: of an error that is too long the beginning is kept, in whole characters.
pub async fn c8_a_long_error_is_truncated(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let long = FailedNotification {
        error: format!("a{}", "é".repeat(5_000)),
        ..failed("r")
    };
    ground.coordination.set_aside(long.clone()).await.unwrap();
    let kept = ground.coordination.set_aside_list().await.unwrap();
    assert_eq!(kept, [long.bounded()]);
    assert_eq!(kept[0].error.len(), FailedNotification::MAX_ERROR_BYTES - 1);
    ground.end().await;
}

/// C8: so many cells are set aside at most. One more is refused until another is forgotten; one of a cell that is there is
/// not.
///
/// The application has as many set aside already as there may be, apart from two: of column `f:q` of rows `00000`,
/// `00001` and so on.
///
/// # Panics
/// Where the rule does not hold.
pub async fn c8_the_number_of_dead_letters_is_bounded(
    applications: Arc<dyn Applications>,
    name: &str,
) {
    let coordination = applications.open(name).await.unwrap();
    let most = FailedNotification::MAX_SET_ASIDE;
    let row = |number: usize| failed(format!("{number:05}"));
    for number in most - 2..most {
        coordination.set_aside(row(number)).await.unwrap();
    }
    let error = coordination.set_aside(row(most)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "10000 failed notifications are stored, which is the maximum; fix the cause of the \
         failures, then retry or remove some"
    );
    coordination.set_aside(row(7)).await.unwrap();
    assert_eq!(coordination.set_aside_list().await.unwrap().len(), most);
    let seven = row(7);
    let forgotten = coordination.forget_set_aside(&seven.cell, seven.timestamp);
    assert!(forgotten.await.unwrap());
    coordination.set_aside(row(most)).await.unwrap();
    assert!(coordination.set_aside(row(7)).await.is_err());
    // Another application has its own bound.
    let other = Ground::new(&applications).await;
    other.coordination.set_aside(row(0)).await.unwrap();
    other.end().await;
    assert_eq!(coordination.set_aside_list().await.unwrap().len(), most);
    drop(coordination);
    applications.remove(name).await.unwrap();
}
