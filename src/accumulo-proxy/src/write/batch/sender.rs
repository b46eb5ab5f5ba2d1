//! A lane: one call at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{mpsc, oneshot};

use crate::client::ProxyClient;
use crate::data::Mutation;
use crate::error::{Error, Result};
use crate::write::byte_permits::Place;
use crate::write::chunk::CALL_BYTES;

/// A job for a lane.
#[derive(Debug)]
pub(super) enum Job {
    /// A mutation, its size in bytes, and its place in the limit of waiting bytes.
    Write(Mutation, usize, Place),
    /// A request for an answer when all earlier jobs are done.
    Flush(oneshot::Sender<()>),
}

/// State that the lanes of a writer share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) client: ProxyClient,
    pub(super) table: String,
    failure: OnceLock<Error>,
    is_given_up: AtomicBool,
}

impl Shared {
    pub(super) fn new(client: ProxyClient, table: String) -> Self {
        Self { client, table, failure: OnceLock::new(), is_given_up: AtomicBool::new(false) }
    }

    /// Returns the error that broke the writer, if any.
    pub(super) fn check(&self) -> Result<()> {
        match self.failure.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Stops each lane after its current call.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed) || self.failure.get().is_some()
    }

    async fn write(&self, mutations: Vec<Mutation>) {
        if mutations.is_empty() || self.is_over() {
            return;
        }
        if let Err(error) = self.client.write(&self.table, mutations).await {
            // Other calls may have written before this one or concurrently.
            let error = error.with_possible_effect(true);
            // The first error counts; later errors are its consequences, or repeat it.
            let _ = self.failure.set(error);
        }
    }
}

/// A lane of a batch writer.
pub(super) struct Lane {
    jobs: mpsc::UnboundedReceiver<Job>,
    shared: Arc<Shared>,
}

/// The contents of the next call of a lane.
#[derive(Default)]
struct Load {
    mutations: Vec<Mutation>,
    bytes: usize,
    places: Vec<Place>,
    flushes: Vec<oneshot::Sender<()>>,
}

impl Lane {
    /// Starts a lane, which ends with the writer. The writer limits the bytes that wait in it.
    pub(super) fn spawn(shared: Arc<Shared>) -> mpsc::UnboundedSender<Job> {
        let (sender, jobs) = mpsc::unbounded_channel();
        tokio::spawn(Self { jobs, shared }.run());
        sender
    }

    async fn run(mut self) {
        while let Some(job) = self.jobs.recv().await {
            let mut load = Load::default();
            load.take(job);
            while load.bytes < CALL_BYTES
                && let Ok(job) = self.jobs.try_recv()
            {
                load.take(job);
            }
            self.shared.write(load.mutations).await;
            drop(load.places);
            for flush in load.flushes {
                // The caller of a flush may be cancelled, and then needs no answer.
                let _ = flush.send(());
            }
        }
    }
}

impl Load {
    fn take(&mut self, job: Job) {
        match job {
            Job::Write(mutation, bytes, place) => {
                self.mutations.push(mutation);
                self.bytes += bytes;
                self.places.push(place);
            }
            Job::Flush(done) => self.flushes.push(done),
        }
    }
}
