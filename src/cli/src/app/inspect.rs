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
        let width = listed.iter().map(|[name, ..]| name.chars().count()).max().unwrap_or(0);
        let mut listed = listed.iter();
        listed.try_for_each(|[name, status, table]| show!("{name:width$}  {status:7}  {table}"))
    }
}

pub(super) async fn print_status(application: &NamedApplication) -> Result<()> {
    let NamedApplication { target, name } = application;
    output::print(&target.open().await?.application(name).status().await?.to_string())
}
