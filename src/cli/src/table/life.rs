//! `fluo table create`, `delete` and `list`.

use std::io::{self, BufRead, IsTerminal};
use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use fluo_core::{TableAdminExt, Versions};

use crate::output;
use crate::target::TargetArguments;

/// Make a table of one tablet.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table create --at embedded:./data pages")]
pub(crate) struct Create {
    #[command(flatten)]
    target: TargetArguments,
    /// The table: letters, digits and `_`
    name: String,
    /// How many versions of a column it shows and keeps: a number, or all
    #[arg(long, default_value = "1", value_parser = versions)]
    versions: Versions,
    /// How many servers an embedded directory pretends to have; only where the directory is made
    #[arg(long)]
    servers: Option<NonZeroUsize>,
}

/// Delete a table and all that is in it. At a terminal it asks first.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table delete --at embedded:./data --yes pages")]
pub(crate) struct Delete {
    #[command(flatten)]
    target: TargetArguments,
    /// The table
    name: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// The names of the tables, one a line.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table list --at embedded:./data")]
pub(crate) struct List {
    #[command(flatten)]
    target: TargetArguments,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

impl Create {
    pub(crate) async fn run(&self) -> Result<()> {
        fluo_core::check_table_name(&self.name)?;
        let tables = self.target.open_or_create(self.servers)?;
        tables.create_table(&self.name, self.versions).await?;
        output::say(&format!("created table `{}`", self.name));
        Ok(())
    }
}

impl Delete {
    pub(crate) async fn run(&self) -> Result<()> {
        let tables = self.target.open()?;
        if !tables.table_exists(&self.name).await? {
            return Err(fluo_core::Error::no_such_table(&self.name).into());
        }
        if !self.yes && io::stdin().is_terminal() && !self.confirmed()? {
            bail!("table `{}` was not deleted", self.name);
        }
        tables.delete_table(&self.name).await?;
        output::say(&format!("deleted table `{}`", self.name));
        Ok(())
    }

    fn confirmed(&self) -> Result<bool> {
        output::say(&format!(
            "delete table `{0}` and all its rows? type its name to confirm:",
            self.name
        ));
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer.trim_end() == self.name)
    }
}

impl List {
    pub(crate) async fn run(&self) -> Result<()> {
        let names = self.target.open()?.tables().await?;
        if self.json {
            return output::print_json(&names);
        }
        names.iter().try_for_each(|name| output::print(name))
    }
}

fn versions(text: &str) -> Result<Versions, String> {
    match (text, NonZeroU32::from_str(text)) {
        ("all", _) => Ok(Versions::All),
        (_, Ok(count)) => Ok(Versions::Latest(count)),
        (_, Err(_)) => Err("write a number from 1 on, or all".to_owned()),
    }
}
