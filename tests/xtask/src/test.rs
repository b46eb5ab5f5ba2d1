//! `cargo xtask test`: lint, tests, documentation, examples, the demonstration.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::background::{Background, Queue};
use crate::cargo::{Environment, cargo, command, run, say, set, workspace};
use crate::cluster::{Held, for_short_lived};
use crate::lint;
use crate::parts::{Part, Plan, Wishes};
use crate::programs::{self, Programs};
use crate::turn::is_first_day;

/// Environment variables that make the tests skip a part if they are set to any value, as the flags
/// do.
const WITHOUT_ACCUMULO: &str = "FLUO_WITHOUT_ACCUMULO";
const WITHOUT_BROWSER: &str = "FLUO_WITHOUT_BROWSER";
const WITHOUT_STRACE: &str = "FLUO_WITHOUT_STRACE";
/// The state file of the cluster that the live tests use.
const CLUSTER: &str = "FLUO_CLUSTER";

/// The options for parts that need more than a Rust toolchain.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Asked {
    /// Skip the tests that need a real Accumulo, and with it Java and Maven
    #[arg(long)]
    without_accumulo: bool,
    /// Skip the tests that need a browser
    #[arg(long)]
    without_browser: bool,
    /// Skip the tests of a loss of power, which need strace
    #[arg(long)]
    without_strace: bool,
    /// Skip nothing: install missing tools (apt-get, rustup), or fail. CI=true in the environment
    /// does the same
    #[arg(long)]
    require_all: bool,
    /// Print the parts that would run, be installed or be skipped, and end
    #[arg(long)]
    dry_run: bool,
}

impl Asked {
    fn wishes(self) -> Wishes {
        let is_set = |name| env::var_os(name).is_some();
        let exclusions = [
            (self.without_accumulo, Part::Accumulo, "--without-accumulo"),
            (self.without_browser, Part::Browser, "--without-browser"),
            (self.without_strace, Part::PowerLoss, "--without-strace"),
            (is_set(WITHOUT_ACCUMULO), Part::Accumulo, WITHOUT_ACCUMULO),
            (is_set(WITHOUT_BROWSER), Part::Browser, WITHOUT_BROWSER),
            (is_set(WITHOUT_STRACE), Part::PowerLoss, WITHOUT_STRACE),
        ];
        let excluded = exclusions.into_iter().filter(|(is_given, ..)| *is_given);
        Wishes {
            excluded: excluded.map(|(_, part, name)| (part, name)).collect(),
            forbids_skipping: match self.require_all {
                true => Some("--require-all"),
                false => is_in_integration().then_some("CI=true"),
            },
            cluster: env::var_os(CLUSTER).filter(|file| !file.is_empty()),
        }
    }
}

/// Checks for continuous integration, which installs missing tools and skips nothing.
pub(crate) fn is_in_integration() -> bool {
    env::var("CI").is_ok_and(|ci| ci == "true")
}

/// Runs every part whose tools are installed. Live tests run on the cluster of `FLUO_CLUSTER`, or
/// on one that is started for all of them.
pub(crate) fn test(asked: Asked) -> Result<()> {
    let wishes = asked.wishes();
    let plan = Plan::new(&wishes)?;
    plan.remarks.iter().for_each(|remark| say(remark));
    if asked.dry_run {
        plan.ready.iter().for_each(|part| say(part));
        return Ok(());
    }
    let plan = with_installed(plan, &wishes)?;
    let result = run_all(&plan, wishes.cluster.as_deref());
    say(match &result {
        Ok(()) => "\nall passed",
        Err(_) => "\nfailed",
    });
    plan.remarks.iter().for_each(|remark| say(remark));
    result
}

/// Installs the tools that the plan requires, and returns the plan for the machine after that.
fn with_installed(plan: Plan, wishes: &Wishes) -> Result<Plan> {
    if plan.missing.is_empty() {
        return Ok(plan);
    }
    let cause = wishes.forbids_skipping.unwrap_or_default();
    plan.missing.install().with_context(|| {
        format!("`{cause}` forbids skipping, and the installation of missing tools failed")
    })?;
    let plan = Plan::new(wishes)?;
    if !plan.missing.is_empty() {
        bail!(
            "`{cause}` forbids skipping, and a tool is unfit after its installation:\n{}",
            plan.remarks.join("\n")
        );
    }
    Ok(plan)
}

fn run_all(plan: &Plan, given: Option<&OsStr>) -> Result<()> {
    let runs_live_tests = plan.runs(Part::Accumulo);
    let given = given.filter(|_| runs_live_tests);
    let each = each()?;
    lint::lint_text(plan.runs(Part::Formatting))?;
    if given.is_some() || !runs_live_tests {
        return run_parts(plan, &Programs::build()?, each, given);
    }
    let programs = Programs::build()?;
    // Its command is built with all others: alone it would have other features of dependencies.
    let cluster = Held::start(programs.folder()?)?;
    let result = run_parts(plan, &programs, each, Some(cluster.state().as_os_str()));
    // If a test failed, the logs of the cluster may contain the reason.
    cluster.stop(result.is_err())?;
    result
}

