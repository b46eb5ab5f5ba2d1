//! `cargo xtask test`: lint, tests, documentation, examples, the demonstration.

use anyhow::{Context, Result, bail};

use crate::cargo::{Environment, cargo, workspace};
use crate::cluster::Held;
use crate::lint::lint;
use crate::requirements;

/// What is left out, because the machine lacks what it needs.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Without {
    /// Skip what needs a real Accumulo, and with it Java and Maven
    #[arg(long)]
    without_accumulo: bool,
    /// Skip what needs a browser
    #[arg(long)]
    without_browser: bool,
}

/// Everything but what is left out, live tests on one cluster that is started for all of them.
pub(crate) fn test(without: Without) -> Result<()> {
    if !without.without_accumulo {
        requirements::check_accumulo()?;
    }
    if !without.without_browser {
        requirements::check_browser()?;
    }
    lint()?;
    let mut environment: Vec<(&str, std::ffi::OsString)> = Vec::new();
    if without.without_browser {
        environment.push(("FLUO_WITHOUT_BROWSER", "1".into()));
    }
    if without.without_accumulo {
        environment.push(("FLUO_WITHOUT_ACCUMULO", "1".into()));
        return run(&environment);
    }
    let cluster = Held::start()?;
    environment.push(("FLUO_CLUSTER", cluster.state().into()));
    let result = run(&environment);
    // The logs of a cluster on which something failed may say why.
    cluster.stop(result.is_err())?;
    result
}

fn run(environment: &Environment) -> Result<()> {
    cargo(
        &["test", "--workspace", "--lib", "--bins", "--tests"],
        environment,
    )?;
    cargo(&["test", "--workspace", "--doc"], environment)?;
    let run = ["run", "--quiet", "--package"];
    for example in examples()? {
        cargo(
            &[&run[..], &["fluo-examples", "--example", &example]].concat(),
            environment,
        )?;
    }
    cargo(
        &[&run[..], &["fluo-cli", "--bin", "fluo", "--", "demo"]].concat(),
        environment,
    )
}

/// The examples in reading order: the files say it by their numbers.
fn examples() -> Result<Vec<String>> {
    let folder = workspace().join("examples");
    let mut names = Vec::new();
    for entry in folder.read_dir().context("the folder of the examples")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".rs");
        if let Some(stem) = stem.filter(|stem| stem.starts_with(|c: char| c.is_ascii_digit())) {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        bail!("there are no examples");
    }
    Ok(names)
}
