//! `fluo app init`, `fluo app rebucket` and `fluo app remove`.

use std::collections::BTreeSet;

use anyhow::Result;
use clap::Args;
use fluo_engine::{ApplicationHandle, InstanceExt, applications_of, is_set_up};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::coordination::{ObservedColumn, ObserverKind, check_application_name};
use fluo_table::{Column, Error, ErrorKind, Instance, TableAdmin, check_table_name, unescape};
use serde_json::json;

use crate::application::{NamedApplication, missing};
use crate::queue::QueueArguments;
use crate::target::{InstanceArguments, MakingArguments};
use crate::text::{counted, in_shell};
use crate::{confirm, exit, output, progress};

/// Make an application: its table, its observed columns and its settings.
///
/// Fails if the application or the table already exists, unless --clear is given. --clear also
/// removes a table that an interrupted `app init` or `app remove` left without its application. A
/// directory that does not exist is made.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app init --at embedded:./data web
  fluo app init --at embedded:./data --observe 'page:links=strong,count' \\
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
    /// id of the observer. Write `:`, `=` and bytes that are not printable as \xNN. Repeat it for
    /// each column
    #[arg(long, value_name = "FAMILY:QUALIFIER=KIND,ID", value_parser = observed)]
    observe: Vec<ObservedColumn>,
    /// A setting of your own, which the observers and loaders of all processes can read; the engine
    /// reads none. Repeat it for each setting, with different names
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// URLs of jars, separated by commas, from which the servers of Accumulo load Fluo's iterators
    /// for the table. Without it the iterators are on the class path of the servers
    #[arg(long, value_name = "URL,URL", value_delimiter = ',')]
    jars: Vec<String>,
    /// First delete the application and the table of these names, with all their data. Refused if
    /// the application has another table, which would be left behind
    #[arg(long)]
    clear: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

/// Change the number of buckets of a queue.
///
/// The queue must be empty, no notification may wait, and all programs of the application must have
/// stopped. None can open the application while the values of a combine queue are moved to their
/// new buckets. If the command is interrupted, programs continue with the old or the new number, as
/// `fluo queue list` shows it; run the command again. The split points of the table change too.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app rebucket --at embedded:./data web wc --buckets 1009
  fluo app plan --at embedded:./data web")]
pub(crate) struct Rebucket {
    #[command(flatten)]
    queue: QueueArguments,
    /// The new number of buckets
    #[arg(long, value_name = "N")]
    buckets: u32,
}

