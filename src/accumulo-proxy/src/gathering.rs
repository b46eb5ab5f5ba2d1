//! Writes of many tasks, gathered into calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::ProxyClient;
use crate::data::Mutation;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface::UpdateAndFlushRequest;
use crate::write::chunk::{CALL_BYTES, mutation_bytes};

/// Maximum number of calls under way, except for slow ones.
const LANES: usize = 1;
/// Maximum number of mutations of a call, except for those of its first write.
const MUTATIONS_PER_CALL: usize = 256;
/// Time after which a call no longer holds its lane: one server that does not answer must not stop
/// the writes to others.
const SLOW: Duration = Duration::from_secs(2);

/// A writer that combines the writes of many tasks into calls. A clone is another handle to the
/// same writer.
///
/// The writes that wait while a call is under way become the next call, up to 256 mutations and 1
/// MiB. There is no timer. A write is answered when all of its mutations are written.
///
/// If a server refuses a call, all writes of the call get its error, and each of their mutations
/// may be written or not. The caller repeats its own ones alone, with [`ProxyClient::write`]. So a
/// write travels with others only if it may be written twice: if each of its updates has a
/// timestamp. Other writes, and those of more than half a MiB, are
/// [calls of their own](Self::gathers).
///
/// # Examples
///
/// ```no_run
/// # use accumulo_proxy::{ColumnUpdate, Credentials, Mutation, ProxyClient, ProxyOptions, Result};
/// # async fn run() -> Result<()> {
/// let credentials = Credentials::password("root", "secret");
/// let client = ProxyClient::connect(ProxyOptions::new("localhost:42424", credentials)).await?;
/// let writer = client.gathering_writer("pages");
/// let uri = ColumnUpdate::put("page", "uri", "example.com").at(7);
/// let page = |row: &'static str| Mutation::new(row).update(uri.clone());
/// let (one, other) = tokio::join!(writer.write(vec![page("a")]), writer.write(vec![page("b")]));
/// one.and(other)
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GatheringWriter {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    client: ProxyClient,
    table: String,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Write>,
    lanes: usize,
}

/// The mutations of one caller.
#[derive(Debug)]
struct Write {
    mutations: Vec<Mutation>,
    bytes: usize,
    answer: oneshot::Sender<Result<()>>,
}

impl ProxyClient {
    /// Creates a writer that combines the writes of many tasks into calls.
    pub fn gathering_writer(&self, table: impl Into<String>) -> GatheringWriter {
        let shared = Shared {
            client: self.clone(),
            table: table.into(),
            queue: Mutex::default(),
        };
        GatheringWriter {
            shared: Arc::new(shared),
        }
    }
}

impl GatheringWriter {
    /// Checks whether a write of these mutations travels with others, so that an error may be that
    /// of another write.
    pub fn gathers(mutations: &[Mutation]) -> bool {
        let bytes: usize = mutations.iter().map(mutation_bytes).sum();
        let mut updates = mutations.iter().flat_map(|mutation| &mutation.updates);
        bytes <= CALL_BYTES / 2 && updates.all(|update| update.timestamp.is_some())
    }

    /// Writes mutations. `Ok` means that all of them are written. If the future is dropped, they
    /// may be written or not.
    ///
    /// # Errors
    ///
    /// The same as [`ProxyClient::write`]. If they [travel with others](Self::gathers), the error
    /// may be that of another write.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let shared = &self.shared;
        let bytes = shared.client.check_write(&shared.table, &mutations).await?;
        if !Self::gathers(&mutations) {
            return shared.client.write(&shared.table, mutations).await;
        }
        let (answer, answered) = oneshot::channel();
        let write = Write {
            mutations,
            bytes,
            answer,
        };
        if shared.add(write) {
            tokio::spawn(run_lane(shared.clone()));
        }
        answered.await.unwrap_or_else(|_| Err(shared.ended()))
    }
}

impl Shared {
    /// Adds a write. Returns `true` if the caller must start a lane.
    fn add(&self, write: Write) -> bool {
        let mut queue = self.queue();
        queue.waiting.push_back(write);
        let is_free = queue.lanes < LANES;
        queue.lanes += usize::from(is_free);
        is_free
    }

    /// Takes the writes of the next call, the oldest first. Returns `None`, and ends the lane of
    /// the caller, if none waits.
    fn take(&self) -> Option<Vec<Write>> {
        let mut queue = self.queue();
        queue.waiting.retain(|write| !write.answer.is_closed());
        let (mut mutations, mut bytes, mut taken) = (0, 0, Vec::new());
        while let Some(write) = queue.waiting.pop_front() {
            mutations += write.mutations.len();
            bytes += write.bytes;
            let fits = mutations <= MUTATIONS_PER_CALL && bytes <= CALL_BYTES;
            if !fits && !taken.is_empty() {
                queue.waiting.push_front(write);
                break;
            }
            taken.push(write);
        }
        if taken.is_empty() {
            // In the same step, so that the next write starts a lane.
            queue.lanes -= 1;
            return None;
        }
        Some(taken)
    }

    /// Sends a call, and answers its writes.
    async fn call(self: Arc<Self>, writes: Vec<Write>) {
        let all = writes.iter().flat_map(|write| write.mutations.clone());
        let written = self.client.write(&self.table, all.collect()).await;
        let written = written.map_err(|error| match writes.len() {
            1 => error,
            // It may be the error of another write.
            _ => error.with_possible_effect(true),
        });
        for write in writes {
            // The caller may be cancelled.
            let _ = write.answer.send(written.clone());
        }
    }

    fn ended(&self) -> Error {
        let reason = "the task of the writer has ended with its runtime";
        let call = UpdateAndFlushRequest::NAME;
        self.client
            .error(ErrorKind::Unreachable, call, Some(&self.table), reason)
            .with_possible_effect(true)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends one call after the other until no write waits.
async fn run_lane(shared: Arc<Shared>) {
    let mut lane = Lane {
        shared,
        has_ended: false,
    };
    while let Some(writes) = lane.shared.take() {
        // A slow call continues without the lane.
        let _ = timeout(SLOW, tokio::spawn(lane.shared.clone().call(writes))).await;
    }
    lane.has_ended = true;
}

/// The right to send one call at a time. A lane that has not ended by itself ends with its runtime.
struct Lane {
    shared: Arc<Shared>,
    has_ended: bool,
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let mut queue = self.shared.queue();
        queue.lanes -= 1;
        if queue.lanes == 0 {
            // Their callers get an error.
            queue.waiting.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::Credentials;
    use crate::options::ProxyOptions;

    /// The lane ended a moment later. A write in between started none, and got an error.
    #[test]
    fn a_write_after_the_last_one_starts_a_lane() {
        let credentials = Credentials::password("root", "secret");
        let client = ProxyClient::lazy(ProxyOptions::new("localhost:1", credentials));
        let shared = client.gathering_writer("t").shared;
        let (answer, _answered) = oneshot::channel();
        let write = Write {
            mutations: Vec::new(),
            bytes: 0,
            answer,
        };
        assert!(shared.add(write));
        let writes = shared.take().unwrap();
        assert!(shared.take().is_none());
        assert!(shared.add(writes.into_iter().next().unwrap()));
    }
}
