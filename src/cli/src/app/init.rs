//! `fluo app init`.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use fluo_engine::{ApplicationHandle, InstanceExt};
use fluo_table::coordination::ObservedColumn;
use fluo_table::{Error, ErrorKind, Instance, TableAdminExt};

use super::observe::{observed, setting};
use crate::confirm;
use crate::target::{InstanceArguments, MakingArguments};

/// Make an application: its table, its observed columns and its settings.
///
/// Fails if the application or the table already exists, unless --clear is given. --clear also
/// removes a table that an interrupted `app init` or `app remove` left without its application. A
/// directory that does not exist is made.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app init --at embedded:./data web
  fluo app init --at embedded:./data --table pages --observe 'page:links=strong,count' \\
    --observe 'page:export=weak,export' --set web.tablets=20 web")]
pub(crate) struct Init {
    #[command(flatten)]
    target: InstanceArguments,
    #[command(flatten)]
    making: MakingArguments,
    /// Name of the application: no `/`, `.`, `:` and control characters
    name: String,
    /// Name of the table to create: letters, digits and `_` [default: the name of the application]
    #[arg(long)]
    table: Option<String>,
    /// An observed column, the way in which its observer receives changes (strong or weak), and the
    /// id of the observer. Write `:`, `=` and bytes that are not printable ASCII as \xNN. Repeat it
    /// for each column
    #[arg(long, value_name = "FAMILY:QUALIFIER=KIND,ID", value_parser = observed)]
    observe: Vec<ObservedColumn>,
    /// A setting of your own, which the observers and loaders of all processes can read; the engine
    /// reads none. Repeat it for each setting, with different names
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// First delete the application and the table of these names, with all their data. Refused if
    /// the application has another table, which would be left behind
    #[arg(long)]
    clear: bool,
    /// Do not ask for confirmation, even at a terminal
    #[arg(long)]
    yes: bool,
}

impl Init {
    pub(crate) async fn run(&self) -> Result<()> {
        self.check_settings()?;
        // Check before the directory is made.
        self.application(&Instance::in_memory()).check()?;
        let fluo = self.target.open_or_create(&self.making).await?;
        let stored = fluo.application(&self.name).stored().await?;
        let before = stored.map(|application| application.table);
        if self.clear && !self.yes {
            self.confirm(&fluo, before.as_deref()).await?;
        }
        match (self.application(&fluo).initialize().await, &before) {
            (Err(error), Some(before))
                if error.kind() == ErrorKind::AlreadyExists && !self.clear =>
            {
                return Err(self.is_there(before, &error));
            }
            (initialized, _) => initialized?,
        }
        say!("initialized application `{}` with table `{}`", self.name, self.table());
        Ok(())
    }

    /// Refuses a setting that is given twice: only one of its values can be stored.
    fn check_settings(&self) -> Result<()> {
        let mut names = BTreeSet::new();
        match self.set.iter().find(|(name, _)| !names.insert(name)) {
            Some((name, _)) => {
                bail!("--set `{name}` is given twice; a setting has one value, so give it once")
            }
            None => Ok(()),
        }
    }

    /// Returns the error with a remedy, if the application already exists.
    fn is_there(&self, before: &str, error: &Error) -> anyhow::Error {
        if before == self.table() {
            anyhow!("{error}; --clear removes it and its table first, with all that is in it")
        } else {
            let name = &self.name;
            anyhow!("{error}; `fluo app remove {name}` removes it and its table `{before}`")
        }
    }

    fn application(&self, fluo: &Instance) -> ApplicationHandle {
        let application = fluo
            .application(&self.name)
            .table(self.table())
            .observed_columns(self.observe.iter().cloned())
            .clear(self.clear);
        let set = self.set.iter();
        set.fold(application, |application, (name, value)| application.set(name, value))
    }

    fn table(&self) -> &str {
        self.table.as_deref().unwrap_or(&self.name)
    }

    /// Asks for confirmation if anything, such as the table `before`, would be deleted.
    async fn confirm(&self, fluo: &Instance, before: Option<&str>) -> Result<()> {
        let (name, table) = (&self.name, self.table());
        let has_table = fluo.table_exists(table).await?;
        let question = match (before, has_table) {
            (None, false) => return Ok(()),
            (None, true) => {
                format!("delete table `{table}` and all its rows, for application `{name}`?")
            }
            // Initialization refuses this case: the present table would be left behind.
            (Some(before), _) if before != table && fluo.table_exists(before).await? => {
                return Ok(());
            }
            (Some(_), false) => format!("remove application `{name}`?"),
            (Some(_), true) => {
                format!("remove application `{name}`, and delete table `{table}` and all its rows?")
            }
        };
        let refusal = format!("application `{name}` was not initialized");
        confirm::at_terminal(&question, name, &refusal).await
    }
}