/// Remove an application, its table and all its data
///
/// Refuses an application that is running. Asks you to type the name of the application; without a
/// terminal it needs --yes.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  fluo app remove --at embedded:./data --yes web")]
pub(crate) struct Remove {
    #[command(flatten)]
    application: NamedApplication,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Init {
    pub(crate) async fn run(&self) -> Result<()> {
        check_once(self.set.iter().map(|(name, _)| name))?;
        if self.target.is_directory() && !self.jars.is_empty() {
            return Err(exit::usage("an embedded directory loads no jars", "omit --jars"));
        }
        // Check before the directory is made.
        self.check_names()?;
        self.application(&Instance::in_memory()).check()?;
        let fluo = self.target.open_or_create(&self.making).await?;
        let stored = fluo.application(&self.name).stored().await?;
        let before = stored.map(|application| application.table);
        if self.clear && !self.yes {
            self.confirm(&fluo, before.as_deref()).await?;
        }
        if let Err(error) = self.application(&fluo).initialize().await {
            return Err(self.advised(&fluo, error, before.as_deref()).await?);
        }
        say!("initialized application `{}` with table `{}`", self.name, self.table());
        output::print_result(&json!({ "name": self.name, "table": self.table() }))
    }

    /// Adds the remedy to the error of an application, which had the table `before`, or of a table
    /// that exists.
    async fn advised(
        &self,
        fluo: &Instance,
        error: Error,
        before: Option<&str>,
    ) -> Result<anyhow::Error> {
        if error.kind() != ErrorKind::AlreadyExists || self.clear {
            return Ok(error.into());
        }
        let (name, table) = (&self.name, self.table());
        Ok(match before {
            Some(before) if before == table => exit::advised(
                error,
                "--clear removes it and its table first, with all that is in it",
            ),
            Some(before) => {
                let advice =
                    format!("`fluo app remove {name}` removes it and its table `{before}`");
                exit::advised(error, advice)
            }
            None if fluo.table_exists(table).await?
                && applications_of(&**fluo.applications(), table).await?.is_empty() =>
            {
                exit::advised(error, "--clear replaces it")
            }
            None => error.into(),
        })
    }

    /// Checks the name, which is also that of the table unless another is given.
    fn check_names(&self) -> Result<()> {
        check_application_name(&self.name)?;
        check_table_name(self.table()).map_err(|error| match self.table {
            None => exit::advised(error, "name the table of the application with --table"),
            Some(_) => error.into(),
        })
    }

    fn application(&self, fluo: &Instance) -> ApplicationHandle {
        let application = fluo
            .application(&self.name)
            .table(self.table())
            .observed_columns(self.observe.iter().cloned())
            .jars(&self.jars)
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
        let question = match (before, fluo.table_exists(table).await?) {
            (None, false) => return Ok(()),
            // Initialization refuses this case: the present table would be left behind.
            (Some(before), _) if before != table && fluo.table_exists(before).await? => {
                return Ok(());
            }
            (None, true) => {
                format!("delete table `{table}` and all its rows, for application `{name}`?")
            }
            (Some(_), false) => format!("remove application `{name}`?"),
            (Some(_), true) => {
                format!("remove application `{name}`, and delete table `{table}` and all its rows?")
            }
        };
        let refusal = format!("application `{name}` was not initialized");
        confirm::deletion(&question, name, &refusal).await
    }
}

impl Rebucket {
    pub(crate) async fn run(&self) -> Result<()> {
        let QueueArguments { application, id } = &self.queue;
        let (open, client, _) = self.queue.open().await?;
        let work = format!("moving the values of `{}`", output::shown(id));
        let change = StoredQueue::rebucket(&client, &*open.coordination, id, self.buckets);
        let moved = progress::while_it_lasts(work, change).await?;
        let (buckets, values) = (counted(self.buckets, "bucket"), counted(moved, "value"));
        say!("queue `{id}` has {buckets}; {values} moved");
        let NamedApplication { target, name } = &application.named;
        let (at, name) = (target.in_command(), in_shell(name));
        say!("`fluo app plan --at {at} {name}` shows the new split points");
        let buckets = self.buckets;
        output::print_result(&json!({ "id": id, "buckets": buckets, "values_moved": moved }))
    }
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
            confirm::deletion(&question, name, &refusal).await?;
        }
        let has_table = fluo.table_exists(&table).await?;
        fluo.application(name).remove().await?;
        if has_table {
            say!("removed application `{name}` and table `{table}`");
        } else {
            say!("removed application `{name}`; its table `{table}` did not exist");
        }
        output::print_result(&json!({ "name": name, "table": table }))
    }

    /// Adds to the error the table that an interrupted run may have left, or the application that
    /// the user may have meant.
    async fn not_found(&self, fluo: &Instance, error: Error) -> Result<anyhow::Error> {
        let NamedApplication { target, name } = &self.application;
        let is_left = applications_of(&**fluo.applications(), name).await?.is_empty()
            && fluo.table_exists(name).await?
            && is_set_up(&fluo.properties(name).await?);
        if !is_left {
            return Ok(missing(fluo, name, error).await);
        }
        let error = Error::new(ErrorKind::NotFound, format!("there is no application `{name}`"));
        let (at, name) = (target.in_command(), in_shell(name));
        let advice = format!(
            "an interrupted command left its table, which `fluo table delete --at {at} {name}` deletes"
        );
        Ok(exit::advised(error, advice))
    }
}

fn observed(text: &str) -> Result<ObservedColumn, String> {
    let parts = text.split_once('=');
    let (column, observer) =
        parts.ok_or("write FAMILY:QUALIFIER=strong,ID or FAMILY:QUALIFIER=weak,ID")?;
    let parts = column.split_once(':');
    let (family, qualifier) =
        parts.ok_or("the column has a family and a qualifier; write FAMILY:QUALIFIER=strong,ID")?;
    let (kind, id) = observer.split_once(',').unwrap_or((observer, ""));
    let kind: ObserverKind = kind.parse().map_err(|error: Error| error.to_string())?;
    let bytes = |text| unescape(text).map_err(|error| format!("`{text}`: {error}"));
    let column = Column::new(bytes(family)?, bytes(qualifier)?);
    if id.is_empty() {
        return Err(format!(
            "the observer has no id, by which programs know it; write FAMILY:QUALIFIER={kind},ID"
        ));
    }
    Ok(ObservedColumn::new(column, kind, id))
}

/// Checks that a setting is not given twice.
pub(super) fn check_once<'a>(mut settings: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut names = BTreeSet::new();
    match settings.find(|name| !names.insert(*name)) {
        Some(name) => Err(exit::usage(
            format!("the setting `{name}` is given twice"),
            "a setting has one value, so give it once",
        )),
        None => Ok(()),
    }
}

pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = parts.ok_or("a setting has a name and a value; write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
