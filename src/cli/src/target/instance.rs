//! The target of a command on applications: an embedded directory, or the proxy and the ZooKeeper
//! of a live Accumulo.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_accumulo::{AccumuloOptions, OracleOptions};
use fluo_embedded::EmbeddedOptions;
use fluo_table::{Error, Instance};

use super::login;
use super::place::Target;
use super::profile::{At, Profile};
use super::{MakingArguments, TargetArguments, directory, password};
use crate::progress;

/// The help heading of the arguments for ZooKeeper.
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
        let at = self.target.written();
        match &self.zookeeper.zookeepers {
            Some(servers) => format!("{at} --zookeepers {servers}"),
            None => at,
        }
    }

    /// Checks whether the target is an embedded directory, which one process at a time can open.
    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.target.at.target, Target::Embedded(_))
    }

    /// Opens an instance that exists.
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
        let profile = &self.target.at.profile;
        let servers = self.zookeeper.servers(profile)?;
        let proxy = self.target.proxy(address).await?;
        let options = AccumuloOptions::new(proxy, &servers);
        let options = match self.zookeeper.secret(profile)? {
            Some(secret) => options.secret(secret),
            None => options,
        };
        let connecting = format!("connecting to {} and ZooKeeper {servers}", self.target);
        let connected = progress::while_it_lasts(connecting, fluo_accumulo::connect(options));
        connected.await.map_err(|error| login::advised(&error))
    }
}

impl ZooKeeperArguments {
    /// Returns each argument, and whether it is given.
    fn given(&self) -> [(bool, &'static str); 2] {
        [
            (self.zookeepers.is_some(), "--zookeepers"),
            (
                self.zookeeper_secret_file.is_some(),
                "--zookeeper-secret-file",
            ),
        ]
    }

    /// Returns the address of the applications.
    fn servers(&self, profile: &Profile) -> Result<String> {
        let servers = match &self.zookeepers {
            Some(servers) => Some(servers.clone()),
            None => login::text("FLUO_ZOOKEEPERS")?,
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

    /// Returns the secret of the applications, if there is one.
    fn secret(&self, profile: &Profile) -> Result<Option<String>> {
        let mut file = self.zookeeper_secret_file.clone();
        if file.is_none() {
            if let Some(secret) = login::text("FLUO_ZOOKEEPER_SECRET")? {
                return Ok(Some(secret));
            }
            let set = login::set("FLUO_ZOOKEEPER_SECRET_FILE").map(PathBuf::from);
            file = set.or_else(|| profile.zookeeper_secret_file.clone());
        }
        file.map(|file| password::of_file(&file, "secret"))
            .transpose()
    }

    /// Returns the options of an oracle.
    pub(crate) fn oracle(&self, at: Option<&At>, application: &str) -> Result<OracleOptions> {
        let none = Profile::default();
        let profile = match at {
            Some(at) if matches!(at.target, Target::Embedded(_)) => {
                bail!("an application in an embedded directory, as in {at}, needs no oracle")
            }
            at => at.map_or(&none, |at| &at.profile),
        };
        let options = OracleOptions::new(self.servers(profile)?, application)?;
        Ok(match self.secret(profile)? {
            Some(secret) => options.secret(secret),
            None => options,
        })
    }
}
