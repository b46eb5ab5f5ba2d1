//! Compactions of some tablets: started by a call that does not wait, and watched in
//! `accumulo.metadata`. A call that waits would block a thread of the proxy for hours, and its end
//! would be unknown after any loss of the connection.
//!
//! The servers number the compactions of a table that users request, and store for each tablet the
//! number of the last one that it has done. So a compaction has ended when every tablet has a
//! number above those before the start.
//!
//! The servers refuse a compaction with iterators while another one has not ended completely, and
//! only a call that waits gets that answer. So such a call is repeated while there is no sign of
//! its compaction. If the compaction only waits for its turn, the servers refuse the repeated one,
//! or do both in one step. A call without iterators is repeated only if its answer was lost.
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
/// Number of times to compact tablets without the iterators because they have more files.
const MOST_PASSES: u32 = 5;

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

/// The work of the servers on compactions that users have requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Seen {
        /// Number of compactions of the table.
        compactions: usize,
        /// Number of entries that the compactions of all tables have read so far: a compaction of
        /// the table may wait for them.
        entries: i64,
        /// Number of servers that did not answer.
        silent: usize,
    },
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
        let mut tablets = self.wait_for_others(name, rows).await?;
        let mut passes = 0;
        while !iterators.is_empty() {
            let parts = with_many_files(rows, &tablets);
            if parts.is_empty() {
                break;
            }
            if passes == MOST_PASSES {
                return Err(too_many_files(name));
            }
            passes += 1;
            for part in parts {
                let before = self.wait_for_others(name, &part).await?;
                self.compact_from(name, &part, Vec::new(), &before).await?;
            }
            // More files may have been written in the meantime.
            tablets = self.wait_for_others(name, rows).await?;
        }
        self.compact_from(name, rows, iterators, &tablets).await
    }

    /// Compacts tablets that were in this state before, and waits for the end.
    async fn compact_from(
        &self,
        name: &str,
        rows: &Rows,
        iterators: Vec<IteratorSetting>,
        before: &[TabletFiles],
    ) -> Result<()> {
        let id = self.id_of(name).await?;
        let last = before.iter().map(|tablet| tablet.compacted).max();
        let last = last.unwrap_or_default();
        let may_be_refused = !iterators.is_empty();
        // The call flushes the tablets first.
        let compaction = Compaction::default().rows(rows.after.clone(), rows.up_to.clone());
        let compaction = iterators.into_iter().fold(compaction, Compaction::iterator);
        let compaction = compaction.without_waiting();
        let mut no_sign = REPEATED;
        loop {
            let is_certain = self.start(name, compaction.clone()).await?;
            let watch = Watch {
                name,
                id: &id,
                rows,
                no_sign: (may_be_refused || !is_certain).then_some(no_sign),
            };
            let done = watch.until(self, |seen| seen.are_all_above(last)).await?;
            if done.is_some() {
                return Ok(());
            }
            no_sign = (no_sign * 2).min(LONGEST_REPEATED);
        }
    }

    /// Starts a compaction, or fails if it has certainly not started. Returns `false` if that is in
    /// doubt.
    async fn start(&self, name: &str, compaction: Compaction) -> Result<bool> {
        let tables = self.client.table_operations();
        match tables.compact(name, compaction).await {
            Ok(()) => Ok(true),
            Err(error) if error.may_have_taken_effect() => {
                debug!(%error, table = name, "the start of a compaction is in doubt");
                Ok(false)
            }
            Err(error) => Err(self.lacking("WRITE or ALTER_TABLE", name, error)),
        }
    }

    /// Waits until no server runs a compaction of the table that a user has requested, and returns
    /// the tablets.
    async fn wait_for_others(&self, name: &str, rows: &Rows) -> Result<Vec<TabletFiles>> {
        let id = self.id_of(name).await?;
        let watch = Watch {
            name,
            id: &id,
            rows,
            no_sign: None,
        };
        let free = watch.until(self, Seen::is_free).await?;
        Ok(free.map(|seen| seen.tablets).unwrap_or_default())
    }

    async fn files(&self, name: &str, id: &str, rows: &Rows) -> Result<Vec<TabletFiles>> {
        self.identities.check(name, id).await?;
        metadata::files(&self.client, name, id, rows).await
    }

    /// Returns the work of all servers on the table.
    async fn work(&self, id: &str) -> Result<Work> {
        let operations = self.client.instance_operations();
        let (mut compactions, mut entries, mut silent) = (0, 0_i64, 0);
        for server in operations.tablet_servers().await.map_err(port_error)? {
            let active = match operations.active_compactions(&server).await {
                Ok(active) => active,
                Err(error) if error.is_denial() => return Ok(Work::Unseen),
                Err(error) => {
                    debug!(%error, %server, "the work of a server is not known");
                    silent += 1;
                    continue;
                }
            };
            let of_users = active.into_iter();
            for compaction in of_users.filter(|one| one.reason == CompactionReason::User) {
                entries = entries.saturating_add(compaction.entries_read);
                let extent = compaction.extent.as_ref();
                compactions += usize::from(extent.is_some_and(|extent| extent.table_id == id));
            }
        }
        Ok(Work::Seen {
            compactions,
            entries,
            silent,
        })
    }
}

