//! The application of an oracle or of its client.

use std::convert::Infallible;
use std::sync::Arc;

use fluo_table::coordination::zookeeper_format::ID;
use fluo_table::{Error, ErrorKind, Result};

use super::options::OracleOptions;
use crate::paths::{FORMAT, Paths, check_format};
use crate::zookeeper::{Keeper, Session};

/// An application whose timestamps an oracle hands out.
#[derive(Clone, Debug)]
pub(crate) struct ServedApplication {
    pub(super) name: String,
    /// The id of the application, which each request has.
    pub(super) id: Arc<str>,
    pub(super) paths: Paths,
    pub(super) keeper: Arc<Keeper>,
}

impl ServedApplication {
    pub(super) async fn connect(options: &OracleOptions) -> Result<Self> {
        let keeper = Arc::new(Keeper::connect(options.session()?).await?);
        Self::find(keeper, options.application.clone()).await
    }

    pub(crate) async fn find(keeper: Arc<Keeper>, name: String) -> Result<Self> {
        let paths = Paths::new(keeper.chroot(), &name);
        let (path, session) = (paths.at(ID), keeper.session().await?);
        let id = session.current_node(&path).await?;
        let id = id.ok_or_else(|| Error::no_such_application(&name))?;
        check_format_at(&paths, &name, &session).await?;
        let id = String::from_utf8(id.data)
            .map_err(|_| Error::corrupt(format!("the data at `{path}` is not text")))?;
        Ok(Self { name, id: id.into(), paths, keeper })
    }

    /// Returns the current session, if the application [may be used](Self::check).
    pub(super) async fn session(&self) -> Result<Arc<Session>> {
        let session = self.keeper.session().await?;
        self.check(&session).await?;
        Ok(session)
    }

    /// Checks that the application exists, and has no later format.
    pub(super) async fn check(&self, session: &Session) -> Result<()> {
        let id = session.current_node(&self.paths.at(ID)).await?;
        self.check_id(id.as_ref().map(|node| &node.data[..]))?;
        check_format_at(&self.paths, &self.name, session).await
    }

    /// Waits until the application is removed, and returns the error of that.
    pub(super) async fn wait_for_removal(&self, session: &Session) -> Result<Infallible> {
        let path = self.paths.at(ID);
        loop {
            let id = session.watch_node(&path).await?;
            self.check_id(id.as_ref().map(|node| &node.value.data[..]))?;
            if let Some(id) = id {
                id.event().await;
            }
        }
    }

    /// Fails if the application was removed, also if another one has its name.
    fn check_id(&self, stored: Option<&[u8]>) -> Result<()> {
        let stored = stored.ok_or_else(|| Error::no_such_application(&self.name))?;
        if stored == self.id.as_bytes() {
            return Ok(());
        }
        let message = format!("the application `{}` was removed, and initialized again", self.name);
        Err(Error::new(ErrorKind::NotFound, message))
    }
}

async fn check_format_at(paths: &Paths, name: &str, session: &Session) -> Result<()> {
    let format = session.node(&paths.at(FORMAT)).await?;
    check_format(name, format.as_ref().map(|node| &node.data[..]))
}
