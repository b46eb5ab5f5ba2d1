//! The queues of a run: a combine queue of sums, and an export queue to a receiver in memory.

use fluo_engine::{Instance, InstanceExt, Observers};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::ExportQueue;
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::coordination::ObservedColumn;
use fluo_table::{Bytes, Error, Result};

use super::random::Random;

const SUMS: &str = "sums";
const PARCELS: &str = "parcels";

/// Keys of both queues. In one bucket the updates of the second sort between those of the first
/// with a sequence below 256 and the others.
pub(super) const KEYS: [&str; 3] = ["a", "a\0\0\0\0\0\0\x01", "b"];

/// The options of the queues of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueDials {
    buckets: u32,
    /// Bytes that a pass reads.
    buffer_bytes: usize,
}

impl QueueDials {
    /// Draws the options. `None` for a run without queues.
    ///
    /// `random` is not the generator of the run, so runs without queues do not depend on this.
    pub(super) fn drawn(random: &Random) -> Option<Self> {
        random.chance(400).then(|| Self {
            buckets: random.pick(&[1, 1, 3]),
            buffer_bytes: random.pick(&[64, 300, 1 << 20]),
        })
    }
}

/// The queues that all clients of a run share.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    pub(super) sums: CombineQueue<String, i64>,
    pub(super) parcels: ExportQueue<String, i64>,
}

impl Queues {
    pub(super) fn new(dials: QueueDials) -> Result<Self> {
        let (buckets, bytes) = (dials.buckets, dials.buffer_bytes);
        let sums = CombineQueue::new(SUMS, Sum)?.buckets(buckets)?;
        let parcels = ExportQueue::new(PARCELS)?.buckets(buckets)?;
        Ok(Self { sums: sums.buffer_bytes(bytes), parcels: parcels.buffer_bytes(bytes) })
    }

    /// Returns the export queue as its settings describe it.
    pub(super) fn stored_parcels(&self) -> Result<StoredQueue> {
        let settings = Instance::in_memory().application("any").recipe(&self.parcels);
        let stored = StoredQueue::all(&settings.settings())?.into_iter().next();
        stored.ok_or_else(|| Error::invalid("the settings contain no queue"))
    }

    /// Returns the columns of the notifications of the queues.
    pub(super) fn observed_columns(&self) -> Result<Vec<ObservedColumn>> {
        let observers = Observers::new().recipe(&self.sums)?.recipe(&self.parcels)?;
        Ok(observers.observed_columns())
    }
}

/// Checks whether a row belongs to a queue. Transactions of the queues write such rows without a
/// record in the history.
pub(super) fn is_of_queue(row: &Bytes) -> bool {
    [SUMS, PARCELS]
        .into_iter()
        .filter_map(|id| row.strip_prefix(id.as_bytes()))
        .any(|rest| rest.starts_with(b":") || rest.starts_with(b"!"))
}

/// Checks whether a row of a queue must not exist if all updates are combined and all entries are
/// exported: every row but that of a sum.
pub(super) fn is_pending(row: &Bytes) -> bool {
    is_of_queue(row) && !row.starts_with(b"sums:d:")
}
