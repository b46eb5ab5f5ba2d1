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
use tokio::time::Instant;
use tracing::debug;

use crate::backoff::Backoff;
use crate::error::port_error;
use crate::metadata::{self, Rows, TabletRow};
use crate::tables::AccumuloTables;

/// Maximum number of files of a tablet that a server surely compacts in one step: it opens 10 at
/// once by default, and more files may be written before the compaction begins.
const MAX_FILES: usize = 6;
/// Number of times to compact tablets without the iterators because they have more files.
const MAX_PASSES: u32 = 5;

/// The time without progress, as the servers show it, after which a compaction has failed.
const STALLED: Duration = Duration::from_secs(600);
/// The same for a user who may not see the work of the servers, only its end for each tablet, and
/// for a compaction that is never seen.
const STALLED_UNSEEN: Duration = Duration::from_secs(6 * 3_600);

/// The time without a sign of a compaction after which its call is repeated for the first time; it
/// doubles.
const REPEATED: Duration = Duration::from_secs(1);
const MAX_REPEATED: Duration = Duration::from_secs(60);
/// The same for a compaction without iterators of a user who may not see the work of the servers:
/// they may do it once for each call.
const REPEATED_UNSEEN: Duration = Duration::from_secs(600);
/// Number of calls in succession with an unknown outcome, and without a sign, before the error is
/// returned.
const MAX_DOUBTS: u32 = 3;

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// The work of the servers on compactions that users have requested.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Work {
    Seen {
        /// Number of compactions of the table.
        compactions: usize,
        /// Number of entries that the compactions of all tables have read so far: a compaction of
        /// the table may wait for them.
        entries: i64,
    },
    /// The user may not see it.
    Unseen,
    /// A server did not answer.
    Unknown { server: String },
}

impl AccumuloTables {
    /// Compacts tablets, and waits for the end. With iterators, tablets with many files are first
    /// compacted without them: a server compacts many files in several steps, and the iterators
    /// would run in each of them.
    pub(crate) async fn compact_rows(
        &self,
        name: &str,
        rows: &Rows,
        iterators: &[IteratorSetting],
    ) -> Result<()> {
        let (tables, id) = (self, self.id_of(name).await?);
        let (begun, no_sign, doubts) = (Instant::now(), REPEATED, 0);
        let run = Run { tables, name, id, rows, iterators, begun, no_sign, doubts };
        run.complete().await
    }
}

/// A compaction of some tablets, until the servers have done it.
struct Run<'a> {
    tables: &'a AccumuloTables,
    name: &'a str,
    id: String,
    rows: &'a Rows,
    iterators: &'a [IteratorSetting],
    begun: Instant,
    /// The time without a sign after which the call is repeated.
    no_sign: Duration,
    /// Number of calls in succession whose outcome is unknown.
    doubts: u32,
}

