//! `fluo app remove`.

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_engine::{InstanceExt, applications_of, is_set_up};
use fluo_table::{Error, ErrorKind, Instance, TableAdmin, TableAdminExt};

use crate::application::{self, NamedApplication};
use crate::confirm;

/// Remove an application, its table and all its data
///
/// Refuses an application that is running. At a terminal it asks you to type the name of the
/// application; a script is not asked.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app remove --at embedded:./data --yes web")]
pub(crate) struct Remove {
    #[command(flatten)]
    application: NamedApplication,
    /// Do not ask for confirmation, even at a terminal
    #[arg(long)]
    yes: bool,
}

impl Remove {
    pub(crate) async fn run(&self) -> Result<()> {
        let NamedApplication { target, name } = &self.application;
        let fluo = target.open().await?;
        let table = match fluo.applications().open(name).await {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(self.not_found(&fluo, error).await?);
            }
            opened => opened?.application().await?.table,
        };
        if !self.yes {
            let question = format!(
                "remove application `{name}`, and delete table `{table}` and all its rows?"
            );
            let refusal = format!("application `{name}` was not removed");
            confirm::at_terminal(&question, name, &refusal).await?;
        }
        let has_table = fluo.table_exists(&table).await?;
        fluo.application(name).remove().await?;
        if has_table {
            say!("removed application `{name}` and table `{table}`");
        } else {
            say!("removed application `{name}`; its table `{table}` did not exist");
        }
        Ok(())
    }

    /// Adds to the error the table that an interrupted run may have left.
    async fn not_found(&self, fluo: &Instance, error: Error) -> Result<anyhow::Error> {
        let NamedApplication { target, name } = &self.application;
        let owners = applications_of(&**fluo.applications(), name).await?;
        let is_left = owners.is_empty()
            && fluo.table_exists(name).await?
            && is_set_up(&fluo.properties(name).await?);
        if !is_left {
            return Ok(application::advised(error));
        }
        let at = target.written();
        Ok(anyhow!(
            "there is no application `{name}`; an interrupted command left its table, which `fluo table delete --at {at} {name}` deletes"
        ))
    }
}
