//! The child processes, by role.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fluo_cluster::Process;
use fluo_engine::Client;
use fluo_tests::{STUCK, shop, until};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::access::Access;

/// Describes a child process, as JSON.
pub(crate) const IN_CHILD: &str = "FLUO_APPLICATION_FAULTS_CHILD";

/// The executable of this test in an earlier build, which `cargo xtask upgrade` sets.
pub(crate) const OLD_PROGRAM: &str = "FLUO_OLD_PROGRAM";

/// Number of processes of each role.
pub(crate) const EACH: usize = 2;
/// The difference of the first order numbers of two clients.
const STRIDE: u64 = 1_000_000;

/// The time in which a fault shows its effects, and the processes go on.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);
/// A time in which a suspended process loses its session.
pub(crate) const LONG: Duration = Duration::from_secs(7);

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) enum Role {
    Oracle,
    Worker,
    Client,
    /// Initializes the application, and ends.
    Creator,
    /// Requeues the dead letters, and ends.
    Operator,
}

/// The build whose executable a process runs.
#[derive(Clone, Copy, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum Build {
    /// The executable of [`OLD_PROGRAM`].
    Old,
    /// The executable of this test.
    New,
}

impl Build {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Build::Old => "old",
            Build::New => "new",
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Build::Old => Build::New,
            Build::New => Build::Old,
        }
    }

    fn program(self) -> PathBuf {
        match self {
            Build::Old => env::var_os(OLD_PROGRAM).expect("an earlier build").into(),
            Build::New => env::current_exe().unwrap(),
        }
    }

    /// Returns a command that runs a child process.
    fn command(self, role: Role, access: &Access, number: u64) -> Command {
        let arguments: Arguments = (role, access.for_build(self), number);
        let mut command = Command::new(self.program());
        command
            .args(["--exact", "child::a_child_that_is_killed", "--nocapture"])
            .env(IN_CHILD, serde_json::to_string(&arguments).unwrap());
        command
    }

    /// Runs a child process that ends by itself.
    pub(crate) fn run(self, role: Role, access: &Access, number: u64) {
        let status = block_in_place(|| self.command(role, access, number).status()).unwrap();
        assert!(status.success(), "{role:?} of the {} build: {status}", self.name());
    }
}

/// The arguments of a child process: its role, its access, and a number, such as that of its first
/// order.
pub(crate) type Arguments = (Role, Access, u64);

/// A child process, and the number of orders that it has placed, or observers that it has run.
struct Member {
    child: Child,
    build: Build,
    done: Arc<AtomicUsize>,
}

/// All child processes. The first of a role is the oldest.
pub(crate) struct Crew {
    access: Access,
    children: BTreeMap<Role, Vec<Member>>,
    started: u64,
    placed: Arc<Mutex<BTreeSet<u64>>>,
    /// The builds of the oracles that have begun to lead, separated by spaces.
    leads: Arc<Mutex<String>>,
}

impl Crew {
    /// Starts oracles and workers.
    pub(crate) fn start(access: Access, build: Build) -> Self {
        let (placed, leads) = (Arc::default(), Arc::default());
        let mut crew = Self { access, children: BTreeMap::new(), started: 0, placed, leads };
        for role in [Role::Oracle, Role::Worker] {
            (0..EACH).for_each(|_| crew.add(role, build));
        }
        crew
    }

    pub(crate) fn start_clients(&mut self, build: Build) {
        (0..EACH).for_each(|_| self.add(Role::Client, build));
    }

