//! The target of a command on applications: an embedded directory, or the proxy and the ZooKeeper
//! of a live Accumulo.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use fluo_accumulo::{AccumuloOptions, OracleOptions};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
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
        let (fluo, _) = self.open_checked().await?;
        Ok(fluo)
    }

    /// Opens an instance that exists. Also returns the error with which its tables refuse changes,
    /// if it is known.
    pub(crate) async fn open_checked(&self) -> Result<(Instance, Option<Error>)> {
        let advice = "name another one, or make a first application with `fluo app init`";
        match &self.target.at.target {
            Target::Embedded(path) => {
                self.check_unused()?;
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
                self.check_unused()?;
                let options = EmbeddedOptions::new();
                let tables: EmbeddedTables =
                    directory::open_or_create(path, options, making).await?;
                Ok(tables.instance())
            }
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    /// Refuses arguments that have no effect on an embedded directory.
    fn check_unused(&self) -> Result<()> {
        self.target.check_unused()?;
        match self.zookeeper.given().find(|(is_given, _)| *is_given) {
            Some((_, option)) => bail!(
                "{option} is for a live Accumulo (--at proxy:HOST:PORT); {} has its applications in its directory",
                self.target
            ),
            None => Ok(()),
        }
    }

    async fn connect(&self, address: &str) -> Result<Instance> {
        let profile = &self.target.at.profile;
        let servers = self.zookeeper.servers(Some(profile))?;
        let proxy = self.target.proxy(address).await?;
        let options = AccumuloOptions::new(proxy, &servers);
        let options = match self.zookeeper.secret(Some(profile))? {
            Some(secret) => options.secret(secret),
            None => options,
        };
        let connecting = format!("connecting to {} and ZooKeeper {servers}", self.target);
        let connected = progress::while_it_lasts(connecting, fluo_accumulo::connect(options));
        connected.await.map_err(|error| login::advised(&error))
    }
}

impl ZooKeeperArguments {
    fn given(&self) -> impl Iterator<Item = (bool, &'static str)> {
        let secret = self.zookeeper_secret_file.is_some();
        let zookeepers = (self.zookeepers.is_some(), "--zookeepers");
        [zookeepers, (secret, "--zookeeper-secret-file")].into_iter()
    }

    /// Returns the address of the applications.
    fn servers(&self, profile: Option<&Profile>) -> Result<String> {
        let servers = match &self.zookeepers {
            Some(servers) => Some(servers.clone()),
            None => login::text("FLUO_ZOOKEEPERS")?,
        };
        let of_profile = || profile.and_then(|profile| profile.zookeepers.clone());
        let servers = servers.or_else(of_profile).context(
            "applications on Accumulo are in ZooKeeper: give --zookeepers HOST:PORT/PATH or set FLUO_ZOOKEEPERS; the path is \
             the node above the applications, such as /fluo",
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
    fn secret(&self, profile: Option<&Profile>) -> Result<Option<String>> {
        if let Some(file) = &self.zookeeper_secret_file {
            return password::of_file(file, "secret").map(Some);
        }
        if let Some(secret) = login::text("FLUO_ZOOKEEPER_SECRET")? {
            return Ok(Some(secret));
        }
        let file = env::var_os("FLUO_ZOOKEEPER_SECRET_FILE").filter(|file| !file.is_empty());
        let of_profile = || profile.and_then(|profile| profile.zookeeper_secret_file.clone());
        let file = file.map(PathBuf::from).or_else(of_profile);
        file.map(|file| password::of_file(&file, "secret"))
            .transpose()
    }

    /// Returns the options of an oracle.
    pub(crate) fn oracle(&self, at: Option<&At>, application: &str) -> Result<OracleOptions> {
        if let Some(At {
            target: target @ Target::Embedded(_),
            ..
        }) = at
        {
            bail!("an application in an embedded directory, as in {target}, needs no oracle");
        }
        let profile = at.map(|at| &at.profile);
        let options = OracleOptions::new(self.servers(profile)?, application)?;
        Ok(match self.secret(profile)? {
            Some(secret) => options.secret(secret),
            None => options,
        })
    }
}
