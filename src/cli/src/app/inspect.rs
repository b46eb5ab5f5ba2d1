//! `fluo app list` and `fluo app status`.

use anyhow::Result;
use clap::Args;
use fluo_engine::InstanceExt;
use serde_json::json;

use crate::application::NamedApplication;
use crate::output;
use crate::target::InstanceArguments;

/// List the applications, one a line: name, STOPPED or RUNNING, and table.
///
/// Fails with exit code 2 while another process has the directory open.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app list --at embedded:./data")]
pub(crate) struct List {
    #[command(flatten)]
    target: InstanceArguments,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// Print the status of an application: NOT_FOUND, STOPPED or RUNNING.
///
/// Only one process can open an embedded directory. While a worker or another program has it open,
/// this command fails with exit code 2, so no application of that directory is ever shown as
/// RUNNING.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app status --at embedded:./data web")]
pub(crate) struct Status {
    #[command(flatten)]
    application: NamedApplication,
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let fluo = self.target.open().await?;
        let applications = fluo.applications();
        let mut listed = Vec::new();
        for name in applications.list().await? {
            let table = applications.open(&name).await?.application().await?.table;
            let status = fluo.application(&name).status().await?.to_string();
            listed.push([name, status, table]);
        }
        if self.json {
            let item = |[name, status, table]: &[String; 3]| json!({ "name": name, "status": status, "table": table });
            return output::print_json(&listed.iter().map(item).collect::<Vec<_>>());
        }
        let widths = listed.iter().map(|[name, ..]| name.chars().count());
        let width = widths.max().unwrap_or_default();
        listed
            .iter()
            .try_for_each(|[name, status, table]| show!("{name:width$}  {status:7}  {table}"))
    }
}

impl Status {
    pub(crate) async fn run(&self) -> Result<()> {
        let NamedApplication { target, name } = &self.application;
        let fluo = target.open().await?;
        output::print(&fluo.application(name).status().await?.to_string())
    }
}