    fn add(&mut self, role: Role, build: Build) {
        let mut command = build.command(role, &self.access, self.started * STRIDE);
        self.started += 1;
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (placed, leads) = (self.placed.clone(), self.leads.clone());
        let done = Arc::new(AtomicUsize::new(0));
        let counted = done.clone();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // A line that a kill has cut has no end.
                let number = line.strip_prefix("placed ").and_then(|it| it.strip_suffix('.'));
                if number.is_some() || line == "observed." {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                placed.lock().unwrap().extend(number.map(|it| it.parse::<u64>().unwrap()));
                if line == "leads." {
                    *leads.lock().unwrap() += &format!(" {}", build.name());
                }
            }
        });
        self.children.entry(role).or_default().push(Member { child, build, done });
    }

    /// Kills a process of each role, and suspends another one.
    pub(crate) async fn interrupt(&mut self) {
        for role in [Role::Client, Role::Worker, Role::Oracle] {
            self.kill_and_replace(role);
            sleep(PAUSE).await;
            self.suspend(role, LONG).await;
            sleep(PAUSE).await;
        }
    }

    /// Kills the oldest process of a role, and starts another one of its build.
    fn kill_and_replace(&mut self, role: Role) {
        let mut oldest = self.children.get_mut(&role).unwrap().remove(0);
        oldest.child.kill().unwrap();
        oldest.child.wait().unwrap();
        self.add(role, oldest.build);
    }

    /// Stops a process of a role that is not of this build, and starts one that is.
    pub(crate) fn replace(&mut self, role: Role, build: Build) {
        let mut children = self.children[&role].iter();
        let other = children.position(|other| other.build != build).unwrap();
        self.stop(role, other);
        self.add(role, build);
    }

    /// Stops the oldest process of a role, and starts another one of its build.
    pub(crate) fn restart(&mut self, role: Role) {
        let build = self.stop(role, 0);
        self.add(role, build);
    }

    fn stop(&mut self, role: Role, place: usize) -> Build {
        let mut stopped = self.children.get_mut(&role).unwrap().remove(place);
        running(&stopped.child).signal(Signal::TERM);
        let status = block_in_place(|| stopped.child.wait()).unwrap();
        assert!(status.success(), "{role:?} ended: {status}");
        stopped.build
    }

    /// Suspends the oldest process of a role for a while.
    async fn suspend(&mut self, role: Role, time: Duration) {
        let oldest = self.children.get(&role).unwrap().first().unwrap();
        let process = running(&oldest.child);
        process.suspend();
        sleep(time).await;
        process.resume();
    }

    /// Returns the builds of the oracles that have begun to lead, in this order, separated by
    /// spaces.
    pub(crate) fn leads(&self) -> String {
        self.leads.lock().unwrap().clone()
    }

    /// Waits until each worker has run an observer, and each client has placed an order.
    pub(crate) async fn wait_for_each(&self) {
        for role in [Role::Worker, Role::Client] {
            for member in self.children.get(&role).into_iter().flatten() {
                let done = || member.done.load(Ordering::Relaxed);
                let (before, what) = (done(), format!("{role:?} {} works", member.child.id()));
                until(&what, async || done() > before).await;
            }
        }
    }

    /// Waits until this number of further orders is acknowledged.
    pub(crate) async fn wait_for_orders(&self, orders: usize) {
        let placed = || self.placed.lock().unwrap().len();
        let (before, begun) = (placed(), Instant::now());
        while placed() < before + orders {
            assert!(begun.elapsed() < STUCK, "{} orders after {before}", placed() - before);
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until this number of further orders is acknowledged, and until the workers have
    /// tallied all orders so far.
    pub(crate) async fn wait_for_tallies(&self, client: &Client, orders: usize) {
        self.wait_for_orders(orders).await;
        let placed = self.placed.lock().unwrap().clone();
        let tallied = async || shop::waiting(client).await.is_disjoint(&placed);
        until("the orders are tallied", tallied).await;
    }

    /// Kills all processes, and returns the orders that were acknowledged.
    ///
    /// # Panics
    ///
    /// A process has ended by itself.
    pub(crate) fn kill(mut self) -> BTreeSet<u64> {
        for (role, children) in &mut self.children {
            for Member { child, .. } in children {
                assert_eq!(child.try_wait().unwrap(), None, "{role:?} ended");
                child.kill().unwrap();
                child.wait().unwrap();
            }
        }
        std::mem::take(&mut self.placed.lock().unwrap())
    }
}

/// Ends the processes also if the test fails.
impl Drop for Crew {
    fn drop(&mut self) {
        for Member { child, .. } in self.children.values_mut().flatten() {
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

fn running(child: &Child) -> Process {
    Process::of(child.id().cast_signed()).expect("the process still runs")
}
