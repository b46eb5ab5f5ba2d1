//! `fluo table create`, `delete` and `list`.

use std::num::NonZeroUsize;

use anyhow::Result;
use clap::Args;
use fluo_table::Versions;
use serde_json::json;

use crate::target::{
    ApplicationGuard, MakingArguments, TargetArguments, check_is_own, is_system_table,
};
use crate::{confirm, output};

/// Make a table of one tablet.
///
/// Makes an embedded directory that does not exist, and prints its name. Refuses one that has other
/// files and no tables, because the path may be wrong. A leading `~/` is the home directory; write
/// embedded:./~ for a directory of that name.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table create --at embedded:./data pages
  fluo table create --at proxy:localhost:42424 --user root pages")]
pub(crate) struct Create {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table: letters, digits and `_`
    name: String,
    /// Number of versions of a column that the table shows and keeps: a number from 1 on, or all
    #[arg(long, default_value = "1", value_parser = versions)]
    versions: Versions,
    /// Number of servers that an embedded directory simulates, from 1 on; only when the directory
    /// is made
    #[arg(long, value_parser = servers)]
    servers: Option<NonZeroUsize>,
    #[command(flatten)]
    making: MakingArguments,
}

/// Delete a table and all its data.
///
/// Asks you to type the name of the table; without a terminal it needs --yes. `fluo app remove`
/// removes an application with its table.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table delete --at embedded:./data --yes pages")]
pub(crate) struct Delete {
    #[command(flatten)]
    target: TargetArguments,
    /// Name of the table
    name: String,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    guard: ApplicationGuard,
}

/// List the names of the tables, one a line.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo table list --at embedded:./data")]
pub(crate) struct List {
    #[command(flatten)]
    target: TargetArguments,
    /// Include the system tables (accumulo.*) of a live Accumulo
    #[arg(long)]
    all: bool,
}

impl Create {
    pub(crate) async fn run(&self) -> Result<()> {
        fluo_table::check_table_name(&self.name)?;
        check_is_own(&self.name)?;
        let tables = self.target.open_or_create(self.servers, &self.making).await?;
        tables.create_table(&self.name, self.versions).await?;
        say!("created table `{}`", self.name);
        output::print_result(&json!({ "table": self.name }))
    }
}

impl Delete {
    pub(crate) async fn run(&self) -> Result<()> {
        let name = &self.name;
        let tables = self.target.open_to_change(name, &self.guard).await?;
        if !self.yes {
            let question = format!("delete table `{name}` and all its rows?");
            let refusal = format!("table `{name}` was not deleted");
            confirm::deletion(&question, name, &refusal).await?;
        }
        tables.delete_table(name).await?;
        say!("deleted table `{name}`");
        output::print_result(&json!({ "table": name }))
    }
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let mut names = self.target.open().await?.tables().await?;
        if self.target.is_live() && !self.all {
            names.retain(|name| !is_system_table(name));
        }
        if output::is_json() {
            output::print_json(&json!({ "tables": names }))
        } else {
            output::print(&names.join("\n"))
        }
    }
}

fn servers(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a number from 1 on".to_owned())
}

fn versions(text: &str) -> Result<Versions, String> {
    if text == "all" {
        return Ok(Versions::All);
    }
    text.parse().map(Versions::Latest).map_err(|_| "write a number from 1 on, or all".to_owned())
}