impl Run<'_> {
    async fn complete(mut self) -> Result<()> {
        let mut passes = 0;
        loop {
            // Before each call: many files may be written while the servers refuse a compaction.
            let before = self.wait(None).await?.unwrap_or_default();
            let has_iterators = !self.iterators.is_empty();
            let parts =
                if has_iterators { with_many_files(self.rows, &before) } else { Vec::new() };
            if parts.is_empty() {
                let last = before.iter().map(|tablet| tablet.compacted).max().unwrap_or_default();
                let doubt = self.start().await?;
                if self.wait(Some(last)).await?.is_some() {
                    return Ok(());
                }
                self.record_no_sign(doubt)?;
                continue;
            }
            if passes == MAX_PASSES {
                return Err(Error::unavailable(format!(
                    "tablets of table `{}` get more than {MAX_FILES} files while they are compacted; try again \
                     when less is written",
                    self.name
                )));
            }
            passes += 1;
            for part in parts {
                Box::pin(self.tables.compact_rows(self.name, &part, &[])).await?;
            }
        }
    }

    /// Starts the compaction, or fails if it has certainly not started. Returns the error if that
    /// is in doubt.
    async fn start(&self) -> Result<Option<Error>> {
        // The call flushes the tablets first.
        let rows = Compaction::default().rows(self.rows.after.clone(), self.rows.up_to.clone());
        let compaction = self.iterators.iter().cloned().fold(rows, Compaction::iterator);
        let operations = self.tables.client.table_operations();
        match operations.compact(self.name, compaction.without_waiting()).await {
            Ok(()) => Ok(None),
            Err(error) if error.may_have_taken_effect() => {
                debug!(%error, table = self.name, "the start of a compaction is in doubt");
                Ok(Some(port_error(error)))
            }
            Err(error) => Err(self.tables.lacking("WRITE or ALTER_TABLE", self.name, error)),
        }
    }

    /// Records a call without a sign of its compaction. Fails if it must not be repeated.
    fn record_no_sign(&mut self, doubt: Option<Error>) -> Result<()> {
        self.no_sign = (self.no_sign * 2).min(MAX_REPEATED);
        self.doubts = doubt.as_ref().map_or(0, |_| self.doubts + 1);
        match doubt {
            Some(error) if self.doubts >= MAX_DOUBTS => Err(error),
            _ if self.begun.elapsed() >= STALLED_UNSEEN => Err(self.stalled(STALLED_UNSEEN)),
            _ => Ok(()),
        }
    }

    /// Waits until every tablet has a number above `last`, the largest one before the start, or
    /// before the start until no server runs a compaction that a user has requested. Returns the
    /// tablets, or `None` if there is no sign of the compaction. Fails if the visible state has not
    /// changed for too long.
    async fn wait(&self, last: Option<u64>) -> Result<Option<Vec<TabletRow>>> {
        let Self { tables, name, id, rows, .. } = self;
        let mut backoff = Backoff::new(FIRST_PAUSE, MAX_PAUSE);
        let mut before: Option<((Work, Vec<u64>), Instant)> = None;
        let mut last_sign = Instant::now();
        loop {
            tables.check_id(name, id).await?;
            // There are none while a merge changes them.
            let tablets = metadata::rows(&tables.client, name, id, rows).await?.unwrap_or_default();
            let compacted: Vec<u64> = tablets.iter().map(|tablet| tablet.compacted).collect();
            let work = self.work().await?;
            let is_reached = match last {
                Some(last) => compacted.iter().all(|number| *number > last),
                None => matches!(work, Work::Seen { compactions: 0, .. } | Work::Unseen),
            };
            if is_reached && !tablets.is_empty() {
                return Ok(Some(tablets));
            }
            if let Some(last) = last {
                // It may be under way if a server compacts the table, or has done so with a tablet.
                let is_visible = matches!(work, Work::Seen { compactions, .. } if compactions > 0);
                if is_visible || compacted.iter().any(|number| *number > last) {
                    last_sign = Instant::now();
                } else if last_sign.elapsed() >= self.limit(&work) {
                    return Ok(None);
                }
            }
            // Flushes and the compactions of the servers change the files, but not this.
            let seen = (work, compacted);
            match &before {
                Some((before, since)) if *before == seen => {
                    self.check_progress(&seen.0, since.elapsed(), last.is_some())?;
                }
                _ => {
                    debug!(table = self.name, work = ?seen.0, "watching a compaction");
                    before = Some((seen, Instant::now()));
                }
            }
            backoff.wait().await;
        }
    }

    async fn work(&self) -> Result<Work> {
        let operations = self.tables.client.instance_operations();
        let (mut compactions, mut entries) = (0, 0_i64);
        for server in operations.tablet_servers().await.map_err(port_error)? {
            let active = match operations.active_compactions(&server).await {
                Ok(active) => active,
                Err(error) if error.is_denial() => return Ok(Work::Unseen),
                Err(error) => {
                    debug!(%error, %server, "the work of a server is not known");
                    return Ok(Work::Unknown { server });
                }
            };
            let of_users = active.into_iter();
            for compaction in of_users.filter(|one| one.reason == CompactionReason::User) {
                entries = entries.saturating_add(compaction.entries_read);
                let extent = compaction.extent.as_ref();
                compactions += usize::from(extent.is_some_and(|one| one.table_id == self.id));
            }
        }
        Ok(Work::Seen { compactions, entries })
    }

    /// Returns the time without a sign after which the call is repeated.
    fn limit(&self, work: &Work) -> Duration {
        match work {
            Work::Unseen if self.iterators.is_empty() => REPEATED_UNSEEN,
            _ => self.no_sign,
        }
    }

    /// Fails if the visible state has not changed for too long.
    fn check_progress(&self, work: &Work, unchanged: Duration, has_started: bool) -> Result<()> {
        let limit = if *work == Work::Unseen { STALLED_UNSEEN } else { STALLED };
        match work {
            _ if unchanged < limit => Ok(()),
            Work::Unknown { server } if !has_started => Err(Error::unavailable(format!(
                "tablet server {server} has not said for {} s whether it compacts table `{}`; check it",
                limit.as_secs(),
                self.name
            ))),
            _ => Err(self.stalled(limit)),
        }
    }

    fn stalled(&self, limit: Duration) -> Error {
        let message = format!(
            "the compaction of table `{}` has made no progress for {} s; check its tablet servers",
            self.name,
            limit.as_secs()
        );
        Error::new(ErrorKind::Uncertain, message)
    }
}

fn with_many_files(rows: &Rows, tablets: &[TabletRow]) -> Vec<Rows> {
    let mut parts: Vec<Rows> = Vec::new();
    let mut after = rows.after.clone();
    for tablet in tablets {
        let up_to = tablet.end_row.clone();
        if tablet.files > MAX_FILES {
            match parts.last_mut().filter(|part| part.up_to == after) {
                Some(part) => part.up_to.clone_from(&up_to),
                None => parts.push(Rows { after, up_to: up_to.clone() }),
            }
        }
        after = up_to;
    }
    parts
}

#[cfg(test)]
mod tests {
    use fluo_table::Bytes;

    use super::*;

    fn tablet(end_row: Option<&'static str>, files: usize) -> TabletRow {
        TabletRow { end_row: end_row.map(Bytes::from), files, ..TabletRow::default() }
    }

    fn rows(after: Option<&'static str>, up_to: Option<&'static str>) -> Rows {
        Rows { after: after.map(Bytes::from), up_to: up_to.map(Bytes::from) }
    }

    #[test]
    fn compacts_only_tablets_with_many_files_before_the_iterators_run() {
        let tablets = [
            tablet(Some("c"), 7),
            tablet(Some("e"), 9),
            tablet(Some("g"), MAX_FILES),
            tablet(None, 30),
        ];
        assert_eq!(
            with_many_files(&rows(Some("a"), None), &tablets),
            [rows(Some("a"), Some("e")), rows(Some("g"), None)]
        );
        assert_eq!(with_many_files(&rows(None, None), &[tablet(None, 7)]), [rows(None, None)]);
        assert_eq!(with_many_files(&rows(None, None), &[]), []);
    }
}
