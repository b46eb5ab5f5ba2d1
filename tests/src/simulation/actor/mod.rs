//! Those who use the engine: each does one kind of thing, again and again.

mod bank;
mod blind;
mod counter;
mod lister;
mod loader;
mod reader;
mod skew;

use std::sync::Arc;

use fluo_core::{Bytes, Client, CommitError, Error, ErrorKind, OwnedTransaction, Result};
use tokio::time::sleep;

use super::link::Link;
use super::recorded::{self, Recorded};
use super::world::World;

pub(super) use bank::{ACCOUNTS, OPENING};
pub(super) use lister::numbers_of;
pub(super) use loader::DOCUMENTS;
pub(super) use skew::PAIRS;

/// What an actor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Moves money between accounts.
    Bank,
    /// Sets and deletes cells without having read any.
    Blind,
    /// Counts up.
    Counter,
    /// Appends to lists and reads them.
    Lister,
    /// Writes documents.
    Loader,
    /// Reads and reads again, for long.
    Reader,
    /// Takes from one of two cells what the other one covers.
    Skew,
}

impl Part {
    /// The parts that every client plays.
    pub(super) const ALL: [Self; 7] = [
        Self::Bank,
        Self::Blind,
        Self::Counter,
        Self::Lister,
        Self::Loader,
        Self::Reader,
        Self::Skew,
    ];
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
            let done = match part {
                Part::Bank => bank::transfer(&self).await,
                Part::Blind => blind::overwrite(&self).await,
                Part::Counter => counter::count(&self).await,
                Part::Lister => lister::append(&self).await,
                Part::Loader => loader::load(&self).await,
                Part::Reader => reader::read(&self).await,
                Part::Skew => skew::take(&self).await,
            };
            if let Err(error) = done {
                self.failed(part, &error);
            }
        }
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
        Recorded::new(&self.world, actor, tx)
    }

    /// Commits, in one way or the other.
    async fn commit(&self, tx: OwnedTransaction, story: super::history::StoryId) -> Result<()> {
        let committed = match self.world.random.chance(200) {
            true => self.client.commit_in_background(tx).await.await,
            false => tx.commit().await,
        };
        recorded::told(&self.world, story, &committed);
        match committed {
            Ok(_)
            | Err(CommitError::Conflict(_) | CommitError::Stale(_) | CommitError::Acknowledged) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn failed(&self, part: Part, error: &Error) {
        self.link.say(format!("{part:?} failed: {error}"));
        if !matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Uncertain) {
            let kind = error.kind();
            self.world
                .violation(format!("{part:?} failed with {kind:?}: {error}"));
        }
    }
}

/// The number in a value; 0 where there is none.
pub(super) fn number_of(value: Option<&Bytes>) -> i64 {
    let text = value.and_then(|value| std::str::from_utf8(value).ok());
    let number = text.and_then(|text| text.split('/').next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

/// A value with a number in it that no other value is equal to.
fn value(number: i64, tx: &OwnedTransaction) -> Bytes {
    format!("{number}/{}", tx.start()).into()
}
