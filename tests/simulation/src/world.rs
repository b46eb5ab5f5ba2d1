//! The shared state of all clients of a run.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fluo_table::coordination::{Applications, Coordination, MemoryApplications, TransactorId};
use fluo_table::{
    Authorizations, Clock, ConditionalMutation, Error, ErrorKind, Mutation, Outcome, Result,
};

use super::commits::Commits;
use super::dials::Dials;
use super::elle::Elle;
use super::history::History;
use super::late::LateWrites;
use super::queue_log::QueueLog;
use super::queues::Queues;
use super::random::Random;
use super::server::{Attached, Copies, Server};
use super::trace::Trace;
use super::words;
use super::{WorldBug, ground};

/// A clock that always shows the same time. Simulated time is that of the runtime.
#[derive(Debug)]
pub(super) struct StoppedClock;

impl Clock for StoppedClock {
    fn now_ms(&self) -> i64 {
        0
    }
}

/// A table on its server, its coordination, and the records of a run. A clone is the same world.
#[derive(Clone, Debug)]
pub(super) struct World(Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) server: Server,
    /// The iterators that run in flushes.
    pub(super) in_flushes: Attached,
    /// The iterators that run in compactions.
    pub(super) in_compactions: Attached,
    pub(super) applications: MemoryApplications,
    pub(super) coordination: Arc<dyn Coordination>,
    pub(super) random: Random,
    pub(super) dials: Dials,
    pub(super) trace: Trace,
    pub(super) late: LateWrites,
    /// The queues of the run, or `None` for a run without queues.
    pub(super) queues: Option<Queues>,
    pub(super) bug: Option<WorldBug>,
    history: Mutex<History>,
    commits: Mutex<Commits>,
    elle: Mutex<Elle>,
    queue_log: Mutex<QueueLog>,
    violations: Mutex<Vec<String>>,
    /// Clients that are to be replaced.
    retired: Mutex<BTreeSet<u64>>,
    phase: AtomicU8,
}

/// Nothing fails, and the actors have not begun.
const CALM: u8 = 0;
/// Calls fail.
const ROUGH: u8 = 1;
/// Nothing fails any more, and the actors come to an end.
const OVER: u8 = 2;

impl World {
    pub(super) async fn new(random: Random, dials: Dials, bug: Option<WorldBug>) -> Result<Self> {
        let applications = MemoryApplications::with_clock(Arc::new(StoppedClock));
        let queues = dials.queues.map(Queues::new).transpose()?;
        let ours = ground::initialized(Arc::new(applications.clone()), queues.as_ref()).await?;
        let properties = match dials.is_javas {
            true => ground::javas_properties(),
            false => ours,
        };
        let in_flushes = match bug {
            Some(WorldBug::GarbageInFlushes) => Attached::BOTH,
            _ => Attached::in_scope(&properties, "minc"),
        };
        let coordination = applications.open(ground::APPLICATION).await?;
        Ok(Self(Arc::new(Inner {
            server: Server::new(dials.copies),
            in_flushes,
            in_compactions: Attached::in_scope(&properties, "majc"),
            applications,
            coordination,
            random,
            dials,
            trace: Trace::new(),
            late: LateWrites::default(),
            queues,
            bug,
            history: Mutex::default(),
            commits: Mutex::default(),
            elle: Mutex::default(),
            queue_log: Mutex::default(),
            violations: Mutex::default(),
            retired: Mutex::default(),
            phase: AtomicU8::new(CALM),
        })))
    }

    /// Calls begin to fail.
    pub(super) fn begin(&self) {
        self.phase.store(ROUGH, Ordering::SeqCst);
    }

    /// Nothing fails any more.
    pub(super) fn end(&self) {
        self.phase.store(OVER, Ordering::SeqCst);
        self.trace.add("---- nothing fails any more");
    }

    /// Checks whether no client is cut off and no session expires in this run.
    pub(super) fn keeps_owners(&self) -> bool {
        self.dials.is_cut == 0 && self.dials.expires == 0
    }

    pub(super) fn is_rough(&self) -> bool {
        self.phase.load(Ordering::SeqCst) == ROUGH
    }

