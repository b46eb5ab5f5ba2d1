//! The target of a command on applications: an embedded directory, or the proxy and the ZooKeeper
//! of a live Accumulo.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_accumulo::{AccumuloOptions, OracleOptions};
use fluo_embedded::EmbeddedOptions;
use fluo_table::{Error, Instance};

use super::login;
use super::password::Secret;
use super::place::Target;
use super::profile::{At, Profile, text};
use super::{MakingArguments, TargetArguments, directory};
use crate::progress;

const APPLICATIONS: &str = "Applications on a live Accumulo";

/// The target of a command on applications.
#[derive(Args, Clone, Debug)]
pub(crate) struct InstanceArguments {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    zookeeper: ZooKeeperArguments,
}

/// The arguments for the applications in a ZooKeeper. There is none for the secret, because all
/// users of the machine can read arguments.
#[derive(Args, Clone, Debug)]
pub(crate) struct ZooKeeperArguments {
    /// ZooKeeper of the applications, and the node above them, as in fluo.connection.zookeepers:
    /// HOST:PORT,HOST:PORT/PATH; FLUO_ZOOKEEPERS unless given
    #[arg(long, value_name = "SERVERS/PATH", help_heading = APPLICATIONS)]
    zookeepers: Option<String>,
    /// File whose first line is the secret of the applications; FLUO_ZOOKEEPER_SECRET_FILE unless
    /// given. Or set FLUO_ZOOKEEPER_SECRET
    #[arg(long, value_name = "FILE", help_heading = APPLICATIONS)]
    zookeeper_secret_file: Option<PathBuf>,
}

impl InstanceArguments {
    /// Returns the target in the form of `--at` and the arguments after it.
    pub(crate) fn written(&self) -> String {
        match &self.zookeeper.zookeepers {
            Some(servers) => format!("{} --zookeepers {servers}", self.target),
            None => self.target.to_string(),
        }
    }

    /// Checks whether the target is an embedded directory, which one process at a time can open.
    pub(crate) fn is_directory(&self) -> bool {
        !self.target.is_live()
    }

    pub(crate) async fn open(&self) -> Result<Instance> {
        Ok(self.open_checked().await?.0)
    }

    /// Opens an instance that exists. Also returns the error with which its tables refuse changes,
    /// if it is known.
    pub(crate) async fn open_checked(&self) -> Result<(Instance, Option<Error>)> {
        match &self.target.at.target {
            Target::Embedded(path) => {
                self.target.check_unused(self.zookeeper.given())?;
                let advice = "name another one, or make a first application with `fluo app init`";
                let tables = directory::open(path, EmbeddedOptions::new(), advice)?;
                Ok((tables.instance(), tables.check_writable().err()))
            }
            Target::Proxy(address) => Ok((self.connect(address).await?, None)),
        }
    }

    /// Opens an instance. Makes an embedded directory that does not exist.
    pub(crate) async fn open_or_create(&self, making: &MakingArguments) -> Result<Instance> {
        match &self.target.at.target {
            Target::Embedded(path) => {
                self.target.check_unused(self.zookeeper.given())?;
                let tables = directory::open_or_create(path, EmbeddedOptions::new(), making);
                Ok(tables.await?.instance())
            }
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    async fn connect(&self, address: &str) -> Result<Instance> {
        let at = &self.target.at;
        let servers = self.zookeeper.servers(&at.profile)?;
        let proxy = self.target.login.proxy(at, address).await?;
        let mut options = AccumuloOptions::new(proxy, &servers);
        if let Some(secret) = self.zookeeper.secret(&at.profile).await? {
            options = options.secret(secret);
        }
        let connecting = format!("connecting to {at} and ZooKeeper {servers}");
        let connected = progress::while_it_lasts(connecting, fluo_accumulo::connect(options));
        connected.await.map_err(|error| login::advised(&error))
    }
}

impl ZooKeeperArguments {
    fn given(&self) -> Option<&'static str> {
        let of_servers = self.zookeepers.as_ref().map(|_| "--zookeepers");
        let of_file = || self.zookeeper_secret_file.as_ref().map(|_| "--zookeeper-secret-file");
        of_servers.or_else(of_file)
    }

    fn servers(&self, profile: &Profile) -> Result<String> {
        let servers = match &self.zookeepers {
            Some(servers) => Some(servers.clone()),
            None => text("FLUO_ZOOKEEPERS")?,
        };
        let servers = servers.or_else(|| profile.zookeepers.clone()).context(
            "applications on Accumulo are in ZooKeeper; give --zookeepers HOST:PORT/PATH, with a path such as /fluo, or set \
             FLUO_ZOOKEEPERS",
        )?;
        // Messages repeat the address.
        if servers.contains('@') {
            bail!(
                "an address of ZooKeeper holds no user and no password; write HOST:PORT,HOST:PORT/PATH"
            );
        }
        Ok(servers)
    }

    async fn secret(&self, profile: &Profile) -> Result<Option<String>> {
        let file = self.zookeeper_secret_file.as_ref();
        Secret::ZOOKEEPER.find(file, profile.zookeeper_secret_file.as_ref()).await
    }

    pub(crate) async fn oracle(&self, at: Option<&At>, application: &str) -> Result<OracleOptions> {
        let none = Profile::default();
        let profile = match at {
            Some(at) if matches!(at.target, Target::Embedded(_)) => {
                bail!("an application in an embedded directory, as in {at}, needs no oracle")
            }
            at => at.map_or(&none, |at| &at.profile),
        };
        let options = OracleOptions::new(self.servers(profile)?, application)?;
        Ok(match self.secret(profile).await? {
            Some(secret) => options.secret(secret),
            None => options,
        })
    }
}