/// A wait for a state of some tablets.
struct Watch<'a> {
    name: &'a str,
    id: &'a str,
    rows: &'a Rows,
    /// The time without a sign of the compaction after which the wait ends.
    no_sign: Option<Duration>,
}

impl Watch<'_> {
    /// Waits until the visible state has a property, and returns it. `None` if there is no sign of
    /// the compaction. Fails if the state has not changed for too long.
    async fn until(
        self,
        tables: &AccumuloTables,
        is_reached: impl Fn(&Seen) -> bool + Send + Sync,
    ) -> Result<Option<Seen>> {
        let (mut pause, begun) = (FIRST_PAUSE, Instant::now());
        let mut last: Option<(Seen, Instant)> = None;
        let mut has_sign = false;
        loop {
            let seen = Seen {
                tablets: tables.files(self.name, self.id, self.rows).await?,
                work: tables.work(self.id).await?,
            };
            if is_reached(&seen) {
                return Ok(Some(seen));
            }
            has_sign |= seen.work.is_visible();
            if let Some((before, _)) = &last {
                has_sign |= before.compacted() != seen.compacted();
            }
            match &last {
                Some((before, since)) if before.is_same_work(&seen) => {
                    let limit = seen.work.limit();
                    if since.elapsed() >= limit {
                        return Err(stalled(self.name, limit));
                    }
                }
                _ => {
                    debug!(table = self.name, ?seen.work, "watching a compaction");
                    last = Some((seen, Instant::now()));
                }
            }
            let is_over = |limit| begun.elapsed() >= limit;
            if !has_sign && self.no_sign.is_some_and(is_over) {
                return Ok(None);
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
        self.work == later.work && self.compacted() == later.compacted()
    }

    fn compacted(&self) -> Vec<u64> {
        let tablets = self.tablets.iter();
        tablets.map(|tablet| tablet.compacted).collect()
    }

    /// Checks that no compaction of the table runs, and that its tablets are known.
    fn is_free(&self) -> bool {
        !self.work.is_visible() && !self.work.is_partly_known() && !self.tablets.is_empty()
    }

    /// Checks whether every tablet has done a compaction with a number above the last one.
    fn are_all_above(&self, last: u64) -> bool {
        // There are none while a merge changes them.
        !self.tablets.is_empty() && self.tablets.iter().all(|tablet| tablet.compacted > last)
    }
}

impl Work {
    /// Checks whether a server is seen to work.
    fn is_visible(self) -> bool {
        matches!(self, Self::Seen { compactions, .. } if compactions > 0)
    }

    /// Checks whether a server may work without being seen.
    fn is_partly_known(self) -> bool {
        matches!(self, Self::Seen { silent, .. } if silent > 0)
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

fn too_many_files(name: &str) -> Error {
    let message = format!(
        "tablets of table `{name}` get more than {MOST_FILES} files while they are compacted, too \
         many for garbage collection in one step; try again when less is written"
    );
    Error::new(ErrorKind::Unavailable, message)
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
