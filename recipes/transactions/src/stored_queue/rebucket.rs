//! Another number of buckets for a queue without entries.
//!
//! The values of a combine queue get copies in their new buckets, then the setting changes, then
//! the old values are deleted. Programs read a value only in its bucket, so they can open the
//! application after each step.
//!
//! A setting says that there may be copies. The next change of buckets deletes what an interrupted
//! one left. Without the setting, a value outside its bucket is no copy: a program with another
//! number of buckets wrote it, as Fluo's Java client allows, and it is moved to its bucket.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use fluo_engine::{Bytes, Client, Error, ErrorKind, Result, RowColumn, Transaction};
use fluo_keys::application::OPTIMIZATIONS;
use fluo_table::coordination::{Coordination, TransactorId};
use fluo_table::{Escaped, Scan, Span};
use futures::TryStreamExt;

use super::StoredQueue;
use crate::combine_queue::{CURRENT, value_row, values_prefix};
use crate::queue::{Buckets, QueueKind};

/// The number of values that a transaction changes.
const VALUES_AT_ONCE: usize = 500;
/// The number of bytes of values above which a transaction changes no more.
const BYTES_AT_ONCE: usize = 8 << 20;

/// A value of a combine queue that is not in the bucket of its key.
struct Misplaced {
    at: RowColumn,
    /// The cell to which it belongs.
    right: RowColumn,
}

#[derive(Clone, Copy)]
enum Change<'a> {
    Copy,
    Delete,
    /// Deletes the value if it is a copy, which is in its bucket for the other number of buckets of
    /// the queue. Otherwise moves it to its bucket.
    Tidy(Option<&'a StoredQueue>),
}

impl StoredQueue {
    /// Sets the number of buckets of a queue, and moves the values of a combine queue to their new
    /// buckets. Returns the number of values that were moved.
    ///
    /// No other client of the application may exist, and the queue must be empty. Until it returns,
    /// no other client or worker can open the application, except those of Java. After an
    /// interruption programs continue with the old number of buckets, or with the new one if it was
    /// stored already; call this function again to complete the change. The split points change
    /// too: plan and apply the [optimizations](crate::table_optimizations())
    /// afterwards.
    ///
    /// Values that a program with another number of buckets has left outside their buckets are
    /// moved too.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) while other clients or workers of the application
    /// exist; [`Invalid`](ErrorKind::Invalid) for an id of no queue, a wrong number of buckets, a
    /// queue with entries, an application with notifications, and a key with different values in
    /// two buckets; the number is not changed then. The errors of the table and the coordination,
    /// and [`Unavailable`](ErrorKind::Unavailable) if the session of the client ends; the number of
    /// buckets is the old or the new one then.
    pub async fn rebucket(
        client: &Client,
        coordination: &dyn Coordination,
        id: &str,
        buckets: u32,
    ) -> Result<u64> {
        let buckets = Buckets::new(buckets)?;
        let own = client.transactor();
        let _alone = coordination.exclude_others(own).await?;
        let mut settings = coordination.application().await?.settings;
        let Some(kind) = settings
            .get(&format!("{OPTIMIZATIONS}{id}"))
            .and_then(|class| QueueKind::from_optimizer(class))
        else {
            let message = format!("the application has no queue `{}`", id.escape_debug());
            return Err(Error::invalid(message));
        };
        let old = StoredQueue::load(kind, id, &settings)?;
        check_empty(client, &old).await?;
        let mut new = old.clone();
        new.buckets = buckets;
        let mark = |present: Buckets, other: Buckets| {
            (new.setting("copies"), format!("{},{}", present.count(), other.count()))
        };
        let number = (new.setting("buckets"), buckets.count().to_string());
        let store = async |settings: &BTreeMap<String, String>| {
            check_session(client, own)?;
            coordination.update_settings(settings.clone()).await
        };
        if kind == QueueKind::Export {
            settings.extend([number]);
            store(&settings).await?;
            return Ok(0);
        }
        let copies = settings.get(&new.setting("copies"));
        let copies = copies.and_then(|mark| copies_of(&old, mark));
        let reunited = for_misplaced(client, own, &old, Change::Tidy(copies.as_ref())).await?;
        settings.extend([mark(old.buckets, buckets)]);
        store(&settings).await?;
        let copied = for_misplaced(client, own, &new, Change::Copy).await?;
        settings.extend([number, mark(buckets, old.buckets)]);
        store(&settings).await?;
        for_misplaced(client, own, &new, Change::Delete).await?;
        settings.remove(&new.setting("copies"));
        store(&settings).await?;
        Ok(copied.max(reunited))
    }
}

/// Reads the mark of copies. Returns the queue with the number of buckets that has them, or `None`
/// if the present number is not the one of the mark: something else has changed it since.
fn copies_of(queue: &StoredQueue, mark: &str) -> Option<StoredQueue> {
    let (present, other) = mark.split_once(',')?;
    let is_present = present == queue.buckets.count().to_string();
    let other = other.parse().ok().filter(|_| is_present)?;
    let mut copies = queue.clone();
    copies.buckets = Buckets::new(other).ok()?;
    Some(copies)
}

