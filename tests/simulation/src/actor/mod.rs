//! The users of the engine. Each actor repeats one kind of work.

mod adder;
mod bank;
mod blind;
mod counter;
mod labeler;
mod lister;
mod loader;
mod part;
mod reader;
mod requeuer;
mod sender;
mod skew;
mod wide;

use std::sync::{Arc, Mutex, PoisonError};

use fluo_engine::{Client, CommitError, OwnedTransaction, RetryPolicy, Transaction};
use fluo_table::{Bytes, Error, Result};
use tokio::time::sleep;

use super::history::{StoryId, Told};
use super::link::Link;
use super::recorded::{self, Recorded};
use super::world::World;

pub(super) use adder::read as read_sums;
pub(super) use bank::{ACCOUNTS, OPENING};
pub(super) use lister::numbers_of;
pub(super) use loader::DOCUMENTS;
pub(super) use part::Part;
pub(super) use requeuer::requeue_all;
pub(super) use skew::PAIRS;

/// An actor of a client.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) world: World,
    pub(super) link: Arc<Link>,
    pub(super) client: Client,
}

impl Actor {
    /// A pause.
    pub(super) async fn rest(&self) {
        let time = self.world.random.time_below(self.world.dials.rest);
        sleep(time).await;
    }

    /// A long pause, in the middle of something.
    async fn dawdle(&self) {
        let time = self.world.random.time_below(self.world.dials.slow);
        sleep(time).await;
    }

    async fn begin(&self) -> Result<OwnedTransaction> {
        self.client.begin().await
    }

    fn record<'a>(&'a self, actor: &'static str, tx: &'a OwnedTransaction) -> Recorded<'a> {
        let recorded = Recorded::new(&self.world, actor, tx);
        recorded.story();
        recorded
    }

    /// Runs a body, which returns its story, until it commits or for a while. Unlike the start of
    /// [`begin`](Self::begin), that of the body may move until its first read (S3).
    async fn run<F>(&self, body: impl Fn(Transaction) -> F) -> Result<()>
    where
        F: Future<Output = Result<StoryId>>,
    {
        let world = &self.world;
        let policy = RetryPolicy::new().max_elapsed(world.dials.max_elapsed);
        let last: Mutex<Option<StoryId>> = Mutex::default();
        let last = || last.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = |tx| {
            // If the body runs again, the attempt before has failed.
            if let Some(before) = last().take() {
                world.history().with(before, |story| story.told = Told::Failed);
            }
            let attempt = body(tx);
            async {
                *last() = Some(attempt.await?);
                Ok::<_, Error>(())
            }
        };
        let runner = self.client.runner().retry(policy);
        let committed = runner.run_committed(attempt).await;
        let story = *last();
        match (story, committed) {
            (None, committed) => committed.map(drop),
            (Some(story), Ok(((), committed))) => {
                recorded::told(world, story, &Ok(committed));
                Ok(())
            }
            (Some(story), Err(error)) => {
                recorded::told_error(world, story, &error);
                Err(error)
            }
        }
    }

    /// Commits, in one way or the other.
    async fn commit(&self, tx: OwnedTransaction, story: StoryId) -> Result<()> {
        let committed = match self.world.random.chance(200) {
            true => self.client.commit_in_background(tx).await.await,
            false => tx.commit().await,
        };
        recorded::told(&self.world, story, &committed);
        match committed {
            Ok(_)
            | Err(
                CommitError::Conflict(_)
                | CommitError::SnapshotTooOld(_)
                | CommitError::Acknowledged,
            ) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the number in a value, or 0 if there is no value.
pub(super) fn number_of(value: Option<&Bytes>) -> i64 {
    let text = value.and_then(|value| std::str::from_utf8(value).ok());
    let number = text.and_then(|text| text.split('/').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// A value with a number in it that no other value is equal to.
fn value(number: i64, tx: &Transaction) -> Bytes {
    format!("{number}/{}", tx.start()).into()
}
