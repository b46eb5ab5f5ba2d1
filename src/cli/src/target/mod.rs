//! Targets: the location of tables and applications, and the credentials.

mod at;
mod directory;
mod login;
mod prompt;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use clap::Args;
use fluo_accumulo::AccumuloTables;
use fluo_embedded::EmbeddedOptions;
use fluo_engine::applications_of;
use fluo_process::{Profile, Target};
use fluo_table::{Error, Instance, TableAdmin};

pub(crate) use self::at::AtParser;
pub(crate) use self::directory::{MakingArguments, advised, check_writable};
use self::login::ZooKeeperArguments;
pub(crate) use self::login::{
    ACCUMULO_APPLICATIONS, ACCUMULO_LOGIN, LoginArguments, ZooKeeperTarget,
};

use crate::text::in_shell;
use crate::{exit, names, progress};

pub(crate) const NO_TABLES: &str =
    "name another one, or make a first table with `fluo table create`";

#[derive(Args, Clone, Debug)]
pub(crate) struct TargetArguments {
    /// Location: embedded:DIR, proxy:HOST:PORT of a live Accumulo, or the name of a profile
    #[arg(long, value_name = "TARGET", env = "FLUO_AT", hide_env_values = true, value_parser = AtParser)]
    pub(crate) at: Profile,
    #[command(flatten)]
    pub(crate) login: LoginArguments,
}

/// The target of a command on applications: an embedded directory, or the proxy and the ZooKeeper
/// of a live Accumulo.
#[derive(Args, Clone, Debug)]
pub(crate) struct InstanceArguments {
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    zookeeper: ZooKeeperArguments,
}

/// The argument that permits changes to the table of an application outside its transactions.
#[derive(Args, Debug)]
pub(crate) struct ApplicationGuard {
    /// Continue even if the table belongs to an application of the directory. Applications on a
    /// live Accumulo are not detected
    #[arg(long)]
    despite_application: bool,
}

const SYSTEM: &str = "accumulo.";

pub(crate) fn is_system_table(name: &str) -> bool {
    name.starts_with(SYSTEM)
}

/// Refuses to change a system table: Accumulo needs them to find all others.
pub(crate) fn check_is_own(name: &str) -> Result<()> {
    ensure!(
        !is_system_table(name),
        misuse!(
            "table `{name}` belongs to Accumulo itself, as all names with `{SYSTEM}` do; name a table of your own"
        )
    );
    Ok(())
}

/// Checks that a table exists. The error names the one that the user may have meant.
pub(crate) async fn check_exists(tables: &dyn TableAdmin, name: &str) -> Result<()> {
    if tables.table_exists(name).await? { Ok(()) } else { Err(no_such_table(tables, name).await?) }
}

/// Returns the error of a missing table. It names the one that the user may have meant.
pub(crate) async fn no_such_table(tables: &dyn TableAdmin, name: &str) -> Result<anyhow::Error> {
    let mut known = tables.tables().await?;
    known.retain(|name| !is_system_table(name));
    let error = Error::no_such_table(name);
    Ok(match names::advice(name, "tables", &known) {
        Some(advice) => exit::advised(error, advice),
        None => error.into(),
    })
}

