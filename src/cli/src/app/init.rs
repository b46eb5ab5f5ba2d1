//! `fluo app init`.

use anyhow::Result;
use clap::Args;
use fluo_core::TableAdminExt;
use fluo_core::admin::{self, Initialization};
use fluo_core::coordination::{Applications, ObservedColumn};
use fluo_embedded::{EmbeddedApplications, EmbeddedTables};
use uuid::Builder;

use super::observe::{observed, setting};
use crate::target::TargetArguments;
use crate::{confirm, output};

/// Make an application: its table, the columns that are observed, and its settings.
///
/// An application or a table that is there stays and is an error, unless --clear is given. A table that an interrupted
/// run left without its application is cleared in this way. A directory that is not there is made.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app init --at embedded:./data web
  fluo app init --at embedded:./data --table pages --observe 'page:links=strong,count' \\
    --observe 'page:export=weak,export' --set web.tablets=20 web")]
pub(crate) struct Init {
    #[command(flatten)]
    target: TargetArguments,
    /// The application: no `/`, `.`, `:` and control characters
    name: String,
    /// Its table, which is made: letters, digits and `_` [default: the name of the application]
    #[arg(long)]
    table: Option<String>,
    /// A column that is observed, how its observer is told of changes (strong or weak), and the observer's name; bytes
    /// that are not printable ASCII, and `:` and `=`, are written \xNN; repeat it for each column
    #[arg(long, value_name = "FAMILY:QUALIFIER=KIND[,ID]", value_parser = observed)]
    observe: Vec<ObservedColumn>,
    /// A setting that all processes of the application read; repeat it for each
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Delete an application and a table of these names first, with all that is in them
    #[arg(long)]
    clear: bool,
    /// Do not ask before anything is deleted, at a terminal either
    #[arg(long)]
    yes: bool,
}

impl Init {
    pub(crate) async fn run(&self) -> Result<()> {
        let initialization = self.initialization();
        // Before a directory is made.
        initialization.check(&self.name)?;
        let (tables, applications) = self.target.open_or_create_applications()?;
        if self.clear && !self.yes {
            self.confirm(&tables, &applications).await?;
        }
        let table = initialization.table.clone();
        admin::initialize(&tables, &applications, &self.name, initialization).await?;
        output::say(&format!(
            "initialised application `{}` with table `{table}`",
            self.name
        ));
        Ok(())
    }

    fn initialization(&self) -> Initialization {
        let id = Builder::from_random_bytes(fastrand::u128(..).to_be_bytes()).into_uuid();
        Initialization {
            id: id.to_string(),
            table: self.table().to_owned(),
            observers: self.observe.clone(),
            settings: self.set.iter().cloned().collect(),
            clear_table: self.clear,
            clear_application: self.clear,
        }
    }

    fn table(&self) -> &str {
        self.table.as_deref().unwrap_or(&self.name)
    }

    /// Asks if there is anything that would be deleted.
    async fn confirm(
        &self,
        tables: &EmbeddedTables,
        applications: &EmbeddedApplications,
    ) -> Result<()> {
        let (name, table) = (&self.name, self.table());
        let is_there = applications.list().await?.contains(name);
        let question = match (is_there, tables.table_exists(table).await?) {
            (false, false) => return Ok(()),
            (true, false) => format!("remove application `{name}`?"),
            (false, true) => {
                format!("delete table `{table}` and all its rows, for application `{name}`?")
            }
            (true, true) => {
                format!("remove application `{name}`, and delete table `{table}` and all its rows?")
            }
        };
        let refusal = format!("application `{name}` was not initialised");
        confirm::at_terminal(&question, name, &refusal).await
    }
}
