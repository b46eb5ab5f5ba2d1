//! The child processes, by role.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fluo_cluster::Process;
use fluo_tests::STUCK;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::access::Access;

/// Describes a child process, as JSON.
pub(crate) const IN_CHILD: &str = "FLUO_APPLICATION_FAULTS_CHILD";

/// Number of processes of each role.
const EACH: usize = 2;
/// The difference of the first order numbers of two clients.
const STRIDE: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) enum Role {
    Oracle,
    Worker,
    Client,
}

/// The arguments of a child process: its role, its access, and the number of its first order.
pub(crate) type Arguments = (Role, Access, u64);

/// All child processes. The first of a role is the oldest.
pub(crate) struct Crew {
    access: Access,
    children: BTreeMap<Role, Vec<Child>>,
    started: u64,
    placed: Arc<Mutex<BTreeSet<u64>>>,
}

impl Crew {
    /// Starts oracles and workers.
    pub(crate) fn start(access: Access) -> Self {
        let mut crew =
            Self { access, children: BTreeMap::new(), started: 0, placed: Arc::default() };
        for role in [Role::Oracle, Role::Worker] {
            (0..EACH).for_each(|_| crew.add(role));
        }
        crew
    }

    pub(crate) fn start_clients(&mut self) {
        (0..EACH).for_each(|_| self.add(Role::Client));
    }

    fn add(&mut self, role: Role) {
        let arguments = (role, &self.access, self.started * STRIDE);
        self.started += 1;
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child::a_child_that_is_killed", "--nocapture"])
            .env(IN_CHILD, serde_json::to_string(&arguments).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let placed = self.placed.clone();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // A line that a kill has cut has no end.
                let number = line.strip_prefix("placed ").and_then(|it| it.strip_suffix('.'));
                placed.lock().unwrap().extend(number.map(|it| it.parse::<u64>().unwrap()));
            }
        });
        self.children.entry(role).or_default().push(child);
    }

    /// Kills the oldest process of a role, and starts another one.
    pub(crate) fn kill_and_replace(&mut self, role: Role) {
        let mut oldest = self.children.get_mut(&role).unwrap().remove(0);
        oldest.kill().unwrap();
        oldest.wait().unwrap();
        self.add(role);
    }

    /// Suspends the oldest process of a role for a while.
    pub(crate) async fn suspend(&mut self, role: Role, time: Duration) {
        let oldest = self.children.get(&role).unwrap().first().unwrap();
        let process = Process::of(oldest.id().cast_signed()).expect("the process still runs");
        process.suspend();
        sleep(time).await;
        process.resume();
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

    /// Kills all processes, and returns the orders that were acknowledged.
    ///
    /// # Panics
    ///
    /// A process has ended by itself.
    pub(crate) fn kill(self) -> BTreeSet<u64> {
        for (role, children) in self.children {
            for mut child in children {
                assert_eq!(child.try_wait().unwrap(), None, "{role:?} ended");
                child.kill().unwrap();
                child.wait().unwrap();
            }
        }
        std::mem::take(&mut self.placed.lock().unwrap())
    }
}
