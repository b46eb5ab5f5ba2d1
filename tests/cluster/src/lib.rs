//! A real Accumulo for the tests: ZooKeeper, master, tablet servers and proxies, started and always stopped.
//!
//! Everything comes from published artifacts (`pom.xml` names them), fetched once with Maven. Nothing is installed.
//!
//! ```text
//! Cluster ── runner: ZooKeeper, master, tablet servers, garbage collector     one group of processes
//!    ├────── Proxy                                                            a group of its own, each:
//!    └────── Proxy ..                                                         killed and restarted alone
//! ```
//!
//! - A test calls [`wanted`] first, and skips when the answer is no. Then [`Cluster::shared`] is the cluster that
//!   `cargo xtask test` started for all tests, or one of the process's own.
//! - A test that breaks things starts a [`Proxy`] of its own with [`Cluster::start_proxy`], or a [`Cluster`] of its
//!   own when tablet servers must die. The shared ones belong to everyone.
//! - Whatever ends the owner, a panic, Ctrl-C or SIGKILL, ends the processes: see [`Supervisor`].
//! - Errors are sentences for whoever runs the tests, with the last lines of the log that matters. Nobody acts on
//!   their kind, so they have none.
//!
//! It needs Linux (it reads `/proc`), Java 17 or later, Maven, `sh` and `setsid`. It does not configure Accumulo
//! beyond what it takes to start, and holds no data between two runs.
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
mod deadline;
mod folder;
mod jars;
mod java;
mod logs;
mod port;
mod process;
mod proxy;
mod ready;
mod runner;
mod settings;
mod shared;
mod state;
mod supervisor;

pub use cluster::Cluster;
pub use folder::{home, state_file};
pub use process::Process;
pub use proxy::Proxy;
pub use settings::{Protocol, ProxySettings, Settings};
pub use shared::wanted;
pub use state::{ProxyState, Site, State};
pub use supervisor::{Program, Supervisor};
