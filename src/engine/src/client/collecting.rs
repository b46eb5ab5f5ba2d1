//! The collection of garbage: ranges of tablets, one after the other.
//!
//! Each range is compacted by itself, so the servers compact a bounded number of tablets at once.
//! One process of an application compacts a range at a time, whether it collects the garbage of the
//! table or compacts a transient range: servers of Accumulo refuse a second compaction with
//! iterators.

use fluo_table::coordination::HeldLock;
use fluo_table::{
    Bytes, ErrorKind, Garbage, Key, Result, Span, TableAdmin, Timestamp, row_successor,
};
use tokio::time::sleep;
use tracing::debug;

use crate::client::{Client, detach_iterators};
use crate::context::Pauses;

const TABLETS_AT_ONCE: usize = 64;

const COMPACTION: &str = "compaction";

impl Client {
    /// The duty of the process that collects the garbage of an application on a schedule, as a
    /// worker does with [`collect_garbage`](crate::WorkerOptions::collect_garbage). See
    /// [`take_duty`](Self::take_duty).
    pub const GARBAGE_DUTY: &str = "garbage";

    /// Moves the horizon up, and compacts a part of the table without the entries that no snapshot
    /// at or above the horizon needs. Returns the horizon.
    ///
    /// This is the only place that collects garbage. A worker calls it on a schedule after
    /// [`WorkerOptions::collect_garbage`](crate::WorkerOptions::collect_garbage).
    ///
    /// It compacts up to 64 tablets at a time, one range after the other. While another process of
    /// the application compacts a range, it waits; after each range it lets others go first.
    ///
    /// No property of the table is set. If an earlier version of this program attached garbage
    /// iterators to the table, they are detached, unless the user may not read the properties. The
    /// iterators of a table of Fluo's Java client stay.
    ///
    /// # Errors
    ///
    /// Those of the coordination, of [`TableAdmin::properties`], [`TableAdmin::change_properties`],
    /// [`TableAdmin::splits`] and [`TableAdmin::compact`]. If a range is
    /// [`Unavailable`](ErrorKind::Unavailable), the other ranges are compacted before this returns
    /// the error. All entries that were dropped were garbage.
    pub async fn collect_garbage(&self, tables: &dyn TableAdmin, span: &Span) -> Result<Timestamp> {
        self.collect_garbage_with(tables, span, |_, _| ()).await
    }

    /// Collects garbage like [`collect_garbage`](Self::collect_garbage). Calls `progress` before
    /// the first range and after each, with the number of ranges that are done and that of all.
    ///
    /// # Errors
    ///
    /// The same as [`collect_garbage`](Self::collect_garbage).
    pub async fn collect_garbage_with(
        &self,
        tables: &dyn TableAdmin,
        span: &Span,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Timestamp> {
        let table = &self.shared.application.table;
        // Snapshots observe the horizon before the compaction does: a read below it fails.
        let horizon = self.advance_horizon().await?;
        match tables.properties(table).await {
            // As without `ALTER_TABLE` on Accumulo 2.1. What an earlier version attached stays.
            Err(error) if error.kind() == ErrorKind::Denied => {
                debug!(%error, table, "attached iterators stay, if there are any");
            }
            properties => detach_iterators(tables, table, &properties?).await?,
        }
        let ranges = ranges(span, &tables.splits(table).await?);
        progress(0, ranges.len());
        let mut failed = None;
        for (range, done) in ranges.iter().zip(1..) {
            if done > 1 {
                // Long enough for a process that waits for the duty to look again.
                sleep(2 * self.shared.options.max_pause).await;
            }
            let _duty = self.wait_for_duty(COMPACTION).await?;
            let garbage = Garbage::DropBelow(horizon);
            match tables.compact(table, range, garbage).await {
                // Such as one with tablets that get too many files; the others can be compacted.
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    failed.get_or_insert(error);
                }
                compacted => compacted?,
            }
            progress(done, ranges.len());
        }
        failed.map_or(Ok(horizon), Err)
    }

    /// Takes a duty of the application: a named task, such as `report`, that one process at a time
    /// does. Returns `None` while another process, or another task of this one, has it.
    ///
    /// The duty ends when the returned lock is dropped, or with the session of this process,
    /// without notice. So it saves work, and protects nothing.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) unless the name consists of letters, digits and
    /// hyphens of ASCII; those of the coordination.
    pub async fn take_duty(&self, duty: &str) -> Result<Option<Box<dyn HeldLock>>> {
        self.shared.coordination.take_duty(duty).await
    }

    async fn wait_for_duty(&self, duty: &str) -> Result<Box<dyn HeldLock>> {
        let options = &self.shared.options;
        let mut pauses = Pauses::new(options.first_pause, options.max_pause);
        loop {
            if let Some(taken) = self.take_duty(duty).await? {
                return Ok(taken);
            }
            sleep(pauses.next_pause()).await;
        }
    }
}

/// Divides a span at every 64th split point.
fn ranges(span: &Span, splits: &[Bytes]) -> Vec<Span> {
    // A split point is the last row of its tablet.
    let cuts = splits.iter().skip(TABLETS_AT_ONCE - 1).step_by(TABLETS_AT_ONCE);
    let mut rest = span.clone();
    let mut ranges = Vec::new();
    for split in cuts {
        let cut = Key::first_of_row(row_successor(split));
        if rest.contains(&cut) {
            ranges.push(Span::between(rest.start().clone(), Some(cut.clone())));
            rest = Span::between(cut, rest.end().cloned());
        }
    }
    ranges.extend((!rest.is_empty()).then_some(rest));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_a_span_by_its_tablets() {
        let splits: Vec<_> = (0..130).map(|row| Bytes::from(format!("{row:03}"))).collect();
        let rows = |start: &'static str, end: Option<&'static str>| {
            Span::rows(start, end.map(Bytes::from))
        };
        let tablet = |after: Option<&str>, until: Option<&str>| {
            Span::tablet(after.map(str::as_bytes), until.map(str::as_bytes))
        };
        assert_eq!(
            ranges(&Span::all(), &splits),
            [
                tablet(None, Some("063")),
                tablet(Some("063"), Some("127")),
                tablet(Some("127"), None),
            ]
        );
        assert_eq!(ranges(&rows("070", Some("100")), &splits), [rows("070", Some("100"))]);
        assert_eq!(
            ranges(&rows("060", Some("070")), &splits),
            [rows("060", Some("063\0")), rows("063\0", Some("070"))]
        );
        assert_eq!(ranges(&Span::all(), &[]), [Span::all()]);
        assert_eq!(ranges(&rows("5", Some("5")), &splits), []);
    }
}
