//! A real Accumulo for the tests: ZooKeeper, master, tablet servers and proxies, which always end
//! with their owner.
//!
//! Everything comes from published artifacts, which `pom.xml` lists and Maven fetches once. Nothing
//! is installed.
//!
//! ```text
//! Cluster ── runner: ZooKeeper, master, tablet servers, garbage collector   one group of processes
//!    ├────── Proxy                                                          a group of its own,
//!    └────── Proxy ..                                                       restarted separately
//!
//! JavaPeer: a process of Apache Fluo, which a test controls
//! ZooKeeperServer: a ZooKeeper alone, whose configuration a test writes
//! ```
//!
//! - A test calls [`wanted`] first, and returns if the answer is `false`. Then [`Cluster::shared`]
//!   is the cluster that `cargo xtask test` started for all tests, or a cluster of this process.
//! - A test that injects faults starts its own [`Proxy`] with [`Cluster::start_proxy`], or its own
//!   [`Cluster`] to kill tablet servers. All tests use the shared ones.
//! - The processes end with their owner, also after a panic, Ctrl-C or SIGKILL: see [`Supervisor`].
//! - Errors are sentences for the person who runs the tests, with the last lines of the relevant
//!   log. They have no kinds, because no caller distinguishes them.
//!
//! The harness needs Linux (it reads `/proc`), Java 17 or later, Maven, `sh` and `setsid`. It
//! configures Accumulo only as far as necessary to start it, and keeps no data between two runs.
//!
//! ```no_run
//! use fluo_cluster::{Cluster, ProxySettings, wanted};
//!
//! # fn main() -> anyhow::Result<()> {
//! if !wanted() {
//!     return Ok(());
//! }
//! let cluster = Cluster::shared()?;
//! let proxy = cluster.start_proxy(ProxySettings::default())?;
//! let address = proxy.address();
//! proxy.kill()?;
//! proxy.restart()?;
//! assert_eq!(proxy.address(), address);
//! # Ok(())
//! # }
//! ```

mod cluster;
mod folder;
mod jars;
mod java;
mod logs;
mod peer;
mod poll;
mod port;
mod process;
mod proxy;
mod ready;
mod settings;
mod shared;
mod state;
mod supervisor;
mod zookeeper;

pub use cluster::Cluster;
pub use folder::state_file;
pub use jars::locked;
pub use logs::say;
pub use peer::JavaPeer;
pub use poll::poll;
pub use port::free_ports;
pub use process::Process;
pub use proxy::Proxy;
pub use settings::{Protocol, ProxySettings, Settings};
pub use shared::wanted;
pub use state::{ProxyState, Site, State};
pub use supervisor::Supervisor;
pub use zookeeper::ZooKeeperServer;
