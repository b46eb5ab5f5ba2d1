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
        if output::is_json() {
            let item = |[name, status, table]: &[String; 3]| json!({ "name": name, "status": status, "table": table });
            let applications: Vec<_> = listed.iter().map(item).collect();
            return output::print_json(&json!({ "applications": applications }));
        }
        let width = listed.iter().map(|[name, ..]| name.chars().count()).max().unwrap_or(0);
        let mut listed = listed.iter();
        listed.try_for_each(|[name, status, table]| show!("{name:width$}  {status:7}  {table}"))
    }
}

pub(super) async fn print_status(application: &NamedApplication) -> Result<()> {
    let NamedApplication { target, name } = application;
    let status = target.open().await?.application(name).status().await?.to_string();
    if output::is_json() {
        return output::print_json(&json!({ "name": name, "status": status }));
    }
    output::print(&status)
}
