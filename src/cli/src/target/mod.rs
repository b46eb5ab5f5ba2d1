//! Where tables and applications are, and who asks.

mod directory;
mod login;
mod password;
mod place;
mod tls;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use fluo_accumulo::{AccumuloTables, Settings as ProxySettings};
use fluo_core::{TableAdmin, admin};
use fluo_embedded::{EmbeddedTables, Settings};

pub(crate) use self::directory::DirectoryArguments;

use self::login::LoginArguments;
use self::place::Target;
use self::tls::TlsArguments;
use crate::progress;

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

impl TargetArguments {
    /// Whether the tables are a live Accumulo's.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.at, Target::Proxy(_))
    }

    /// The tables of a target that exists.
    pub(crate) async fn open(&self) -> Result<Arc<dyn TableAdmin>> {
        match &self.at {
            Target::Embedded(directory) => self.open_embedded(directory, Settings::default()),
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    /// The tables of a target that exists, one of which is to be changed past any application: that of an application
    /// is refused with what `refusal` says of it, unless it is to be changed all the same. What a live Accumulo has of
    /// applications is not known.
    pub(crate) async fn open_past_applications(
        &self,
        table: &str,
        despite_application: bool,
        refusal: impl FnOnce(&str) -> String + Send,
    ) -> Result<Arc<dyn TableAdmin>> {
        let directory = match &self.at {
            Target::Embedded(directory) if !despite_application => directory,
            _ => return self.open().await,
        };
        let tables = self.open_tables(directory, Settings::default())?;
        let owners = admin::applications_of(&tables.applications(), table).await?;
        match owners.first() {
            Some(application) => bail!(refusal(application)),
            None => Ok(Arc::new(tables)),
        }
    }

    /// The tables of a target; an embedded one is made where it does not exist, with this number of servers.
    ///
    /// A directory that is there keeps its number of servers; another one is refused. So is any for a live Accumulo.
    pub(crate) async fn open_or_create(
        &self,
        servers: Option<NonZeroUsize>,
    ) -> Result<Arc<dyn TableAdmin>> {
        match &self.at {
            Target::Embedded(directory) => self.create_embedded(directory, servers).await,
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
    ) -> Result<Arc<dyn TableAdmin>> {
        let mut settings = Settings {
            create_if_missing: true,
            ..Settings::default()
        };
        if let Some(servers) = servers {
            settings.servers = servers;
        }
        let tables = self.open_embedded(directory, settings)?;
        let found = tables.servers().await?.len();
        match servers {
            Some(wanted) if wanted.get() != found => bail!(
                "{} has {found} servers since it was made, and keeps them; leave --servers out",
                self.at
            ),
            _ => Ok(tables),
        }
    }

    fn open_embedded(&self, directory: &Path, settings: Settings) -> Result<Arc<dyn TableAdmin>> {
        Ok(Arc::new(self.open_tables(directory, settings)?))
    }

    fn open_tables(&self, directory: &Path, settings: Settings) -> Result<EmbeddedTables> {
        self.login.check_unused(&self.at, self.tls.given())?;
        directory::open(
            directory,
            settings,
            "`fluo table create` makes a first table",
        )
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
