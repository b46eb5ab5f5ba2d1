//! The processes of a run, and the harm that they come to.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use fluo_coordination_simulation::world::{self, Dials, SESSION};
use fluo_coordination_simulation::{Oracle, OracleOptions, ZooKeeperOptions};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Instant, sleep};

pub(crate) const ROOT: &str = "/fluo/web";
/// The work of a process, until it is killed.
pub(crate) type Work = dyn Fn(u32) -> Pin<Box<dyn Future<Output = ()>>>;

/// Processes of several kinds. A killed one is replaced by another of its kind.
#[derive(Default)]
pub(crate) struct Crew {
    processes: Vec<Process>,
    kinds: Vec<Box<Work>>,
    started: u32,
}

struct Process {
    number: u32,
    kind: usize,
    task: JoinHandle<()>,
}

impl Crew {
    /// Begins a run with the faults of this seed.
    pub(crate) fn begin(seed: u64) -> Self {
        let place = |seed: u64| usize::try_from(seed % 3).unwrap();
        let max_delay = Duration::from_millis([5, 100, 2_000][place(seed)]);
        let losses = [0.0, 0.01, 0.1][place(seed / 3)];
        let max_lag = Duration::from_secs([0, 3, 10][place(seed / 9)]);
        world::begin(seed, Dials { max_delay, losses, max_lag });
        Self::default()
    }

    pub(crate) fn start<F>(&mut self, processes: usize, work: impl Fn(u32) -> F + 'static)
    where
        F: Future<Output = ()> + 'static,
    {
        self.kinds.push(Box::new(move |number| Box::pin(work(number))));
        (0..processes).for_each(|_| self.add(self.kinds.len() - 1));
    }

    fn add(&mut self, kind: usize) {
        self.started += 1;
        let number = self.started;
        let task = spawn_local(world::run(number, self.kinds[kind](number)));
        self.processes.push(Process { number, kind, task });
    }

    /// Harms processes for some time, by faults that last for at most `longest`, with pauses of at
    /// most `peace`. Waits until no fault is left.
    pub(crate) async fn suffer(&mut self, time: Duration, longest: Duration, peace: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time {
            sleep(peace.mul_f64(fastrand::f64())).await;
            self.harm_one(longest.mul_f64(fastrand::f64().powi(2)));
        }
        world::heal();
        sleep(longest).await;
    }

    fn harm_one(&mut self, time: Duration) {
        let chosen = fastrand::usize(..self.processes.len());
        let number = self.processes[chosen].number;
        match fastrand::u8(..5) {
            0 | 1 => drop(spawn_local(world::freeze(number, time))),
            2 | 3 => drop(spawn_local(world::cut(number, time))),
            _ => {
                let process = self.processes.remove(chosen);
                world::kill(number);
                process.task.abort();
                self.add(process.kind);
            }
        }
    }
}

pub(crate) fn oracle_options(process: u32) -> OracleOptions {
    let zookeeper = ZooKeeperOptions::new(format!("p{process}:2181/fluo"));
    let options = OracleOptions::new(zookeeper.session_timeout(SESSION), "web").unwrap();
    let options = options.host(format!("p{process}"));
    options.horizon_period(Duration::from_secs(3))
}

/// Runs an oracle, and another one when it has ended.
pub(crate) async fn lead(process: u32) {
    loop {
        if let Ok(mut oracle) = Oracle::start(oracle_options(process)).await {
            while oracle.wait_for_change().await.is_ok() {}
        }
        sleep(Duration::from_secs(1)).await;
    }
}
