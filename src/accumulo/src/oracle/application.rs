//! The application of an oracle or of its client.

use std::sync::Arc;

use fluo_table::coordination::zookeeper_format::ID;
use fluo_table::{Error, ErrorKind, Result};

use super::options::OracleOptions;
use crate::paths::Paths;
use crate::zookeeper::{Keeper, Session};

/// An application whose timestamps an oracle hands out.
#[derive(Clone, Debug)]
pub(crate) struct ServedApplication {
    pub(crate) name: String,
    /// The id of the application, which each request has.
    pub(crate) id: String,
    pub(crate) paths: Paths,
    pub(crate) keeper: Arc<Keeper>,
}

impl ServedApplication {
    pub(super) async fn find(options: &OracleOptions) -> Result<Self> {
        let keeper = Arc::new(Keeper::connect(options.session()?).await?);
        let name = options.application.clone();
        let paths = Paths::new(keeper.chroot(), &name);
        let path = paths.at(ID);
        let id = keeper.session().await?.current_node(&path).await?;
        let id = id.ok_or_else(|| Error::no_such_application(&name))?;
        let id = String::from_utf8(id.data)
            .map_err(|_| Error::corrupt(format!("the data at `{path}` is not text")))?;
        Ok(Self { name, id, paths, keeper })
    }

    /// Returns the current session, if the application exists.
    ///
    /// # Errors
    ///
    /// As [`check_id`](Self::check_id).
    pub(super) async fn session(&self) -> Result<Arc<Session>> {
        let session = self.keeper.session().await?;
        let id = session.current_node(&self.paths.at(ID)).await?;
        self.check_id(id.as_ref().map(|node| &node.data[..]))?;
        Ok(session)
    }

    /// Waits until the application is removed, and returns the error of that.
    pub(super) async fn wait_for_removal(&self, session: &Session) -> Error {
        let path = self.paths.at(ID);
        loop {
            let id = match session.watch_node(&path).await {
                Ok(id) => id,
                Err(error) => return error,
            };
            if let Err(error) = self.check_id(id.as_ref().map(|node| &node.value.data[..])) {
                return error;
            }
            if let Some(id) = id {
                id.event().await;
            }
        }
    }

    /// Checks the stored id.
    ///
    /// # Errors
    ///
    /// [`NotFound`](ErrorKind::NotFound) if the application was removed, also if another one has
    /// its name.
    fn check_id(&self, stored: Option<&[u8]>) -> Result<()> {
        let stored = stored.ok_or_else(|| Error::no_such_application(&self.name))?;
        if stored == self.id.as_bytes() {
            return Ok(());
        }
        let message = format!("the application `{}` was removed, and initialized again", self.name);
        Err(Error::new(ErrorKind::NotFound, message))
    }
}
