//! The parts that actors play.

use std::sync::atomic::Ordering;

use fluo_table::{Error, ErrorKind, Result};
use tokio::time::timeout;

use super::{
    Actor, adder, bank, blind, counter, labeler, lister, loader, reader, requeuer, sender, skew,
    wide,
};
use crate::dials::Dials;

/// The work of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Adds to the sums of a combine queue, and reads them.
    Adder,
    /// Moves money between accounts.
    Bank,
    /// Sets and deletes cells without having read any.
    Blind,
    /// Counts up.
    Counter,
    /// Writes cells with labels beside others.
    Labeler,
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
    pub(crate) fn played(dials: &Dials) -> Vec<Self> {
        let mut parts = vec![
            Self::Bank,
            Self::Blind,
            Self::Counter,
            Self::Lister,
            Self::Loader,
            Self::Reader,
            Self::Skew,
        ];
        if dials.is_labeled {
            parts.push(Self::Labeler);
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

impl Actor {
    /// Plays a part until the run is over, or its client is replaced.
    pub(crate) async fn play(self, part: Part) {
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
                Part::Labeler => labeler::write(self).await,
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

    fn failed(&self, part: Part, error: &Error, denied_before: [u64; 2]) {
        self.link.say(format_args!("{part:?} failed: {error}"));
        let kind = error.kind();
        if !self.world.stands(error) || (kind == ErrorKind::Denied && !self.link.has_denial()) {
            self.world.violation(format!("{part:?} failed with {kind:?}: {error}"));
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
