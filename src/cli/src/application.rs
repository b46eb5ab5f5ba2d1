//! The application and its table, for the commands that read its data.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use fluo_engine::{Client, ClientOptions, InstanceExt};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::coordination::{Application, Coordination};
use fluo_table::{Authorizations, Error, ErrorKind, Instance, Table, TableAdmin};

use crate::target::InstanceArguments;
use crate::text::{counted, in_shell};
use crate::{exit, names};

#[derive(Args, Clone, Debug)]
pub(crate) struct NamedApplication {
    #[command(flatten)]
    pub(crate) target: InstanceArguments,
    /// The application
    #[arg(value_name = "APPLICATION")]
    pub(crate) name: String,
}

#[derive(Args, Debug)]
pub(crate) struct ApplicationArguments {
    #[command(flatten)]
    pub(crate) named: NamedApplication,
    /// Label of visibilities to read with; repeat it for each
    #[arg(long = "authorization", value_name = "LABEL", value_parser = NonEmptyStringValueParser::new())]
    authorizations: Vec<String>,
}

/// An open application. An embedded directory stays open until all of this is dropped.
#[derive(Debug)]
pub(crate) struct OpenApplication {
    pub(crate) fluo: Instance,
    pub(crate) application: Application,
    pub(crate) table: Arc<dyn Table>,
    pub(crate) coordination: Arc<dyn Coordination>,
}

impl NamedApplication {
    pub(crate) async fn stored(&self) -> Result<Application> {
        Ok(open(&self.target.open().await?, &self.name).await?.application().await?)
    }

    pub(crate) async fn client(&self) -> Result<(Instance, Client)> {
        let fluo = self.target.open().await?;
        match fluo.application(&self.name).open().await {
            Ok(client) => Ok((fluo, client)),
            Err(error) => Err(missing(&fluo, &self.name, error).await),
        }
    }

    /// Adds to the error of a setting where the settings are.
    pub(crate) fn error_in_settings(&self, error: &Error) -> anyhow::Error {
        let (at, name) = (self.target.in_command(), in_shell(&self.name));
        anyhow!(
            "{error} (in the settings of application `{}`, which `fluo app config --at {at} {name}` prints)",
            self.name
        )
    }
}

impl ApplicationArguments {
    pub(crate) fn queues(&self, open: &OpenApplication) -> Result<Vec<StoredQueue>> {
        let queues = StoredQueue::all(&open.application.settings);
        queues.map_err(|error| self.named.error_in_settings(&error))
    }

    pub(crate) async fn open(&self) -> Result<OpenApplication> {
        let fluo = self.named.target.open().await?;
        let coordination = open(&fluo, &self.named.name).await?;
        let application = coordination.application().await?;
        let labels: Authorizations = self.authorizations.iter().cloned().collect();
        let table = fluo.open_table(&application.table, labels).await;
        let table = table.map_err(|error| match error.kind() {
            ErrorKind::NotFound => without_table(&self.named.name, &application.table),
            _ => error.into(),
        })?;
        Ok(OpenApplication { fluo, application, table, coordination })
    }
}

impl OpenApplication {
    pub(crate) async fn client(&self) -> Result<Client> {
        let (table, coordination) = (Arc::clone(&self.table), Arc::clone(&self.coordination));
        Ok(Client::open(table, coordination, ClientOptions::new()).await?)
    }
}

pub(crate) async fn open(fluo: &Instance, name: &str) -> Result<Arc<dyn Coordination>> {
    match fluo.applications().open(name).await {
        Ok(coordination) => Ok(coordination),
        Err(error) => Err(missing(fluo, name, error).await),
    }
}

/// Adds to the error of a missing application the one that the user may have meant.
pub(crate) async fn missing(fluo: &Instance, name: &str, error: Error) -> anyhow::Error {
    let known = match error.kind() {
        ErrorKind::NotFound => fluo.applications().list().await.unwrap_or_default(),
        _ => return error.into(),
    };
    // An application that exists may lack its table.
    if known.iter().any(|known| known == name) {
        return advised(error);
    }
    let advice = match names::nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if fluo.table_exists(name).await.unwrap_or_default() => {
            format!("`{name}` is a table, whose cells `fluo table scan` prints")
        }
        None => return advised(error),
    };
    let missing = format!("application `{name}` does not exist");
    exit::advised(Error::new(ErrorKind::NotFound, missing), advice)
}

pub(crate) fn without_table(name: &str, table: &str) -> anyhow::Error {
    advised(Error::application_without_table(name, table))
}

/// Adds the command that creates an application to the error of a missing one, or of one without
/// its table.
pub(crate) fn advised(error: Error) -> anyhow::Error {
    if error.kind() != ErrorKind::NotFound {
        return error.into();
    }
    let text = error.to_string();
    let Some((missing, advice)) = text.rsplit_once("; ") else {
        return error.into();
    };
    let clear = if advice.ends_with(" again") { " --clear" } else { "" };
    let advice = format!("{advice}, with `fluo app init{clear}`");
    exit::advised(Error::new(ErrorKind::NotFound, missing.to_owned()), advice)
}

pub(crate) fn waiting_notifications(count: u64) -> String {
    format!("{} {}", counted(count, "notification"), if count == 1 { "waits" } else { "wait" })
}
