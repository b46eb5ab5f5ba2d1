//! `cargo xtask test`: lint, tests, documentation, examples, the demonstration.

use anyhow::{Context, Result, bail};

use crate::cargo::{Environment, cargo, workspace};
use crate::cluster::Held;
use crate::lint::lint;
use crate::requirements;

/// Everything, live tests on one cluster that is started for all of them.
pub(crate) fn everything() -> Result<()> {
    requirements::check()?;
    lint()?;
    let cluster = Held::start()?;
    let result = run(&[("FLUO_CLUSTER", cluster.state().into())]);
    // The logs of a cluster on which something failed may say why.
    cluster.stop(result.is_err())?;
    result
}

/// Everything that needs no Accumulo.
pub(crate) fn without_accumulo() -> Result<()> {
    lint()?;
    run(&[("FLUO_WITHOUT_ACCUMULO", "1".into())])
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