    pub(super) fn is_over(&self) -> bool {
        self.phase.load(Ordering::SeqCst) == OVER
    }

    /// Checks whether a planted bug strikes now.
    pub(super) fn strikes(&self, bug: WorldBug) -> bool {
        self.bug == Some(bug) && self.is_rough() && self.random.chance(50)
    }

    /// Writes to the true table.
    pub(super) fn apply(&self, mut mutation: Mutation) {
        self.tear(&mut mutation);
        self.trace.add(format_args!("    put {}", words::of_mutation(&mutation)));
        self.note(&mutation);
        self.server.write(&mutation, self.rank());
    }

    fn tear(&self, mutation: &mut Mutation) {
        if self.strikes(WorldBug::RowTorn) {
            let half = mutation.updates.len().div_ceil(2);
            mutation.updates.truncate(half);
        }
    }

    /// A rank among entries of one key, where chance orders them.
    fn rank(&self) -> u64 {
        match self.dials.copies {
            Copies::AnyOrder => self.random.below(1 << 32),
            Copies::Replaced | Copies::NewestFirst => 0,
        }
    }

    /// Writes to the true table if the conditions hold: one mutation, or some together.
    pub(super) fn apply_if(
        &self,
        mut mutations: Vec<ConditionalMutation>,
        authorizations: &Authorizations,
    ) -> Result<Outcome> {
        if self.strikes(WorldBug::ConditionIgnored) {
            for conditional in mutations {
                self.apply(conditional.mutation);
            }
            return Ok(Outcome::Accepted);
        }
        if mutations.len() > 1 && self.strikes(WorldBug::TogetherTorn) {
            mutations.truncate(mutations.len().div_ceil(2));
        }
        for conditional in &mut mutations {
            self.tear(&mut conditional.mutation);
        }
        let written: Vec<Mutation> = mutations.iter().map(|it| it.mutation.clone()).collect();
        let is_accepted = self.server.write_if(&mutations, authorizations, self.rank())?;
        let outcome = match is_accepted {
            true => Outcome::Accepted,
            false => Outcome::Rejected,
        };
        let said = match is_accepted {
            true => "accepted",
            false => "rejected",
        };
        self.trace.add(format_args!("    {said} {}", words::of_mutations(&written)));
        if is_accepted {
            written.iter().for_each(|mutation| self.note(mutation));
        }
        Ok(outcome)
    }

    fn note(&self, mutation: &Mutation) {
        let wrong = self.commits().note(mutation);
        if let Some(wrong) = wrong {
            self.violation(wrong);
        }
    }

    /// Checks whether the faults of this run may cause an error.
    pub(super) fn stands(&self, error: &Error) -> bool {
        match error.kind() {
            ErrorKind::Unavailable | ErrorKind::Uncertain => true,
            ErrorKind::Denied => self.dials.is_denied > 0,
            _ => false,
        }
    }

    pub(super) fn end_transactor(&self, transactor: TransactorId) {
        if let Ok(true) = self.applications.end_transactor(ground::APPLICATION, transactor) {
            self.trace.add(format_args!("transactor {transactor} ends"));
        }
    }

    /// Asks for another client in the place of one.
    pub(super) fn retire(&self, client: u64) {
        lock(&self.retired).insert(client);
    }

    pub(super) fn is_retired(&self, client: u64) -> bool {
        lock(&self.retired).contains(&client)
    }

    /// Takes note of something that must not be.
    pub(super) fn violation(&self, what: impl Into<String>) {
        let what = what.into();
        self.trace.add(format_args!("VIOLATION {what}"));
        lock(&self.violations).push(what);
    }

    pub(super) fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }

    pub(super) fn commits(&self) -> MutexGuard<'_, Commits> {
        lock(&self.commits)
    }

    pub(super) fn elle(&self) -> MutexGuard<'_, Elle> {
        lock(&self.elle)
    }

    pub(super) fn queue_log(&self) -> MutexGuard<'_, QueueLog> {
        lock(&self.queue_log)
    }

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        lock(&self.history)
    }
}

impl Deref for World {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
