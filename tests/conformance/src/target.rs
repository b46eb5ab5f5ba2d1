//! The instance that is checked.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, bail};
use fluo_accumulo::{AccumuloTables, IteratorBuild, ProxyOptions};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{MemoryTables, TableAdmin};

use crate::authorizations::{self, Granted};
use crate::login;

/// The kind and the address of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Memory,
    Embedded(PathBuf),
    Proxy(String),
}

/// The tables, and the authorizations to restore at the end.
pub(crate) struct Opened {
    pub(crate) tables: Arc<dyn TableAdmin>,
    pub(crate) granted: Option<Granted>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => write!(f, "memory"),
            Self::Embedded(directory) => write!(f, "embedded:{}", directory.display()),
            Self::Proxy(address) => write!(f, "proxy:{address}"),
        }
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("embedded", directory)) if !directory.is_empty() => {
                Ok(Self::Embedded(directory.into()))
            }
            Some(("proxy", address)) if address.contains(':') => {
                Ok(Self::Proxy(address.to_owned()))
            }
            _ => bail!("write memory, embedded:DIR or proxy:HOST:PORT"),
        }
    }
}

impl Target {
    pub(crate) async fn open(
        &self,
        user: Option<&str>,
        grant: Option<&str>,
        build: IteratorBuild,
    ) -> Result<Opened> {
        match self {
            Self::Memory => Ok(without_users(Arc::new(MemoryTables::new()))),
            Self::Embedded(directory) => {
                let options = EmbeddedOptions::new().create_if_missing(true);
                let tables = EmbeddedTables::open(directory, options)?;
                Ok(without_users(Arc::new(tables)))
            }
            Self::Proxy(address) => {
                let options = ProxyOptions::new(address, login::credentials(user)?);
                let tables = AccumuloTables::connect(options).await?;
                let granted = authorizations::ready(tables.client(), grant).await?;
                let tables = Arc::new(tables.iterator_build(build));
                Ok(Opened { tables, granted })
            }
        }
    }
}

fn without_users(tables: Arc<dyn TableAdmin>) -> Opened {
    let granted = None;
    Opened { tables, granted }
}
