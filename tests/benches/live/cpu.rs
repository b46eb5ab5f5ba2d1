//! The CPU time that some work costs in each kind of process.

use std::fmt;
use std::time::Duration;

use fluo_cluster::{Cluster, JavaPeer, Process};

/// CPU times of the processes of a cluster and of its clients.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cpu {
    client: Duration,
    proxy: Duration,
    servers: Duration,
    zookeeper: Duration,
}

impl Cpu {
    /// Returns the CPU times until now. The clients are Java processes, or this one if there are
    /// none.
    pub(crate) fn until_now(cluster: &Cluster, java: &[&JavaPeer]) -> Self {
        let mut clients: Vec<_> = java.iter().filter_map(|java| java.process().ok()).collect();
        if java.is_empty() {
            clients.extend(Process::of(std::process::id().cast_signed()));
        }
        let proxy = cluster.proxy().unwrap().state().unwrap().process.group();
        Self {
            client: sum(clients),
            proxy: sum(proxy),
            servers: sum(cluster.tablet_servers()),
            zookeeper: sum(cluster.zookeeper()),
        }
    }

    /// Returns the CPU times since an earlier moment, for each of `count` pieces of work.
    pub(crate) fn since(self, earlier: Self, count: usize) -> Self {
        let each = |now: Duration, then: Duration| {
            now.saturating_sub(then) / u32::try_from(count.max(1)).unwrap()
        };
        Self {
            client: each(self.client, earlier.client),
            proxy: each(self.proxy, earlier.proxy),
            servers: each(self.servers, earlier.servers),
            zookeeper: each(self.zookeeper, earlier.zookeeper),
        }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = [self.client, self.proxy, self.servers, self.zookeeper]
            .map(|time| format!("{:.0}", time.as_secs_f64() * 1e6));
        write!(f, "{}", micros.join("+"))
    }
}

fn sum(processes: impl IntoIterator<Item = Process>) -> Duration {
    processes.into_iter().filter_map(Process::cpu_time).sum()
}
