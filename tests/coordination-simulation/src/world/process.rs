//! The processes of a run, and the messages between them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The faults of messages in a run.
#[derive(Clone, Debug, Default)]
pub struct Dials {
    /// The longest delay of a message.
    pub max_delay: Duration,
    /// The share of requests to ZooKeeper whose connection breaks, half of them after the effect.
    pub losses: f64,
    /// The longest time for which a server of ZooKeeper is cut off from the others.
    pub max_lag: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Process {
    pub(super) is_frozen: bool,
    pub(super) is_cut: bool,
    pub(super) is_dead: bool,
}

#[derive(Default)]
struct State {
    began: Option<Instant>,
    dials: Dials,
    random: fastrand::Rng,
    processes: BTreeMap<u32, Process>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

pub(super) fn begin(seed: u64, dials: Dials) {
    let random = fastrand::Rng::with_seed(seed);
    let began = Some(Instant::now());
    STATE.replace(State { began, dials, random, processes: BTreeMap::new() });
}

/// Returns the time since the beginning of the run.
pub(super) fn elapsed() -> Duration {
    STATE.with_borrow(|state| state.began).map_or(Duration::ZERO, |began| began.elapsed())
}

/// Changes the faults of messages.
pub(super) fn turn(change: impl FnOnce(&mut Dials)) {
    STATE.with_borrow_mut(|state| change(&mut state.dials));
}

/// Changes the state of a process.
pub(super) fn change(process: u32, change: impl FnOnce(&mut Process)) {
    STATE.with_borrow_mut(|state| change(state.processes.entry(process).or_default()));
}

/// Draws with the random numbers of the run.
pub(super) fn draw<T>(draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
    STATE.with_borrow_mut(|state| draw(&mut state.random))
}

pub(super) fn dials() -> Dials {
    STATE.with_borrow(|state| state.dials.clone())
}

pub(super) fn state_of(process: u32) -> Process {
    STATE.with_borrow(|state| state.processes.get(&process).copied().unwrap_or_default())
}

/// Returns the process of an address, whose host is its name.
pub(super) fn process_of(address: &str) -> u32 {
    let host = address.split([':', ',']).next().unwrap_or_default();
    host.strip_prefix('p').and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Lets a message between a process and another place take its time. It fails if the process is
/// dead. One to a frozen process arrives, and waits there.
pub(super) async fn pass(process: u32) -> io::Result<()> {
    sleep(delay()).await;
    match state_of(process).is_dead {
        true => Err(io::ErrorKind::ConnectionReset.into()),
        false => Ok(()),
    }
}

/// Draws the delay of a message.
pub(super) fn delay() -> Duration {
    STATE.with_borrow_mut(|state| state.dials.max_delay.mul_f64(state.random.f64().powi(3)))
}
