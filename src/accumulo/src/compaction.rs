//! Compactions of some tablets: started by a call that does not wait, and watched in
//! `accumulo.metadata`. A call that waits would block a thread of the proxy for hours, and its end
//! would be unknown after any loss of the connection.
//!
//! The servers number the compactions of a table that users request, and store for each tablet the
//! number of the last one that it has done. So a compaction has ended when every tablet has a
//! number above those before the start.
//!
//! The servers refuse a compaction while one with iterators has not ended completely, and only a
//! call that waits gets that answer. So a call is repeated while there is no sign of its
//! compaction, also if its answer was lost. If the compaction only waits for its turn, the servers
//! refuse the repeated one, or do both in one step.
//!
//! A compaction of another user with a number in between looks like the own one, so a start waits
//! until no server runs one on the table. A compaction that is queued cannot be seen. If the own
//! one is mistaken for such another one, some garbage stays until the next collection.

use std::time::Duration;

use accumulo_proxy::{Compaction, CompactionReason, IteratorSetting};
use fluo_table::{Error, ErrorKind, Result};
use tokio::time::{Instant, sleep};
use tracing::debug;

use crate::error::port_error;
use crate::metadata::{self, Rows, TabletFiles};
use crate::tables::AccumuloTables;

/// Maximum number of files of a tablet that a server surely compacts in one step: it opens 10 at
/// once by default, and more files may be written before the compaction begins.
const MOST_FILES: usize = 6;

/// The time without progress, as the servers show it, after which a compaction has failed.
const STALLED: Duration = Duration::from_secs(600);
/// The same for a user who may not see the work of the servers, only its end for each tablet.
const STALLED_UNSEEN: Duration = Duration::from_secs(6 * 3_600);

/// The time without a sign of a compaction after which its call is repeated for the first time; it
/// doubles.
const REPEATED: Duration = Duration::from_secs(1);
const LONGEST_REPEATED: Duration = Duration::from_secs(60);

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The visible state of a compaction.
#[derive(Clone, Debug)]
struct Seen {
    tablets: Vec<TabletFiles>,
    work: Work,
}

/// The work of the servers on compactions of the table that users have requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// The number of compactions, and of the entries that they have read so far.
    Seen { compactions: usize, entries: i64 },
    /// The user may not see it.
    Unseen,
}

impl AccumuloTables {
    /// Compacts tablets, and waits for the end. With iterators, tablets with many files are first
    /// compacted without them: a server compacts many files in several steps, and the iterators
    /// would run in each of them.
    pub(crate) async fn compact_rows(
        &self,
        name: &str,
        rows: &Rows,
        iterators: Vec<IteratorSetting>,
    ) -> Result<()> {
        if !iterators.is_empty() {
            let id = self.id_of(name).await?;
            let tablets = self.files(name, &id, rows).await?;
            for many in with_many_files(rows, &tablets) {
                self.compact_once(name, &many, Vec::new()).await?;
            }
        }
        self.compact_once(name, rows, iterators).await
    }

    async fn compact_once(
        &self,
        name: &str,
        rows: &Rows,
        iterators: Vec<IteratorSetting>,
    ) -> Result<()> {
        let id = self.id_of(name).await?;
        self.wait_for_others(name, &id).await?;
        let before = self.files(name, &id, rows).await?;
        let last = before.iter().map(|tablet| tablet.compacted).max();
        let last = last.unwrap_or_default();
        // The call flushes the tablets first.
        let compaction = Compaction::default().rows(rows.after.clone(), rows.up_to.clone());
        let compaction = iterators.into_iter().fold(compaction, Compaction::iterator);
        let compaction = compaction.without_waiting();
        let mut no_sign = REPEATED;
        loop {
            self.start(name, compaction.clone()).await?;
            let watch = Watch {
                name,
                id: &id,
                rows: Some(rows),
                no_sign: Some(no_sign),
            };
            if watch.until(self, |seen| seen.are_all_above(last)).await? {
                return Ok(());
            }
            no_sign = (no_sign * 2).min(LONGEST_REPEATED);
        }
    }

    /// Starts a compaction, or fails if it has certainly not started.
    async fn start(&self, name: &str, compaction: Compaction) -> Result<()> {
        let tables = self.client.table_operations();
        match tables.compact(name, compaction).await {
            Err(error) if error.may_have_taken_effect() => {
                debug!(%error, table = name, "the start of a compaction is in doubt");
                Ok(())
            }
            started => started.map_err(|error| self.lacking("WRITE or ALTER_TABLE", name, error)),
        }
    }

    /// Waits until no server runs a compaction of the table that a user has requested.
    async fn wait_for_others(&self, name: &str, id: &str) -> Result<()> {
        let watch = Watch {
            name,
            id,
            rows: None,
            no_sign: None,
        };
        let is_free = |seen: &Seen| !seen.work.is_visible();
        watch.until(self, is_free).await.map(|_| ())
    }

    async fn files(&self, name: &str, id: &str, rows: &Rows) -> Result<Vec<TabletFiles>> {
        self.identities.check(name, id).await?;
        metadata::files(&self.client, name, id, rows).await
    }

