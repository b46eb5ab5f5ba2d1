//! `fluo app list`, `fluo app status` and `fluo app config`.

use anyhow::Result;
use clap::Args;
use fluo_engine::InstanceExt;
use fluo_table::Escaped;
use fluo_table::coordination::{ObservedColumn, shown_settings};
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

/// Print the settings of an application, one a line: `name = value`.
///
/// In a name or value, bytes that are not printable ASCII and backslashes are written \xNN; so is a
/// `=` in a name. Passwords and secrets are masked.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app config --at embedded:./data web")]
pub(crate) struct Config {
    #[command(flatten)]
    application: NamedApplication,
    /// Print JSON: the settings, the table, the id and the observed columns. Bytes that are not
    /// printable ASCII are written \xNN
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

impl Config {
    pub(crate) async fn run(&self) -> Result<()> {
        let stored = self.application.stored().await?;
        if self.json {
            let column = |observed: &ObservedColumn| {
                json!({
                    "family": Escaped(&observed.column.family).to_string(),
                    "qualifier": Escaped(&observed.column.qualifier).to_string(),
                    "visibility": Escaped(&observed.column.visibility).to_string(),
                    "kind": observed.kind.to_string(),
                    "id": observed.id,
                })
            };
            return output::print_json(&json!({
                "id": stored.id,
                "table": stored.table,
                "observers": stored.observers.iter().map(column).collect::<Vec<_>>(),
                "settings": shown_settings(&stored.settings),
            }));
        }
        shown_settings(&stored.settings).iter().try_for_each(|(name, value)| {
            let name = Escaped(name.as_bytes()).and(b"=");
            show!("{name} = {}", Escaped(value.as_bytes()))
        })
    }
}
