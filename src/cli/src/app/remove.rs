//! `fluo app remove`.

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_core::admin;
use fluo_core::coordination::Applications;
use fluo_core::table::property::GARBAGE;
use fluo_core::{Error, ErrorKind, TableAdmin};
use fluo_embedded::{EmbeddedApplications, EmbeddedTables};

use crate::application::of_table;
use crate::target::DirectoryArguments;
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
    target: DirectoryArguments,
    /// The application
    name: String,
    /// Do not ask, at a terminal either
    #[arg(long)]
    yes: bool,
}

impl Remove {
    pub(crate) async fn run(&self) -> Result<()> {
        let (tables, applications) = self.target.open()?;
        let name = &self.name;
        let table = match applications.open(name).await {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(self.not_found(&tables, &applications, error).await?);
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
        admin::remove(&tables, &applications, name).await?;
        output::say(&format!("removed application `{name}` and table `{table}`"));
        Ok(())
    }

    /// The same error, with the table that an interrupted run may have left.
    async fn not_found(
        &self,
        tables: &EmbeddedTables,
        applications: &EmbeddedApplications,
        error: Error,
    ) -> Result<anyhow::Error> {
        let name = &self.name;
        for table in tables.tables().await? {
            let may_be_left = table == *name || is_made_for_one(tables, &table).await?;
            if may_be_left && of_table(applications, &table).await?.is_none() {
                return Ok(anyhow!(
                    "there is no application `{name}`, but a table `{table}` that is no application's, as an \
                     `app remove` or `app init` that was interrupted leaves it; `fluo table delete {table}` deletes it, \
                     and `fluo app init --clear --table {table}` makes an application with a new one"
                ));
            }
        }
        Ok(error.into())
    }
}

/// Whether a table is set up as those of applications are.
async fn is_made_for_one(tables: &EmbeddedTables, table: &str) -> Result<bool> {
    Ok(tables.properties(table).await?.contains_key(GARBAGE))
}
