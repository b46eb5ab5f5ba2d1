//! C8: failed notifications.

use std::sync::Arc;

use fluo_table::coordination::{Applications, FailedNotification, ObserverKind};
use fluo_table::{Column, ErrorKind, RowColumn, Timestamp};
use futures::stream::{self, TryStreamExt};

use super::ground::{Ground, at, failed};

/// Number of concurrent calls that store dead letters.
const AT_ONCE: usize = 64;

/// Checks C8: a dead letter replaces the previous one of its cell, even if all other fields differ.
/// It is removed once.
pub async fn c8_the_last_dead_letter_of_a_cell_is_kept(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let coordination = &ground.coordination;
    assert!(coordination.dead_letters().await.unwrap().is_empty());
    coordination.add_dead_letter(failed("r")).await.unwrap();
    let last = FailedNotification {
        kind: ObserverKind::Weak,
        timestamp: at(9),
        tries: u32::MAX,
        error: String::new(),
        failed_at_ms: i64::MIN,
        ..failed("r")
    };
    coordination.add_dead_letter(last.clone()).await.unwrap();
    assert_eq!(coordination.dead_letters().await.unwrap(), std::slice::from_ref(&last));
    let elsewhere = RowColumn::new("r", Column::new("f", "q").with_visibility("A"));
    let forget =
        async |cell: &RowColumn| coordination.remove_dead_letter(cell, at(9)).await.unwrap();
    assert!(!forget(&elsewhere).await);
    assert!(forget(&last.cell).await);
    assert!(!forget(&last.cell).await);
    assert!(coordination.dead_letters().await.unwrap().is_empty());
}

/// Checks C8: a dead letter is removed up to a timestamp. It stays if it was stored again with a
/// later timestamp.
pub async fn c8_a_later_dead_letter_is_not_removed(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let coordination = &ground.coordination;
    let first = failed("r");
    let again = FailedNotification { timestamp: at(first.timestamp.get() + 1), ..failed("r") };
    coordination.add_dead_letter(first.clone()).await.unwrap();
    coordination.add_dead_letter(again.clone()).await.unwrap();
    let forget = async |up_to| coordination.remove_dead_letter(&first.cell, up_to).await.unwrap();
    assert!(!forget(first.timestamp).await);
    assert!(!forget(Timestamp::ZERO).await);
    assert_eq!(coordination.dead_letters().await.unwrap(), [again]);
    assert!(forget(Timestamp::MAX).await);
    assert!(coordination.dead_letters().await.unwrap().is_empty());
}

/// Checks C8: dead letters are listed in the order of their cells, for cells of any bytes, and are
/// stored unchanged.
pub async fn c8_dead_letters_are_listed_by_cell(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let parts: [&'static [u8]; 6] = [b"", b"\0", b"\0\xff", b"\x01", b"a/b", b"\xff"];
    let mut all = Vec::new();
    for row in parts {
        for qualifier in parts {
            for visibility in ["", "A"] {
                let column = Column::new(row, qualifier).with_visibility(visibility);
                all.push(FailedNotification { cell: RowColumn::new(row, column), ..failed("") });
            }
        }
    }
    let set_aside = all.iter().rev().map(Ok).collect::<Vec<_>>();
    stream::iter(set_aside)
        .try_for_each_concurrent(AT_ONCE, |failed| {
            ground.coordination.add_dead_letter(failed.clone())
        })
        .await
        .unwrap();
    all.sort_by(|a, b| a.cell.cmp(&b.cell));
    assert_eq!(ground.open().await.dead_letters().await.unwrap(), all);
}

/// Checks C8: an error that is too long is truncated at the end of a character.
pub async fn c8_a_long_error_is_truncated(applications: Arc<dyn Applications>) {
    let ground = Ground::new(&applications).await;
    let long = FailedNotification { error: format!("a{}", "é".repeat(5_000)), ..failed("r") };
    ground.coordination.add_dead_letter(long.clone()).await.unwrap();
    let kept = ground.coordination.dead_letters().await.unwrap();
    assert_eq!(kept, [long.bounded()]);
    assert_eq!(kept[0].error.len(), FailedNotification::MAX_ERROR_BYTES - 1);
}

/// Checks C8: the number of cells with a dead letter is limited. At the limit a dead letter of
/// another cell is rejected until one is removed, and a dead letter of a cell that already has one
/// is accepted.
///
/// The application already has two dead letters fewer than the maximum, of the column `f:q` of the
/// rows `00000`, `00001` and so on.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn c8_the_number_of_dead_letters_is_bounded(
    applications: Arc<dyn Applications>,
    name: &str,
) {
    let coordination = applications.open(name).await.unwrap();
    let most = FailedNotification::MAX_DEAD_LETTERS;
    let row = |number: usize| failed(format!("{number:05}"));
    for number in most - 2..most {
        coordination.add_dead_letter(row(number)).await.unwrap();
    }
    let error = coordination.add_dead_letter(row(most)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "the maximum of 10000 failed notifications is stored; fix the cause, then retry or remove some"
    );
    coordination.add_dead_letter(row(7)).await.unwrap();
    assert_eq!(coordination.dead_letters().await.unwrap().len(), most);
    let seven = row(7);
    let forgotten = coordination.remove_dead_letter(&seven.cell, seven.timestamp);
    assert!(forgotten.await.unwrap());
    coordination.add_dead_letter(row(most)).await.unwrap();
    assert!(coordination.add_dead_letter(row(7)).await.is_err());
    // Other applications have their own limit.
    let other = Ground::new(&applications).await;
    other.coordination.add_dead_letter(row(0)).await.unwrap();
    other.end().await;
    assert_eq!(coordination.dead_letters().await.unwrap().len(), most);
    drop(coordination);
    applications.remove(name).await.unwrap();
}
