//! The project's own commands: `cargo xtask test`, `lint`, `bench`, `soak`, `simulate`, `conformance`, `cluster` and
//! `generate`.

mod bench;
mod cargo;
mod cluster;
mod conformance;
mod generate;
mod install;
mod language;
mod lint;
mod plan;
mod simulate;
mod soak;
mod test;
mod tool;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything there is: lint, every test, every example, on a real Accumulo too. What needs a tool that is missing is
    /// skipped, and said
    Test(test::Asked),
    /// Formatting, the language of comments, clippy and documentation, warnings denied
    Lint,
    /// The benchmarks; the figures in the docs are theirs
    Bench {
        /// Only benchmarks of this target, e.g. row_hasher
        #[arg(value_name = "BENCH")]
        name: Option<String>,
    },
    /// The slow, deep tests, as long as you like: kills at random points, random histories against the reference
    Soak {
        /// How many times as long as in `test`
        #[arg(long, default_value_t = 10)]
        times: u32,
    },
    /// Run the engine under faults that are drawn from seeds: a seed is a run, and replays exactly
    Simulate(simulate::Simulate),
    /// Check the tables of an instance of yours, such as your Accumulo, against the contract, rule by rule
    #[command(disable_help_flag = true)]
    Conformance {
        /// The arguments of the command: `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// A real Accumulo on this machine, to try things on: it keeps running until it is stopped
    Cluster {
        #[command(subcommand)]
        what: cluster::What,
    },
    /// Make the Thrift code of accumulo-proxy from its IDL
    Generate {
        /// Change nothing; fail when the code is not what the IDL says
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Test(asked) => test::test(asked),
        Task::Lint => lint::lint(true, true),
        Task::Bench { name } => bench::bench(name.as_deref()),
        Task::Soak { times } => soak::soak(times),
        Task::Simulate(asked) => simulate::simulate(asked),
        Task::Conformance { arguments } => return conformance::conformance(&arguments),
        Task::Cluster { what } => cluster::cluster(what),
        Task::Generate { check } => generate::generate(check),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cargo::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