    /// Returns the work of all servers on the table.
    async fn work(&self, id: &str) -> Result<Work> {
        let operations = self.client.instance_operations();
        let (mut compactions, mut entries) = (0, 0_i64);
        for server in operations.tablet_servers().await.map_err(port_error)? {
            let active = match operations.active_compactions(&server).await {
                Ok(active) => active,
                Err(error) if error.is_denial() => return Ok(Work::Unseen),
                // A server that ended meanwhile has no work.
                Err(_) => continue,
            };
            for compaction in active {
                let extent = compaction.extent.as_ref();
                let is_meant = extent.is_some_and(|extent| extent.table_id == id)
                    && compaction.reason == CompactionReason::User;
                if is_meant {
                    compactions += 1;
                    entries = entries.saturating_add(compaction.entries_read);
                }
            }
        }
        Ok(Work::Seen {
            compactions,
            entries,
        })
    }
}

/// A wait for a state of some tablets.
struct Watch<'a> {
    name: &'a str,
    id: &'a str,
    /// The tablets whose state is read. `None` if only the work of the servers is.
    rows: Option<&'a Rows>,
    /// The time without a sign of the compaction after which the wait ends.
    no_sign: Option<Duration>,
}

impl Watch<'_> {
    /// Waits until the visible state has a property. Returns `false` if there is no sign of the
    /// compaction. Fails if the state has not changed for too long.
    async fn until(
        self,
        tables: &AccumuloTables,
        is_reached: impl Fn(&Seen) -> bool + Send + Sync,
    ) -> Result<bool> {
        let (mut pause, begun) = (FIRST_PAUSE, Instant::now());
        let mut last: Option<(Seen, Instant)> = None;
        let mut has_changed = false;
        loop {
            let seen = Seen {
                tablets: match self.rows {
                    Some(rows) => tables.files(self.name, self.id, rows).await?,
                    None => {
                        tables.identities.check(self.name, self.id).await?;
                        Vec::new()
                    }
                },
                work: tables.work(self.id).await?,
            };
            if is_reached(&seen) {
                return Ok(true);
            }
            has_changed |= seen.work.is_visible();
            match &last {
                Some((before, since)) if before.is_same_work(&seen) => {
                    let is_over = |limit| begun.elapsed() >= limit;
                    if !has_changed && self.no_sign.is_some_and(is_over) {
                        return Ok(false);
                    }
                    let limit = seen.work.limit();
                    if since.elapsed() >= limit {
                        return Err(stalled(self.name, limit));
                    }
                }
                before => {
                    has_changed |= before.is_some();
                    debug!(table = self.name, ?seen.work, "watching a compaction");
                    last = Some((seen, Instant::now()));
                }
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Seen {
    /// Checks whether no compaction of a user has made progress since. Flushes and the compactions
    /// of the servers change the files too.
    fn is_same_work(&self, later: &Self) -> bool {
        let compacted = |seen: &Self| -> Vec<u64> {
            let tablets = seen.tablets.iter();
            tablets.map(|tablet| tablet.compacted).collect()
        };
        self.work == later.work && compacted(self) == compacted(later)
    }

    /// Checks whether every tablet has done a compaction with a number above the last one.
    fn are_all_above(&self, last: u64) -> bool {
        // A merge may leave none with these end rows.
        !self.tablets.is_empty() && self.tablets.iter().all(|tablet| tablet.compacted > last)
    }
}

impl Work {
    /// Checks whether a server is seen to work.
    fn is_visible(self) -> bool {
        matches!(self, Self::Seen { compactions, .. } if compactions > 0)
    }

    /// Returns the time without a change after which a compaction has failed.
    fn limit(self) -> Duration {
        match self {
            Self::Seen { .. } => STALLED,
            Self::Unseen => STALLED_UNSEEN,
        }
    }
}

/// Returns the parts of `rows` with the tablets that have many files.
fn with_many_files(rows: &Rows, tablets: &[TabletFiles]) -> Vec<Rows> {
    let mut parts: Vec<Rows> = Vec::new();
    let mut after = rows.after.clone();
    for tablet in tablets {
        let up_to = tablet.end_row.clone();
        if tablet.files > MOST_FILES {
            match parts.last_mut().filter(|part| part.up_to == after) {
                Some(part) => part.up_to.clone_from(&up_to),
                None => parts.push(Rows {
                    after,
                    up_to: up_to.clone(),
                }),
            }
        }
        after = up_to;
    }
    parts
}

fn stalled(name: &str, limit: Duration) -> Error {
    let message = format!(
        "the compaction of table `{name}` has made no progress for {} s; check its tablet servers",
        limit.as_secs()
    );
    Error::new(ErrorKind::Uncertain, message)
}

#[cfg(test)]
mod tests {
    use fluo_table::Bytes;

    use super::*;

    fn tablet(end_row: Option<&'static str>, files: usize) -> TabletFiles {
        TabletFiles {
            end_row: end_row.map(Bytes::from),
            files,
            compacted: 0,
        }
    }

    fn rows(after: Option<&'static str>, up_to: Option<&'static str>) -> Rows {
        Rows {
            after: after.map(Bytes::from),
            up_to: up_to.map(Bytes::from),
        }
    }

    #[test]
    fn compacts_only_tablets_with_many_files_before_the_iterators_run() {
        let tablets = [
            tablet(Some("c"), 7),
            tablet(Some("e"), 9),
            tablet(Some("g"), MOST_FILES),
            tablet(None, 30),
        ];
        assert_eq!(
            with_many_files(&rows(Some("a"), None), &tablets),
            [rows(Some("a"), Some("e")), rows(Some("g"), None)]
        );
        assert_eq!(
            with_many_files(&rows(None, None), &[tablet(None, 7)]),
            [rows(None, None)]
        );
        assert_eq!(with_many_files(&rows(None, None), &[]), []);
    }
}
