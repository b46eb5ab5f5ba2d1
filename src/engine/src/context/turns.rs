//! Turns of transactions that conflict with each other.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::time::Duration;

use fluo_table::RowColumn;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

/// Maximum time to wait for a turn.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The turns of one client's transactions that are retried after a conflict.
///
/// Of transactions that change one cell at the same time, one commits and the others have worked in
/// vain. A retry therefore waits until the retries before it at the same cell have ended. A turn is
/// not a lock: it does not keep out other processes, first attempts, or a retry that has waited for
/// [`LONGEST_WAIT`].
#[derive(Debug)]
pub(crate) struct Turns {
    /// Retries at cells of one group take turns. A byte of a cell's hash is the number of its group.
    groups: [Arc<Mutex<()>>; 256],
}

/// A turn. The next one begins when it is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

impl Default for Turns {
    fn default() -> Self {
        Self {
            groups: std::array::from_fn(|_| Arc::default()),
        }
    }
}

impl Turns {
    /// Waits for a turn at a cell, or keeps `held` if that is one. Returns `None` after
    /// [`LONGEST_WAIT`].
    pub(crate) async fn wait(&self, cell: &RowColumn, held: Option<Turn>) -> Option<Turn> {
        let group = self.group(cell);
        if held
            .as_ref()
            .is_some_and(|turn| Arc::ptr_eq(Turn::mutex(turn), group))
        {
            return held;
        }
        // Two transactions that wait for each other's turn would wait for long.
        drop(held);
        timeout(LONGEST_WAIT, group.clone().lock_owned()).await.ok()
    }

    fn group(&self, cell: &RowColumn) -> &Arc<Mutex<()>> {
        // These hashes are the same in every process, so a simulation can be repeated.
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(cell);
        let [group, ..] = hash.to_le_bytes();
        #[expect(clippy::indexing_slicing, reason = "there is a group for each byte")]
        &self.groups[usize::from(group)]
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;
    use tokio::time::Instant;

    use super::*;

    fn cell(row: &'static str) -> RowColumn {
        RowColumn {
            row: row.into(),
            column: Column::new("f", "q"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_turn_begins_when_the_first_ends_or_after_the_longest_wait() {
        let turns = Arc::new(Turns::default());
        let (first, other) = (cell("alice"), cell("bob"));
        let begun = Instant::now();
        let turn = turns.wait(&first, None).await;
        let turn = turns.wait(&first, turn).await;
        assert!(turn.is_some() && turns.wait(&other, None).await.is_some());
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert!(turns.wait(&first, None).await.is_none());
        assert_eq!(begun.elapsed(), LONGEST_WAIT);

        let next = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(&cell("alice"), None).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!next.is_finished());
        drop(turn);
        assert!(next.await.unwrap());
        assert_eq!(begun.elapsed(), LONGEST_WAIT);
    }
}