async fn check_empty(client: &Client, queue: &StoredQueue) -> Result<()> {
    let snapshot = client.snapshot().await?;
    let entries = Scan::over(Span::prefix(queue.entries_prefix())).batch_cells(NonZeroUsize::MIN);
    let first = snapshot.scan(entries).try_next().await?;
    if let Some(cell) = first.as_ref().and_then(|cells| cells.first()) {
        return Err(Error::invalid(format!(
            "the {queue} is not empty: it has the row `{}`; let workers process its entries first",
            Escaped(&cell.key.row)
        )));
    }
    if client.is_idle().await? {
        return Ok(());
    }
    Err(Error::invalid(
        "notifications of the application wait; let workers process them, and stop the workers",
    ))
}

/// Checks that the session with which a client began is still its session, so that no other client
/// was there meanwhile.
fn check_session(client: &Client, own: TransactorId) -> Result<()> {
    if client.transactor() == own {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        "the session ended while values were moved; check the number of buckets, and change it again",
    ))
}

impl Change<'_> {
    /// Makes the change. `values` has the other values of the chunk, and for
    /// [`Tidy`](Self::Tidy) those in their buckets. Returns whether the value got another row.
    fn make(
        self,
        tx: &Transaction,
        one: &Misplaced,
        value: Bytes,
        values: &mut BTreeMap<RowColumn, Bytes>,
    ) -> Result<bool> {
        let copy = |value| tx.set(one.right.row.clone(), &CURRENT, value);
        let delete = || tx.delete(one.at.row.clone(), &CURRENT);
        match self {
            Self::Copy => copy(value).map(|()| true),
            Self::Delete => delete().map(|()| false),
            Self::Tidy(Some(copies)) if right_row(copies, &one.at.row).is_none() => {
                delete().map(|()| false)
            }
            Self::Tidy(_) => {
                delete()?;
                match values.get(&one.right) {
                    None => {
                        copy(value.clone())?;
                        // Another one of the same key meets it.
                        values.insert(one.right.clone(), value);
                        Ok(true)
                    }
                    Some(in_bucket) if *in_bucket == value => Ok(false),
                    Some(_) => Err(Error::invalid(format!(
                        "the rows `{}` and `{}` have different values of one key; combine them in the second and delete \
                         the first",
                        Escaped(&one.at.row),
                        Escaped(&one.right.row)
                    ))),
                }
            }
        }
    }
}

/// Makes a change for each value that is not in its bucket, some of them in one transaction.
/// Returns the number of values that got another row.
///
/// Each transaction checks the session after its reads. If the session ends later, its locks are
/// rolled back before another client writes to the same rows, and it cannot commit.
async fn for_misplaced(
    client: &Client,
    own: TransactorId,
    queue: &StoredQueue,
    change: Change<'_>,
) -> Result<u64> {
    let commit = async |chunk: Vec<Misplaced>| {
        client
            .run(async |tx: Transaction| {
                let mut cells: Vec<_> = chunk.iter().map(|one| one.at.clone()).collect();
                if matches!(change, Change::Tidy(_)) {
                    cells.extend(chunk.iter().map(|one| one.right.clone()));
                }
                let mut values = tx.get_many(cells).await?;
                check_session(client, own)?;
                let mut moved = 0;
                for one in &chunk {
                    if let Some(value) = values.remove(&one.at) {
                        moved += u64::from(change.make(&tx, one, value, &mut values)?);
                    }
                }
                Ok::<u64, Error>(moved)
            })
            .await
    };
    let snapshot = client.snapshot().await?;
    let (mut chunk, mut bytes, mut moved) = (Vec::new(), 0, 0);
    let mut batches = snapshot.scan_prefix(values_prefix(queue), [&CURRENT]);
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            let Some(right_row) = right_row(queue, &cell.key.row) else {
                continue;
            };
            bytes += cell.key.row.len() + cell.value.len();
            let at = RowColumn::new(cell.key.row, CURRENT);
            let right = RowColumn::new(right_row, CURRENT);
            chunk.push(Misplaced { at, right });
            if chunk.len() >= VALUES_AT_ONCE || bytes >= BYTES_AT_ONCE {
                moved += commit(std::mem::take(&mut chunk)).await?;
                bytes = 0;
            }
        }
    }
    if !chunk.is_empty() {
        moved += commit(chunk).await?;
    }
    Ok(moved)
}

/// Returns the row to which a value belongs, or `None` if it is in this row.
fn right_row(queue: &StoredQueue, row: &[u8]) -> Option<Bytes> {
    let rest = row.strip_prefix(values_prefix(queue).as_bytes())?;
    let end_of_bucket = rest.iter().position(|byte| *byte == b':')?;
    let right = value_row(queue, rest.get(end_of_bucket + 1..)?);
    (right != row).then_some(right)
}
