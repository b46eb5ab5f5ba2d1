//! Writes of many tasks, gathered into calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::chunk::CALL_BYTES;
use crate::client::ProxyClient;
use crate::data::Mutation;
use crate::error::{Error, ErrorKind, Result};
use crate::wire::Call;
use crate::wire::interface::UpdateAndFlushRequest;

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
/// Gathering needs mutations that may be written twice: if a server refuses a call, each write of
/// it is repeated alone, so that only the wrong one fails. So a write travels with others only if
/// each of its updates has a timestamp. Other writes, and those of more than half a MiB, are calls
/// of their own, as with [`ProxyClient::write`].
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
    /// Writes mutations. `Ok` means that all of them are written. If the future is dropped, they
    /// may be written or not.
    ///
    /// # Errors
    ///
    /// The same as [`ProxyClient::write`].
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        let shared = &self.shared;
        let bytes = shared.client.check_write(&shared.table, &mutations).await?;
        let may_repeat = |mutation: &Mutation| {
            let mut updates = mutation.updates.iter();
            updates.all(|update| update.timestamp.is_some())
        };
        if bytes > CALL_BYTES / 2 || !mutations.iter().all(may_repeat) {
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
            queue.lanes -= 1;
            return None;
        }
        Some(taken)
    }

    /// Sends a call, and answers its writes.
    async fn call(self: Arc<Self>, writes: Vec<Write>) {
        let all = writes.iter().flat_map(|write| write.mutations.clone());
        let written = self.client.write(&self.table, all.collect()).await;
        let is_of_all = match &written {
            Ok(()) => true,
            Err(_) if writes.len() == 1 => true,
            Err(error) => matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::TimedOut),
        };
        for write in writes {
            let written = match is_of_all {
                true => written.clone(),
                false => self.client.write(&self.table, write.mutations).await,
            };
            // The caller may be cancelled.
            let _ = write.answer.send(written);
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
    while let Some(writes) = shared.take() {
        // A slow call continues without the lane.
        let _ = timeout(SLOW, tokio::spawn(shared.clone().call(writes))).await;
    }
}
