//! Where tables are: the argument `--at`.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use fluo_core::{ErrorKind, TableAdmin};
use fluo_embedded::{EmbeddedTables, Settings};

/// Where tables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A directory with an embedded table.
    Embedded(PathBuf),
}

/// The argument that names a target.
#[derive(Args, Debug)]
pub(crate) struct TargetArguments {
    /// Where the tables are: embedded:DIR
    #[arg(long, value_name = "TARGET")]
    at: Target,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Embedded(directory) = self;
        write!(f, "embedded:{}", directory.display())
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("embedded", "")) => bail!("the directory is missing; write embedded:DIR"),
            Some(("embedded", directory)) => Ok(Self::Embedded(PathBuf::from(directory))),
            Some((kind, _)) => bail!("`{kind}` is not a kind of target; write embedded:DIR"),
            None => bail!("a target has a kind and a place; write embedded:DIR"),
        }
    }
}

impl TargetArguments {
    /// The tables of a target that exists.
    pub(crate) fn open(&self) -> Result<Arc<dyn TableAdmin>> {
        self.open_with(Settings::default())
    }

    /// The tables of a target, which is made where it does not exist, with this number of servers.
    ///
    /// A target that is there keeps its number of servers; another one is refused.
    pub(crate) async fn open_or_create(
        &self,
        servers: Option<NonZeroUsize>,
    ) -> Result<Arc<dyn TableAdmin>> {
        let mut settings = Settings {
            create_if_missing: true,
            ..Settings::default()
        };
        if let Some(servers) = servers {
            settings.servers = servers;
        }
        let tables = self.open_with(settings)?;
        let found = tables.servers().await?.len();
        match servers {
            Some(wanted) if wanted.get() != found => bail!(
                "{} has {found} servers since it was made, and keeps them; leave --servers out",
                self.at
            ),
            _ => Ok(tables),
        }
    }

    fn open_with(&self, settings: Settings) -> Result<Arc<dyn TableAdmin>> {
        let Target::Embedded(directory) = &self.at;
        match EmbeddedTables::open(directory, settings) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let advice = format!("{}: `fluo table create` makes a first table", self.at);
                Err(anyhow!(error).context(advice))
            }
            opened => Ok(Arc::new(opened?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_or_refused_with_what_would_be_right() {
        assert_eq!(
            "embedded:a:b".parse::<Target>().unwrap(),
            Target::Embedded("a:b".into())
        );
        let message = |text: &str| text.parse::<Target>().unwrap_err().to_string();
        assert_eq!(
            message("embedded:"),
            "the directory is missing; write embedded:DIR"
        );
        assert_eq!(
            message("hbase:x"),
            "`hbase` is not a kind of target; write embedded:DIR"
        );
        assert_eq!(
            message("dir"),
            "a target has a kind and a place; write embedded:DIR"
        );
    }
}
