//! `fluo app list`.

use anyhow::Result;
use clap::Args;
use fluo_engine::InstanceExt;
use serde::Serialize;

use crate::output;
use crate::target::InstanceArguments;

/// List the applications, one a line: name, STOPPED or RUNNING, and table.
///
/// Fails with exit code 2 while another process has the directory open.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app list --at embedded:./data")]
pub(crate) struct List {
    #[command(flatten)]
    target: InstanceArguments,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: String,
    status: String,
    table: String,
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let fluo = self.target.open().await?;
        let applications = fluo.applications();
        let mut listed = Vec::new();
        for name in applications.list().await? {
            let stored = applications.open(&name).await?.application().await?;
            listed.push(Listed {
                status: fluo.application(&name).status().await?.to_string(),
                table: stored.table,
                name,
            });
        }
        if self.json {
            return output::print_json(&listed);
        }
        let longest = listed.iter().map(|one| one.name.chars().count()).max();
        let width = longest.unwrap_or_default();
        listed.iter().try_for_each(|one| {
            output::print(&format!(
                "{:width$}  {:7}  {}",
                one.name, one.status, one.table
            ))
        })
    }
}
