//! The users of the engine. Each actor repeats one kind of work.

mod adder;
mod bank;
mod blind;
mod counter;
mod labeller;
mod lister;
mod loader;
mod reader;
mod requeuer;
mod sender;
mod skew;
mod wide;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use fluo_engine::{Client, CommitError, OwnedTransaction, RetryPolicy, Transaction};
use fluo_table::{Bytes, Error, ErrorKind, Result};
use tokio::time::{sleep, timeout};

use super::dials::Dials;
use super::history::{StoryId, Told};
use super::link::Link;
use super::recorded::{self, Recorded};
use super::world::World;

pub(super) use adder::read as read_sums;
pub(super) use bank::{ACCOUNTS, OPENING};
pub(super) use lister::numbers_of;
pub(super) use loader::DOCUMENTS;
pub(super) use requeuer::requeue_all;
pub(super) use skew::PAIRS;

/// The work of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Adds to the sums of a combine queue, and reads them.
    Adder,
    /// Moves money between accounts.
    Bank,
    /// Sets and deletes cells without having read any.
    Blind,
    /// Counts up.
    Counter,
    /// Writes cells with labels beside others.
    Labeller,
    /// Appends to lists and reads them.
    Lister,
    /// Writes documents.
    Loader,
    /// Reads and reads again, for long.
    Reader,
    /// Requeues parcels that the receiver has rejected.
    Requeuer,
    /// Sends parcels through an export queue.
    Sender,
    /// Takes from one of two cells what the other one covers.
    Skew,
    /// Writes a row of very many cells.
    Wide,
}

impl Part {
    /// The parts that every client of a run plays.
    pub(super) fn played(dials: &Dials) -> Vec<Self> {
        let mut parts = vec![
            Self::Bank,
            Self::Blind,
            Self::Counter,
            Self::Lister,
            Self::Loader,
            Self::Reader,
            Self::Skew,
        ];
        if dials.is_labelled {
            parts.push(Self::Labeller);
        }
        if dials.width > 0 {
            parts.push(Self::Wide);
        }
        if dials.queues.is_some() {
            parts.extend([Self::Adder, Self::Requeuer, Self::Sender]);
        }
        parts
    }
}

/// An actor of a client.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) world: World,
    pub(super) link: Arc<Link>,
    pub(super) client: Client,
}

impl Actor {
    /// Plays a part until the run is over, or its client is replaced.
    pub(super) async fn play(self, part: Part) {
        while !self.world.is_over() && !self.world.is_retired(self.link.client) {
            self.rest().await;
            let denied_before = self.denied();
            if let Err(error) = self.take_turn(part).await {
                self.failed(part, &error, denied_before);
            }
        }
    }

    /// Does one turn. Now and then its caller is cancelled in the middle.
    async fn take_turn(&self, part: Part) -> Result<()> {
        let done = async {
            match part {
                Part::Adder => adder::add(self).await,
                Part::Bank => bank::transfer(self).await,
                Part::Blind => blind::overwrite(self).await,
                Part::Counter => counter::count(self).await,
                Part::Labeller => labeller::write(self).await,
                Part::Lister => lister::append(self).await,
                Part::Loader => loader::load(self).await,
                Part::Reader => reader::read(self).await,
                Part::Requeuer => requeuer::requeue(self).await,
                Part::Sender => sender::send(self).await,
                Part::Skew => skew::take(self).await,
                Part::Wide => wide::write(self).await,
            }
        };
        let world = &self.world;
        if !(world.is_rough() && world.random.chance(world.dials.is_cancelled)) {
            return done.await;
        }
        let patience = world.random.time_below(world.dials.usual * 20);
        match timeout(patience, done).await {
            Ok(done) => done,
            Err(_) => {
                self.link.say(format_args!("{part:?} is cancelled"));
                Ok(())
            }
        }
    }

    /// Returns the number of denied writes so far: those that rolled forward, and others.
    fn denied(&self) -> [u64; 2] {
        [&self.link.denied_forwards, &self.link.denied_others]
            .map(|count| count.load(Ordering::SeqCst))
    }

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
        let policy = RetryPolicy::new().max_elapsed(world.dials.give_up_after);
        let last: Mutex<Option<StoryId>> = Mutex::default();
        let last = || last.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = |tx| {
            // If the body runs again, the attempt before has failed.
            if let Some(before) = last().take() {
                world
                    .history()
                    .with(before, |story| story.told = Told::Failed);
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

    fn failed(&self, part: Part, error: &Error, denied_before: [u64; 2]) {
        self.link.say(format_args!("{part:?} failed: {error}"));
        let kind = error.kind();
        if !self.world.stands(error) || (kind == ErrorKind::Denied && !self.link.has_denial()) {
            self.world
                .violation(format!("{part:?} failed with {kind:?}: {error}"));
        }
        let [forwards, others] = self.denied();
        let met_only_commits = forwards > denied_before[0] && others == denied_before[1];
        if part == Part::Reader && kind == ErrorKind::Denied && met_only_commits {
            self.world.violation(format!(
                "R2: a reader fails because it may not write what has committed: {error}"
            ));
        }
    }
}

/// Returns the number in a value, or 0 if there is no value.
pub(super) fn number_of(value: Option<&Bytes>) -> i64 {
    let text = value.and_then(|value| std::str::from_utf8(value).ok());
    let number = text.and_then(|text| text.split('/').next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

/// A value with a number in it that no other value is equal to.
fn value(number: i64, tx: &Transaction) -> Bytes {
    format!("{number}/{}", tx.start()).into()
}
