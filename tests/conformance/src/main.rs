//! `cargo xtask conformance`: the conformance suite on an instance of the user.
//!
//! Each rule creates tables whose names begin with a prefix that is unique to the run. At the end
//! all of them are deleted, also those of failed rules. The exit code is 0 if every rule holds, 1
//! if a rule does not hold, 2 if the run failed, and 130 after Ctrl-C.

mod authorizations;
mod login;
mod run;
mod target;

use std::io::{Write, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Parser;
use fluo_accumulo::IteratorBuild;
use fluo_table::TableAdmin;
use fluo_tests::conformance::{RULES, Rule, table_prefix};

use crate::run::{Tally, print};
use crate::target::Target;

#[derive(Parser)]
#[command(
    name = "cargo xtask conformance",
    about = "Checks the tables of an instance against the contract, rule by rule"
)]
struct Arguments {
    /// The instance: memory, embedded:DIR (created if it does not exist), or proxy:HOST:PORT for a
    /// live Accumulo
    #[arg(long, value_name = "TARGET", default_value = "memory")]
    at: Target,
    /// The user of a proxy; default: FLUO_USER. The password comes from FLUO_PASSWORD or from the
    /// file in FLUO_PASSWORD_FILE. For a proxy of Accumulo 2.x set FLUO_SHARED_SECRET instead of
    /// user and password
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Run only rules whose names contain this text, such as `t13` or `split`; may be repeated
    #[arg(long = "rule", value_name = "TEXT")]
    rules: Vec<String>,
    /// List the rules without running them
    #[arg(long)]
    list: bool,
    /// Grant the authorizations of the suite to this user of Accumulo during the run. It must be
    /// the user whose permissions the proxy uses
    #[arg(long, value_name = "USER")]
    grant: Option<String>,
    /// State that the tablet servers are of Accumulo 2.x and have jars of Fluo's iterators that are
    /// built for it. Wrong jars halt them
    #[arg(long)]
    iterators_for_accumulo_2: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match conformance(&Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(stderr(), "error: {}", sentence(&error));
            ExitCode::from(2)
        }
    }
}

async fn conformance(arguments: &Arguments) -> Result<ExitCode> {
    let rules = chosen(&arguments.rules)?;
    if arguments.list {
        for rule in rules {
            print(rule.name())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let build = match arguments.iterators_for_accumulo_2 {
        true => IteratorBuild::ForAccumulo2,
        false => IteratorBuild::ForAccumulo1,
    };
    let (user, grant) = (arguments.user.as_deref(), arguments.grant.as_deref());
    let opened = arguments.at.open(user, grant, build).await?;
    print(&format!("{} rules on {}, in tables `{}*`", rules.len(), arguments.at, table_prefix()))?;
    let ended = tokio::select! {
        tally = run::rules(&rules, &opened.tables) => Some(tally),
        _ = tokio::signal::ctrl_c() => None,
    };
    let removed = remove_tables(&opened.tables).await;
    if let Some(granted) = &opened.granted {
        granted.restore().await?;
    }
    removed?;
    match ended {
        Some(tally) => summarize(tally?),
        None => Ok(ExitCode::from(130)),
    }
}

/// Returns the rules whose names contain one of the texts.
fn chosen(texts: &[String]) -> Result<Vec<&'static Rule>> {
    if let Some(unknown) = texts.iter().find(|text| !RULES.iter().any(has(text))) {
        bail!("no rule has `{unknown}` in its name; --list prints all rules");
    }
    let is_chosen =
        |rule: &&'static Rule| texts.is_empty() || texts.iter().any(|text| has(text)(rule));
    Ok(RULES.iter().filter(is_chosen).collect())
}

fn has(text: &str) -> impl Fn(&Rule) -> bool {
    move |rule| rule.name().contains(text)
}

/// Returns an error with its causes, without causes that the text before already contains.
fn sentence(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    let joined = causes.reduce(|told, cause| match told.contains(&cause) {
        true => told,
        false => format!("{told}: {cause}"),
    });
    joined.unwrap_or_default()
}

/// Deletes the tables of this run, also those of failed rules.
async fn remove_tables(tables: &Arc<dyn TableAdmin>) -> Result<()> {
    let prefix = table_prefix();
    let left =
        format!("some tables `{prefix}*` of this run could not be deleted; delete them manually");
    let all = tables.tables().await.with_context(|| left.clone())?;
    for name in all.iter().filter(|name| name.starts_with(&prefix)) {
        let deleted = tables.delete_table(name).await;
        deleted.with_context(|| left.clone())?;
    }
    Ok(())
}

fn summarize(tally: Tally) -> Result<ExitCode> {
    print(&format!("{} ok, {} failed", tally.ok, tally.failed))?;
    Ok(match tally.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}