impl TargetArguments {
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.at.target, Target::Proxy(_))
    }

    /// Returns the target. Refuses arguments without effect on an embedded directory.
    fn target(&self) -> Result<&Target> {
        let at = &self.at;
        if !self.is_live() && self.login != LoginArguments::default() {
            bail!(misuse!(
                "{at} needs no login: omit the options for a live Accumulo, such as --user"
            ));
        }
        Ok(&at.target)
    }

    pub(crate) async fn open(&self) -> Result<Arc<dyn TableAdmin>> {
        Ok(self.open_checked().await?.0)
    }

    /// Opens the tables of an existing target. Also returns the error with which they refuse
    /// changes, if it is known.
    pub(crate) async fn open_checked(&self) -> Result<(Arc<dyn TableAdmin>, Option<Error>)> {
        match self.target()? {
            Target::Embedded(directory) => {
                let tables = directory::open(directory, EmbeddedOptions::new(), NO_TABLES)?;
                let unwritable = tables.check_writable().err();
                Ok((Arc::new(tables), unwritable))
            }
            Target::Proxy(address) => Ok((self.connect(address).await?, None)),
        }
    }

    /// Opens the tables of an existing target, to read one of them. Prints a note if it is the
    /// table of an application; those on a live Accumulo are not detected.
    pub(crate) async fn open_to_read(&self, table: &str) -> Result<Arc<dyn TableAdmin>> {
        let Target::Embedded(directory) = self.target()? else {
            let tables = self.open().await?;
            check_exists(&*tables, table).await?;
            return Ok(tables);
        };
        let tables = directory::open(directory, EmbeddedOptions::new(), NO_TABLES)?;
        check_exists(&tables, table).await?;
        if let Some(application) = applications_of(&tables.applications(), table).await?.first() {
            say!(
                "note: these are the stored cells of application `{application}`; `fluo scan` shows what a transaction \
                 reads"
            );
        }
        Ok(Arc::new(tables))
    }

    /// Opens the tables of an existing target, to change one of them outside any application.
    ///
    /// Refuses a system table of Accumulo, and an embedded directory that is known to be damaged.
    /// Refuses the table of an application unless the guard permits it. Applications on a live
    /// Accumulo are not detected.
    pub(crate) async fn open_to_change(
        &self,
        table: &str,
        guard: &ApplicationGuard,
    ) -> Result<Arc<dyn TableAdmin>> {
        check_is_own(table)?;
        let Target::Embedded(directory) = self.target()? else {
            let tables = self.open().await?;
            check_exists(&*tables, table).await?;
            return Ok(tables);
        };
        let tables = directory::open(directory, EmbeddedOptions::new(), NO_TABLES)?;
        check_writable(tables.check_writable().err())?;
        check_exists(&tables, table).await?;
        match applications_of(&tables.applications(), table).await?.first() {
            Some(application) if !guard.despite_application => bail!(
                "table `{table}` belongs to application `{application}`, which a change outside its transactions can break; \
                 --despite-application permits it"
            ),
            _ => Ok(Arc::new(tables)),
        }
    }

    pub(crate) fn directory(&self, purpose: &str) -> Result<&Path> {
        match self.target()? {
            Target::Embedded(directory) => Ok(directory),
            Target::Proxy(_) => bail!(misuse!(
                "{} is a live Accumulo, and {purpose} is for embedded directories: write --at embedded:DIR",
                self.at
            )),
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
        let directory = match self.target()? {
            Target::Embedded(directory) => directory,
            Target::Proxy(_) if servers.is_some() => {
                bail!(misuse!("--servers applies only to embedded directories, not to {}", self.at))
            }
            Target::Proxy(address) => return self.connect(address).await,
        };
        let mut options = EmbeddedOptions::new();
        if let Some(servers) = servers {
            options = options.servers(servers);
        }
        let tables = directory::open_or_create(directory, options, making).await?;
        let found = tables.servers().await?.len();
        if servers.is_some_and(|wanted| wanted.get() != found) {
            bail!(misuse!("{} was created with {found} servers; omit --servers", self.at));
        }
        Ok(Arc::new(tables))
    }

    async fn connect(&self, address: &str) -> Result<Arc<dyn TableAdmin>> {
        let connected = AccumuloTables::connect(self.login.proxy(&self.at, address).await?);
        let tables = progress::while_it_lasts(format!("connecting to {}", self.at), connected);
        Ok(Arc::new(tables.await.map_err(|error| login::advised(&error))?))
    }
}

impl InstanceArguments {
    /// Returns the target in the form of `--at` and the arguments after it.
    pub(crate) fn written(&self) -> String {
        self.with_arguments(|argument| argument)
    }

    /// Returns the target as [`written`](Self::written) does, for a command to paste.
    pub(crate) fn in_command(&self) -> String {
        self.with_arguments(in_shell)
    }

    fn with_arguments(&self, write: impl Fn(String) -> String) -> String {
        let at = write(self.target.at.to_string());
        match &self.zookeeper.zookeepers {
            Some(servers) => format!("{at} --zookeepers {}", write(servers.to_string())),
            None => at,
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
        match self.target()? {
            Target::Embedded(path) => {
                let advice = "name another one, or make a first application with `fluo app init`";
                let tables = directory::open(path, EmbeddedOptions::new(), advice)?;
                Ok((tables.instance(), tables.check_writable().err()))
            }
            Target::Proxy(address) => Ok((self.connect(address).await?, None)),
        }
    }

    pub(crate) async fn open_or_create(&self, making: &MakingArguments) -> Result<Instance> {
        match self.target()? {
            Target::Embedded(path) => {
                let tables = directory::open_or_create(path, EmbeddedOptions::new(), making);
                Ok(tables.await?.instance())
            }
            Target::Proxy(address) => self.connect(address).await,
        }
    }

    fn target(&self) -> Result<&Target> {
        if self.is_directory() && self.zookeeper != ZooKeeperArguments::default() {
            bail!(misuse!(
                "{} needs no ZooKeeper: omit the options that begin with --zookeeper",
                self.target.at
            ));
        }
        self.target.target()
    }

    async fn connect(&self, address: &str) -> Result<Instance> {
        let at = &self.target.at;
        let options = self.target.login.accumulo(&self.zookeeper, at, address).await?;
        let connecting = format!("connecting to {at} and its ZooKeeper");
        let connected = progress::while_it_lasts(connecting, fluo_accumulo::connect(options));
        connected.await.map_err(|error| login::advised(&error))
    }
}