/// Returns the environment variables that pass the decisions of the plan to the tests. They replace
/// inherited ones. Without a cluster, live tests skip themselves.
fn environment(
    plan: &Plan,
    programs: &Programs,
    cluster: Option<&OsStr>,
) -> Result<[(&'static str, Option<OsString>); 6]> {
    let skips = |does_skip: bool| does_skip.then(|| "1".into());
    Ok([
        (WITHOUT_BROWSER, skips(!plan.runs(Part::Browser))),
        (WITHOUT_STRACE, skips(!plan.runs(Part::PowerLoss))),
        (WITHOUT_ACCUMULO, skips(cluster.is_none())),
        (CLUSTER, cluster.map(OsStr::to_owned)),
        (programs::FOLDER, Some(programs.folder()?.into())),
        for_short_lived(),
    ])
}

/// Runs everything: live tests on the cluster, if there is one, and all other tests beside the
/// rest.
fn run_parts(
    plan: &Plan,
    programs: &Programs,
    each: Command,
    cluster: Option<&OsStr>,
) -> Result<()> {
    let (live, mut tests) = programs.tests()?;
    let others_see = environment(plan, programs, None)?;
    let mut jobs = Vec::new();
    if cluster.is_some() {
        // They mostly wait for the servers, so they run beside each other and beside the rest. The
        // first program takes as long as the others.
        let environment = environment(plan, programs, cluster)?;
        let live = live.into_iter().map(|test| with(test, &environment));
        let (first, others) = live.partition(|(name, _)| name == "tests/live");
        jobs.extend([("live-tests", Queue::new(first)), ("more-live-tests", Queue::new(others))]);
    } else {
        tests.extend(live);
    }
    // Two at a time, because some of them mostly wait.
    let tests = Queue::new(tests.into_iter().map(|test| with(test, &others_see)).collect());
    jobs.extend([("tests", tests.clone()), ("more-tests", tests)]);
    let more = match is_first_day()? {
        true => ("xtask mutate".to_owned(), command(&["xtask", "mutate", "--rotate", "1"], &[])),
        false => ("xtask each".to_owned(), each),
    };
    // After the build, which would be slower beside them. The other commands often leave a
    // processor idle.
    let jobs = jobs.into_iter().map(|(title, programs)| Background::start(title, programs));
    let mut beside: Vec<_> = jobs.collect();
    let rest = lint::lint_code(plan.runs(Part::Clippy))
        .and_then(|()| run_documentation(programs, &others_see));
    if let Err(error) = &rest {
        say(&format!("\n{error}; the tests still run"));
    }
    // Not beside them, because its builds hold the same locks.
    beside.push(Background::start("more-checks", Queue::new(vec![more])));
    let beside = beside.into_iter().filter_map(|job| job.and_then(Background::finish).err());
    let errors = rest.err().into_iter().chain(beside);
    let errors: Vec<_> = errors.map(|error| format!("{error:#}")).collect();
    match errors.as_slice() {
        [] => Ok(()),
        _ => bail!("{}", errors.join("; ")),
    }
}

/// Returns the command `cargo xtask each` for the crate of the day, to run it beside others. A
/// build may replace the file of this program, which then has no path any more. So it is found
/// before a build.
fn each() -> Result<Command> {
    let this = env::current_exe().context("this program is not found")?;
    let mut each = Command::new(this);
    each.args(["each", "--rotate", "1"]).current_dir(workspace());
    Ok(each)
}

fn with((name, mut command): (String, Command), environment: &Environment) -> (String, Command) {
    set(&mut command, environment);
    (name, command)
}

/// Runs what readers see: the examples of the documentation, those in files, the demonstration.
fn run_documentation(programs: &Programs, environment: &Environment) -> Result<()> {
    cargo(&["test", "--workspace", "--doc"], environment)?;
    // Their names begin with numbers, in reading order.
    for (name, file) in programs.examples()? {
        run_in_workspace(&format!("example {name}"), Command::new(file), environment)?;
    }
    // `cargo run` would build it again, with the features of its package alone.
    let mut demo = Command::new(programs.folder()?.join("fluo"));
    demo.arg("demo");
    run_in_workspace("fluo demo", demo, environment)
}

fn run_in_workspace(line: &str, mut command: Command, environment: &Environment) -> Result<()> {
    set(command.current_dir(workspace()), environment);
    run(line, &mut command)
}

#[cfg(test)]
mod tests {
    #[test]
    fn integration_runs_this_command_and_nothing_else() {
        let script = include_str!("../../../.ci/run");
        let commands: Vec<_> = script.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            commands,
            [
                "set -euo pipefail",
                "cd \"$(dirname \"$0\")/..\"",
                "export CI=true CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0",
                "exec cargo xtask test"
            ]
        );
    }
}
