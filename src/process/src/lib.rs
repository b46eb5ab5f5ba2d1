//! A worker or a loader as a process of its own.
//!
//! [`Process`] runs a worker or loaders from start to end: it opens the tables at the place that
//! the environment or a [profile](Profile) names, answers supervisors over HTTP, writes a log, and
//! after a signal completes the work in progress within a time limit.
//!
//! ```no_run
//! use fluo_process::Process;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> fluo_table::Result<()> {
//! let process = Process::start().await?;
//! let client = process.application("web").open_or_create().await?;
//! process.run_worker(client.worker()).await
//! # }
//! ```
//!
//! | variable | meaning |
//! |---|---|
//! | `FLUO_AT` | `embedded:DIR`, `proxy:HOST:PORT`, or the name of a [profile](Profile::parse) |
//! | `FLUO_CONFIG` | the file of the profiles |
//! | `FLUO_USER` and others | the [login](Login) |
//! | `FLUO_HTTP` | the [address for supervisors](ProcessOptions::http), such as `0.0.0.0:9464` |
//! | `FLUO_HOST` | the [name under which clients reach this machine](ProcessOptions::host) |
//! | `FLUO_ORACLE_PORT` | the [port of the oracle](ProcessOptions::oracle_port) |
//! | `FLUO_LOG` | the [levels of the log](ProcessOptions::start) |
//!
//! Other programs use [`Profile`] and [`Login`] to connect, and [`Signals`] to end.

mod environment;
mod health;
mod http;
mod log;
mod login;
mod options;
mod oracle_port;
mod process;
mod profile;
mod prometheus;
mod queue_gauges;
mod secret;
mod signals;
mod stop;

pub mod monitor;

#[doc(hidden)]
pub use log::levels;
pub use login::Login;
pub use options::ProcessOptions;
pub use oracle_port::OraclePort;
pub use process::Process;
pub use profile::{Profile, Target};
pub use secret::Secret;
pub use signals::Signals;
pub use stop::Stopper;
