//! The commands of the project: `cargo xtask test`, `lint`, `tidy`, `each`, `measure`, `bench`,
//! `soak`, `simulate`, `mutate`, `upgrade`, `conformance`, `cluster` and `pictures`.

mod api;
mod background;
mod cargo;
mod cluster;
mod cycles;
mod defined_options;
mod dependencies;
mod each;
mod items;
mod language;
mod lint;
mod measure;
mod messages;
mod metadata;
mod mutate;
mod packages;
mod parts;
mod pictures;
mod programs;
mod runs;
mod source;
mod test;
mod turn;
mod upgrade;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The commands of the project")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run lint, all tests and all examples, also on a real Accumulo. Parts whose tools are missing
    /// are skipped and listed
    Test(test::Asked),
    /// Check formatting, tidy, clippy and documentation; warnings are errors
    Lint,
    /// Check the language of comments and pages, cycles of modules, the public API, and licenses
    /// and Rust versions of dependencies
    Tidy {
        /// Write the lists of the public API in tests/api instead of comparing them
        #[arg(long)]
        accept: bool,
    },
    /// Check each crate of the product by itself, with the oldest Rust that it promises
    Each {
        /// Check N crates, whose turn changes every day (UTC)
        #[arg(long, value_name = "N")]
        rotate: Option<usize>,
    },
    /// Print the sizes of files and functions, documentation and tests of each crate
    Measure,
    /// Run the benchmarks, which print the figures in the docs
    Bench {
        /// Run only the benchmarks of this target, such as row_hasher
        #[arg(value_name = "BENCH")]
        name: Option<String>,
        /// Arguments of the benchmark, such as `transactions 3` of live
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Run the slow tests longer: kills at random points, random histories against the reference
    Soak {
        /// Factor by which they run longer than in `test`
        #[arg(long, default_value_t = 10)]
        times: u32,
    },
    /// Run the engine under faults that are drawn from seeds; each seed replays exactly
    Simulate(runs::Simulate),
    /// Plant bugs in a copy of the tree, one at a time: each must be found by the test that its
    /// patch in tests/mutants names
    Mutate(mutate::Asked),
    /// Replace the processes of an application one after the other, from a build of an earlier
    /// commit to this one, and back, on a real Accumulo
    Upgrade {
        /// The earlier commit
        #[arg(default_value = upgrade::EARLIER)]
        commit: String,
    },
    /// Check the tables of an instance, such as your Accumulo, against the contract, rule by rule
    #[command(disable_help_flag = true)]
    Conformance {
        /// Arguments of the command; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run a real Accumulo on this machine until it is stopped
    Cluster {
        #[command(subcommand)]
        what: cluster::What,
    },
    /// Make the pictures of README in docs/pictures, with Chromium
    Pictures,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Test(asked) => test::test(asked),
        Task::Lint => lint::lint_text(true).and_then(|()| lint::lint_code(true)),
        Task::Tidy { accept } => lint::tidy(accept),
        Task::Each { rotate } => each::each(rotate),
        Task::Measure => measure::measure(),
        Task::Bench { name, arguments } => runs::bench(name.as_deref(), &arguments),
        Task::Soak { times } => runs::soak(times),
        Task::Simulate(asked) => runs::simulate(&asked),
        Task::Mutate(asked) => mutate::mutate(&asked),
        Task::Upgrade { commit } => upgrade::upgrade(&commit),
        Task::Conformance { arguments } => match runs::conformance(&arguments) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Task::Cluster { what } => cluster::cluster(what),
        Task::Pictures => pictures::pictures(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cargo::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
