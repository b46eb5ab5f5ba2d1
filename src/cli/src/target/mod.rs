//! Targets: the location of tables and applications, and the credentials.

mod directory;
mod instance;
mod login;
mod password;
mod place;
mod profile;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use fluo_accumulo::AccumuloTables;
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_engine::applications_of;
use fluo_table::{Error, ErrorKind, TableAdmin};

pub(crate) use self::directory::{MakingArguments, advised};
pub(crate) use self::instance::{InstanceArguments, ZooKeeperArguments};
pub(crate) use self::login::LoginArguments;
pub(crate) use self::profile::{At, AtParser};

use self::place::Target;
use crate::progress;

/// The advice for a directory that does not exist.
pub(crate) const NO_TABLES: &str =
    "name another one, or make a first table with `fluo table create`";

/// The arguments for a target and its credentials.
#[derive(Args, Clone, Debug)]
pub(crate) struct TargetArguments {
    /// Location: embedded:DIR, proxy:HOST:PORT for the proxy of a live Accumulo, or the name of a
    /// profile in the configuration file
    #[arg(long, value_name = "TARGET", env = "FLUO_AT", hide_env_values = true, value_parser = AtParser)]
    at: At,
    #[command(flatten)]
    login: LoginArguments,
}

/// The argument that permits changes to the table of an application outside its transactions.
#[derive(Args, Debug)]
pub(crate) struct ApplicationGuard {
    /// Continue even if the table belongs to an application
    #[arg(long)]
    despite_application: bool,
}

/// Returns the error with which a directory refuses changes, if it is one about damage.
pub(crate) fn damage_of(unwritable: Option<Error>) -> Option<Error> {
    unwritable.filter(|error| error.kind() == ErrorKind::Corrupt)
}

/// Fails if an embedded directory refuses changes, because it is known to be damaged.
pub(crate) fn check_writable(unwritable: Option<Error>) -> Result<()> {
    match unwritable {
        Some(error) => {
            let message = format!("{error} with `fluo table check`");
            Err(anyhow!(error).context(message))
        }
        None => Ok(()),
    }
}

/// Writes the target in the form of `--at`.
impl fmt::Display for TargetArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.fmt(f)
    }
}

impl TargetArguments {
    pub(crate) fn new(at: At, login: LoginArguments) -> Self {
        Self { at, login }
    }

    /// Checks whether the tables are in a live Accumulo.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.at.target, Target::Proxy(_))
    }

    pub(crate) async fn open(&self) -> Result<Arc<dyn TableAdmin>> {
        Ok(self.open_checked().await?.0)
    }

    /// Opens the tables of an existing target. Also returns the error with which they refuse
    /// changes, if it is known.
    pub(crate) async fn open_checked(&self) -> Result<(Arc<dyn TableAdmin>, Option<Error>)> {
        match &self.at.target {
            Target::Embedded(directory) => {
                let tables = self.open_tables(directory)?;
                let unwritable = tables.check_writable().err();
                Ok((Arc::new(tables), unwritable))
            }
            Target::Proxy(address) => Ok((self.connect(address).await?, None)),
        }
    }

    /// Opens the tables of an existing target, to change one of them outside any application.
    ///
    /// Refuses an embedded directory that is known to be damaged. Refuses the table of an
    /// application unless the guard permits it. Applications on a live Accumulo are not detected.
    pub(crate) async fn open_to_change(
        &self,
        table: &str,
        guard: &ApplicationGuard,
    ) -> Result<Arc<dyn TableAdmin>> {
        let Target::Embedded(directory) = &self.at.target else {
            return self.open().await;
        };
        let tables = self.open_tables(directory)?;
        check_writable(tables.check_writable().err())?;
        let owners = applications_of(&tables.applications(), table).await?;
        match owners.first() {
            Some(application) if !guard.despite_application => bail!(
                "table `{table}` belongs to application `{application}`, which a change outside its transactions can break; \
                 --despite-application permits it"
            ),
            _ => Ok(Arc::new(tables)),
        }
    }

    /// Returns the directory of an embedded target. Refuses any other.
    pub(crate) fn directory(&self, purpose: &str) -> Result<&Path> {
        match &self.at.target {
            Target::Embedded(directory) => {
                self.check_unused(None)?;
                Ok(directory)
            }
            Target::Proxy(_) => bail!(
                "{self} is a live Accumulo, and {purpose} is for embedded directories: write --at embedded:DIR"
            ),
        }
    }

    /// Opens the tables of a target. Makes an embedded directory that does not exist, with this
    /// number of servers.
    ///
    /// An existing directory keeps its number of servers, and a different number is refused. So is
    /// any number for a live Accumulo.
    pub(crate) async fn open_or_create(
        &self,
        servers: Option<NonZeroUsize>,
        making: &MakingArguments,
    ) -> Result<Arc<dyn TableAdmin>> {
        let directory = match &self.at.target {
            Target::Embedded(directory) => directory,
            Target::Proxy(_) if servers.is_some() => {
                bail!("--servers applies only to embedded directories, not to {self}")
            }
            Target::Proxy(address) => return self.connect(address).await,
        };
        self.check_unused(None)?;
        let mut options = EmbeddedOptions::new();
        if let Some(servers) = servers {
            options = options.servers(servers);
        }
        let tables = directory::open_or_create(directory, options, making).await?;
        let found = tables.servers().await?.len();
        if servers.is_some_and(|wanted| wanted.get() != found) {
            bail!("{self} was created with {found} servers; omit --servers");
        }
        Ok(Arc::new(tables))
    }

    fn open_tables(&self, directory: &Path) -> Result<EmbeddedTables> {
        self.check_unused(None)?;
        directory::open(directory, EmbeddedOptions::new(), NO_TABLES)
    }

    /// Refuses arguments without effect on an embedded directory: those of the login and another.
    fn check_unused(&self, other: Option<&'static str>) -> Result<()> {
        match self.login.given().or(other) {
            Some(option) => {
                bail!("{option} is for a live Accumulo (--at proxy:HOST:PORT), not for {self}")
            }
            None => Ok(()),
        }
    }

    async fn connect(&self, address: &str) -> Result<Arc<dyn TableAdmin>> {
        let connected = AccumuloTables::connect(self.login.proxy(&self.at, address).await?);
        let tables = progress::while_it_lasts(format!("connecting to {self}"), connected);
        let tables = tables.await.map_err(|error| login::advised(&error))?;
        Ok(Arc::new(tables))
    }
}
