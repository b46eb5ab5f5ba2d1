//! The project's own commands: `cargo xtask test`, `lint`, `bench`, `soak` and `ci`.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything there is: lint, every test, every example
    Test,
    /// Formatting, clippy and documentation, warnings denied
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
    /// What continuous integration runs: the same as `test`
    Ci,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Test | Task::Ci => test(),
        Task::Lint => lint(),
        Task::Bench { name } => bench(name.as_deref()),
        Task::Soak { times } => soak(times),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<()> {
    lint()?;
    cargo(&["test", "--workspace", "--lib", "--bins", "--tests"], &[])?;
    cargo(&["test", "--workspace", "--doc"], &[])?;
    for example in examples()? {
        cargo(
            &[
                "run",
                "--quiet",
                "--package",
                "fluo-examples",
                "--example",
                &example,
            ],
            &[],
        )?;
    }
    cargo(
        &[
            "run",
            "--quiet",
            "--package",
            "fluo-cli",
            "--bin",
            "fluo",
            "--",
            "demo",
        ],
        &[],
    )
}

fn lint() -> Result<()> {
    cargo(&["fmt", "--all", "--", "--check"], &[])?;
    cargo(
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ],
        &[],
    )?;
    let documented = [("RUSTDOCFLAGS", "--deny warnings".to_owned())];
    cargo(
        &[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ],
        &documented,
    )
}

fn bench(name: Option<&str>) -> Result<()> {
    // One of the benchmarks runs the command.
    cargo(&["build", "--release", "--package", "fluo-cli"], &[])?;
    let mut arguments = vec!["bench", "--package", "fluo-tests"];
    match name {
        Some(name) => arguments.extend(["--bench", name]),
        None => arguments.push("--benches"),
    }
    cargo(&arguments, &[])
}

fn soak(times: u32) -> Result<()> {
    let length = [("FLUO_SOAK", times.to_string())];
    cargo(
        &[
            "test",
            "--release",
            "--package",
            "fluo-embedded",
            "--package",
            "fluo-tests",
        ],
        &length,
    )
}

/// The examples in reading order: the files say it by their numbers.
fn examples() -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut names = Vec::new();
    for entry in folder.read_dir().context("the folder of the examples")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name
            .strip_suffix(".rs")
            .filter(|stem| stem.starts_with(|c: char| c.is_ascii_digit()))
        {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        bail!("there are no examples");
    }
    Ok(names)
}

fn cargo(arguments: &[&str], environment: &[(&str, String)]) -> Result<()> {
    say(&format!("\n> cargo {}", arguments.join(" ")));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(arguments)
        .envs(environment.iter().map(|(name, value)| (name, value)));
    let status = command.status().context("cargo cannot be run")?;
    if !status.success() {
        bail!("`cargo {}` failed", arguments.join(" "));
    }
    Ok(())
}

#[expect(
    clippy::print_stderr,
    reason = "what a task does is said to whoever started it"
)]
fn say(line: &str) {
    eprintln!("{line}");
}
