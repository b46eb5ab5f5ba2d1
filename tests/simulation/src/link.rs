//! The connection between one client and everything that it calls.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fluo_table::coordination::TransactorId;
use fluo_table::{Authorizations, Error, ErrorKind};
use tokio::time::sleep;

use super::denial::{Denial, Denied};
use super::labels;
use super::world::World;

/// The connection of one client to its table and its coordination. It delays calls, loses calls and
/// answers, and may break.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) world: World,
    /// The number of the client, in the order in which they came.
    pub(super) client: u64,
    /// `true` if its table writes rows together.
    pub(super) is_together: bool,
    /// The labels that its table handle sees.
    pub(super) authorizations: Authorizations,
    denial: Option<Denial>,
    /// Denied writes that only rolled locks of committed transactions forward, and all others.
    pub(super) denied_forwards: AtomicU64,
    pub(super) denied_others: AtomicU64,
    is_cut: AtomicBool,
    transactor: AtomicU64,
}

/// The fate of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It takes effect and is answered.
    Fine,
    /// It has no effect and fails.
    Before,
    /// It takes effect, and its answer is lost.
    After,
    /// It has no effect, and the outcome is unknown.
    Lost,
    /// It takes effect later, and the outcome is unknown.
    Late,
    /// The client is disconnected permanently. The call may have taken effect.
    Cut { takes_effect: bool },
}

impl Link {
    /// A link of a client that does its share of the work.
    pub(super) fn new(world: World, client: u64) -> Self {
        let authorizations = match world.dials.is_labeled {
            true => labels::drawn(&world.random),
            false => labels::all(),
        };
        Self {
            denial: Denial::drawn(&world.random, &world.dials),
            ..Self::of_everything(world, client, authorizations)
        }
    }

    /// A link of a client that may do everything.
    pub(super) fn of_everything(world: World, client: u64, authorizations: Authorizations) -> Self {
        Self {
            authorizations,
            denial: None,
            denied_forwards: AtomicU64::new(0),
            denied_others: AtomicU64::new(0),
            is_together: world.random.chance(world.dials.is_together),
            world,
            client,
            is_cut: AtomicBool::new(false),
            transactor: AtomicU64::new(0),
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst)
    }

    pub(super) fn set_transactor(&self, transactor: TransactorId) {
        self.transactor.store(transactor.0, Ordering::SeqCst);
    }

    pub(super) fn say(&self, what: impl fmt::Display) {
        self.world.trace.add(format_args!("c{} {what}", self.client));
    }

    /// Takes the time that a call takes one way. Never returns once the link is cut.
    pub(super) async fn travel(&self) {
        self.travel_with(()).await;
    }

    /// Takes the time that a call takes one way with a value, which is dropped if the link is cut.
    pub(super) async fn travel_with<T>(&self, value: T) -> T {
        self.take_time().await;
        if self.is_cut() {
            drop(value);
            std::future::pending::<()>().await;
            unreachable!("a pending future has no end");
        }
        value
    }

    async fn take_time(&self) {
        if self.is_cut() {
            return;
        }
        let (random, dials) = (&self.world.random, &self.world.dials);
        let longest = match random.chance(dials.is_slow) && self.world.is_rough() {
            true => dials.slow,
            false => dials.usual,
        };
        let time = random.time_below(longest);
        if time.is_zero() {
            tokio::task::yield_now().await;
        } else {
            sleep(time).await;
        }
    }

    /// Checks whether calls of a kind are denied now.
    pub(super) fn denies(&self, what: Denied) -> bool {
        let denial = self.denial.filter(|denial| denial.what == what);
        self.world.is_rough() && denial.is_some_and(|denial| denial.is_in_force())
    }

    /// Checks whether anything is ever denied.
    pub(super) fn has_denial(&self) -> bool {
        self.denial.is_some()
    }

    /// Draws the fate of a call.
    pub(super) fn fate(&self) -> Fate {
        if !self.world.is_rough() {
            return Fate::Fine;
        }
        let (random, dials) = (&self.world.random, &self.world.dials);
        if random.below(100_000) < dials.is_cut {
            return Fate::Cut { takes_effect: random.chance(500) };
        }
        if random.below(100_000) < dials.expires {
            self.expire();
        }
        let drawn = random.below(1_000);
        let mut up_to = 0;
        for (often, fate) in [
            (dials.fails_before, Fate::Before),
            (dials.fails_after, Fate::After),
            (dials.is_lost, Fate::Lost),
            (dials.is_late, Fate::Late),
        ] {
            up_to += often;
            if drawn < up_to {
                return fate;
            }
        }
        Fate::Fine
    }

    /// Disconnects the client permanently. Its session ends after a while, without notice to the
    /// client.
    pub(super) async fn cut(&self) {
        self.break_off();
        std::future::pending::<()>().await;
    }

    pub(super) fn break_off(&self) {
        if self.is_cut.swap(true, Ordering::SeqCst) {
            return;
        }
        self.say("is cut off");
        let (world, transactor) = (self.world.clone(), self.transactor());
        let delay = world.random.time_below(world.dials.session);
        tokio::spawn(async move {
            sleep(delay).await;
            world.end_transactor(transactor);
        });
    }

    /// Ends the session while the client continues for a while.
    fn expire(&self) {
        self.say("lost its session");
        self.world.end_transactor(self.transactor());
        self.world.retire(self.client);
    }

    fn transactor(&self) -> TransactorId {
        TransactorId(self.transactor.load(Ordering::SeqCst))
    }
}

pub(super) fn unavailable() -> Error {
    Error::new(ErrorKind::Unavailable, "simulated: the call was not sent; nothing was done")
}

pub(super) fn uncertain() -> Error {
    Error::new(
        ErrorKind::Uncertain,
        "simulated: the answer was lost; the call may have taken effect",
    )
}

pub(super) fn denied() -> Error {
    Error::new(ErrorKind::Denied, "simulated: the client may not do this; nothing was done")
}
