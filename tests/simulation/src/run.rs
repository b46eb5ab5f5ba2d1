//! One run, from its seed to its violations.

use std::collections::BTreeSet;
use std::fmt;

use fluo_table::{Error, Result};
use tokio::time::sleep;

use super::actor::{ACCOUNTS, Actor, OPENING, PAIRS};
use super::dials::Dials;
use super::ground::number;
use super::random::Random;
use super::recorded::{Recorded, told};
use super::world::World;
use super::{WorldBug, check, crew, housekeeping, settle};

/// A run of the engine under faults, all of it drawn from a seed.
///
/// ```
/// use fluo_simulation::Simulation;
///
/// let report = Simulation::new(1).run().unwrap();
/// assert!(report.violations.is_empty(), "{report}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    seed: u64,
    bug: Option<WorldBug>,
    is_late_for_ever: bool,
}

/// The result of a run.
#[derive(Debug)]
pub struct Report {
    /// The seed, which is the run.
    pub seed: u64,
    /// The violations that the run found.
    pub violations: Vec<String>,
    /// Everything that happened, line by line.
    pub trace: Vec<String>,
    /// The operations on lists, one event per line, in the format of Elle and similar checkers.
    pub lists: String,
    /// Transactions and snapshots that were begun.
    pub begun: usize,
    /// Transactions that committed.
    pub committed: usize,
}

impl Simulation {
    /// The run of a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, bug: None, is_late_for_ever: false }
    }

    /// The same with a breakage of the world.
    #[must_use]
    pub fn with_bug(self, bug: WorldBug) -> Self {
        Self { bug: Some(bug), ..self }
    }

    /// Allows a write to arrive after the garbage of its transaction was collected. Fluo's protocol
    /// does not tolerate that. It does not happen on tables whose servers know the age of a
    /// request.
    #[must_use]
    pub fn with_writes_late_for_ever(self) -> Self {
        Self { is_late_for_ever: true, ..self }
    }

    /// Runs the simulation on this thread, in simulated time.
    ///
    /// # Errors
    ///
    /// The runtime cannot be created, or a call that must succeed while nothing fails does not.
    pub fn run(self) -> Result<Report> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .map_err(|error| {
                Error::with_source(fluo_table::ErrorKind::Storage, "there is no runtime", error)
            })?;
        runtime.block_on(self.play())
    }

    async fn play(self) -> Result<Report> {
        let random = Random::new(self.seed);
        let mut dials = Dials::drawn(&random, &Random::new(!self.seed));
        dials.is_late_for_ever = self.is_late_for_ever;
        let world = World::new(random, dials, self.bug).await?;
        world.trace.add(format_args!("{:?}", world.dials));
        set_up(&world).await?;
        world.begin();
        let crew = tokio::spawn({
            let world = world.clone();
            async move { crew::work(&world).await }
        });
        tokio::spawn(housekeeping::collect_garbage(world.clone()));
        tokio::spawn(housekeeping::keep_files(world.clone()));
        sleep(world.dials.length).await;
        world.end();
        if let Err(error) = crew.await {
            world.violation(format!("the run broke: {error}"));
        }
        world.arrive_all();
        let numbers = match settle::settle(&world).await {
            Ok(numbers) => numbers,
            Err(error) => {
                world.violation(format!("it cannot be cleaned up: {error}"));
                BTreeSet::new()
            }
        };
        check::check(&world);
        Ok(report(&world, self.seed, &numbers))
    }
}

async fn set_up(world: &World) -> Result<()> {
    let options = world.dials.options();
    let (link, client) = crew::open_to_everything(world, 0, options).await?;
    let actor = Actor { world: world.clone(), link, client };
    let tx = actor.client.begin().await?;
    let first = Recorded::new(world, "set up", &tx);
    for account in ACCOUNTS {
        first.set(account, &number(), format!("{OPENING}/first"))?;
    }
    for (one, other) in PAIRS {
        first.set(one, &number(), "1/first")?;
        first.set(other, &number(), "1/first")?;
    }
    let story = first.story();
    let committed = tx.commit().await;
    told(world, story, &committed);
    committed.map(drop).map_err(Error::from)
}

fn report(world: &World, seed: u64, numbers: &BTreeSet<u64>) -> Report {
    let (begun, committed) = (world.history().stories.len(), world.commits().committed.len());
    Report {
        seed,
        violations: world.violations(),
        trace: world.trace.take(),
        lists: world.elle().take(numbers),
        begun,
        committed,
    }
}

/// Lines of a trace that a report shows.
const TAIL: usize = 60;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.trace.iter().position(|line| line.contains("VIOLATION"));
        let end = first.map_or(self.trace.len(), |first| first + 1);
        let tail = self.trace.get(end.saturating_sub(TAIL)..end).unwrap_or_default();
        for line in tail {
            writeln!(f, "{line}")?;
        }
        write!(f, "seed {}: {} violations", self.seed, self.violations.len())?;
        self.violations.iter().take(5).try_for_each(|what| write!(f, "\n  {what}"))
    }
}
