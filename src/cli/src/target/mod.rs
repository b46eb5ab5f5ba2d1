//! Where tables and applications are, and who asks.

mod directory;
mod login;
mod password;
mod place;
mod tls;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use fluo_accumulo::{AccumuloTables, Settings as ProxySettings};
use fluo_core::{TableAdmin, admin};
use fluo_embedded::{EmbeddedTables, Settings};

pub(crate) use self::directory::{DirectoryArguments, MakingArguments, advised};

use self::login::LoginArguments;
use self::place::Target;
use self::tls::TlsArguments;
use crate::progress;

/// The advice for a directory without tables.
pub(crate) const NO_TABLES: &str =
    "name another one, or make a first table with `fluo table create`";

/// The arguments that name a target and say who asks.
#[derive(Args, Debug)]
pub(crate) struct TargetArguments {
    /// Where the tables are: embedded:DIR, or proxy:HOST:PORT for the proxy of a live Accumulo
    #[arg(long, value_name = "TARGET")]
    at: Target,
    #[command(flatten)]
    login: LoginArguments,
    #[command(flatten)]
    tls: TlsArguments,
}

/// Whether the table of an application may be changed past its transactions.
#[derive(Args, Debug)]
pub(crate) struct ApplicationGuard {
    /// Go on even if the table belongs to an application
    #[arg(long)]
    despite_application: bool,
}

impl fmt::Display for TargetArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.fmt(f)
    }
}

impl TargetArguments {
    /// Whether the tables are a live Accumulo's.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.at, Target::Proxy(_))
    }

    /// The tables of a target that exists.
    pub(crate) async fn open(&self) -> Result<Arc<dyn TableAdmin>> {
        match &self.at {
            Target::Embedded(directory) => Ok(Arc::new(self.open_tables(directory)?)),
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    /// Opens the tables of a target that exists, to change one of them past any application.
    ///
    /// An embedded directory that is known to be damaged is refused. So is the table of an application, with what
    /// `stake` says of it, unless the guard is told otherwise. Applications on a live Accumulo are not known here.
    pub(crate) async fn open_to_change(
        &self,
        table: &str,
        guard: &ApplicationGuard,
        stake: impl FnOnce(&str) -> String + Send,
    ) -> Result<Arc<dyn TableAdmin>> {
        let Target::Embedded(directory) = &self.at else {
            return self.open().await;
        };
        let tables = self.open_tables(directory)?;
        tables.check_writable().map_err(|error| {
            let message = format!("{error} with `fluo table check`");
            anyhow!(error).context(message)
        })?;
        let owners = admin::applications_of(&tables.applications(), table).await?;
        match owners.first() {
            Some(application) if !guard.despite_application => bail!(
                "table `{table}` belongs to the application `{application}`: {}",
                stake(application)
            ),
            _ => Ok(Arc::new(tables)),
        }
    }

    /// Returns the directory of an embedded target; any other is refused, as `purpose` has no meaning there.
    pub(crate) fn directory(&self, purpose: &str) -> Result<&Path> {
        match &self.at {
            Target::Embedded(directory) => {
                self.login.check_unused(&self.at, self.tls.given())?;
                Ok(directory)
            }
            Target::Proxy(_) => bail!(
                "{} is a live Accumulo, and {purpose} is for embedded directories: write --at embedded:DIR",
                self.at
            ),
        }
    }

    /// Returns the target as it is written.
    pub(crate) fn written(&self) -> String {
        self.at.to_string()
    }

    /// Opens the tables of a target; an embedded one is made if it does not exist, with this number of servers.
    ///
    /// A directory that exists keeps its number of servers; another one is refused. So is any for a live Accumulo.
    pub(crate) async fn open_or_create(
        &self,
        servers: Option<NonZeroUsize>,
        making: &MakingArguments,
    ) -> Result<Arc<dyn TableAdmin>> {
        match &self.at {
            Target::Embedded(directory) => self.create_embedded(directory, servers, making).await,
            Target::Proxy(_) if servers.is_some() => bail!(
                "--servers is for an embedded directory; the Accumulo behind {} has the servers that it has",
                self.at
            ),
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    async fn create_embedded(
        &self,
        directory: &Path,
        servers: Option<NonZeroUsize>,
        making: &MakingArguments,
    ) -> Result<Arc<dyn TableAdmin>> {
        self.login.check_unused(&self.at, self.tls.given())?;
        let mut settings = Settings::default();
        if let Some(servers) = servers {
            settings.servers = servers;
        }
        let tables = directory::open_or_create(directory, settings, making).await?;
        let found = tables.servers().await?.len();
        match servers {
            Some(wanted) if wanted.get() != found => bail!(
                "{} has {found} servers since it was made, and keeps them; leave --servers out",
                self.at
            ),
            _ => Ok(Arc::new(tables)),
        }
    }

    fn open_tables(&self, directory: &Path) -> Result<EmbeddedTables> {
        self.login.check_unused(&self.at, self.tls.given())?;
        directory::open(directory, Settings::default(), NO_TABLES)
    }

    async fn connect(&self, address: &str) -> Result<Arc<dyn TableAdmin>> {
        let tls = self.tls.settings(address)?;
        let credentials = self.login.credentials(&self.at).await?;
        let mut settings = ProxySettings::new(address, credentials);
        settings.protocol = self.login.protocol();
        settings.tls = tls;
        let connected = AccumuloTables::connect(settings);
        let tables = progress::while_it_lasts(format!("connecting to {}", self.at), connected);
        let tables = tables.await.map_err(|error| login::advised(&error))?;
        Ok(Arc::new(tables))
    }
}
