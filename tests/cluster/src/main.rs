//! The command `fluo-cluster`, which `cargo xtask cluster` runs: a cluster that outlives the
//! command.
//!
//! ```text
//! start ── starts ──> hold --detached    owns the cluster; the state file contains its addresses
//! stop  ── SIGTERM ─> hold               the cluster ends with it
//! ```

mod commands;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "fluo-cluster", about = "A real Accumulo on this machine, for tests")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a cluster that continues to run, and print how to use it
    Start(Which),
    /// Stop the cluster, with everything in it
    Stop(Which),
    /// Print whether the cluster runs, and how to use it
    Status(Which),
    /// Own a cluster until standard input ends; the line `keep` makes it keep its logs
    Hold {
        #[command(flatten)]
        which: Which,
        /// Do not read standard input; run without a terminal until stopped
        #[arg(long)]
        detached: bool,
    },
}

#[derive(Args)]
struct Which {
    /// The state file of the cluster
    #[arg(long, value_name = "FILE", default_value_os_t = fluo_cluster::state_file())]
    state: PathBuf,
    /// Number of tablet servers of a new cluster
    #[arg(long, value_name = "N", default_value_t = 2)]
    tablet_servers: usize,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Start(which) => commands::start(&which.state, which.tablet_servers),
        Command::Stop(which) => commands::stop(&which.state),
        Command::Status(which) => commands::status(&which.state),
        Command::Hold { which, detached } => {
            commands::hold(&which.state, which.tablet_servers, detached)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            fluo_cluster::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
