//! `fluo app remove`.

use anyhow::Result;
use clap::Args;
use fluo_core::admin;
use fluo_core::coordination::Applications;

use crate::target::TargetArguments;
use crate::{confirm, output};

/// Remove an application, and delete its table and all that is in it
///
/// One that is running is not removed. At a terminal it asks for the name of the application first. A script is not
/// asked: it has said what it wants.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app remove --at embedded:./data --yes web")]
pub(crate) struct Remove {
    #[command(flatten)]
    target: TargetArguments,
    /// The application
    name: String,
    /// Do not ask, at a terminal either
    #[arg(long)]
    yes: bool,
}

impl Remove {
    pub(crate) async fn run(&self) -> Result<()> {
        let (tables, applications) = self.target.open_applications()?;
        let name = &self.name;
        let table = applications.open(name).await?.application().await?.table;
        if !self.yes {
            let question = format!(
                "remove application `{name}`, and delete table `{table}` and all its rows?"
            );
            let refusal = format!("application `{name}` was not removed");
            confirm::at_terminal(&question, name, &refusal).await?;
        }
        admin::remove(&tables, &applications, name).await?;
        output::say(&format!("removed application `{name}` and table `{table}`"));
        Ok(())
    }
}
