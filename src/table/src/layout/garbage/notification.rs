//! The garbage in a column of notifications.

use crate::layout::notification::is_deletion;

/// Returns the garbage in a column of notifications, which has entries with these timestamps in
/// stored order: all entries except the newest, and the newest too if it is a deletion. `is_full`
/// means that no entries of the column are stored elsewhere.
///
/// If other entries may be stored elsewhere, a deletion is dropped only together with the
/// notification that it deletes: that is, if below it notifications and deletions alternate, down
/// to a notification. Otherwise it is kept, and dropped when the whole column is processed.
pub fn notification_garbage(mut stamps: Vec<i64>, is_full: bool) -> Vec<i64> {
    let deletions = || stamps.iter().map(|stamp| is_deletion(*stamp));
    let alternate = || deletions().zip(deletions().skip(1)).all(|(newer, older)| newer != older);
    let is_settled = is_full || (deletions().next_back() == Some(false) && alternate());
    let keeps_newest = deletions().next().is_some_and(|is_deletion| !is_deletion || !is_settled);
    if keeps_newest {
        stamps.remove(0);
    }
    stamps
}
