//! Sessions of ZooKeeper, rooted at the node of an application.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::zookeeper_format;
use fluo_table::{Error, ErrorKind, Result};
use tokio::time::timeout;
use zookeeper_client::{Client, Error as ZooKeeperError, Stat};

use super::options::OracleOptions;
use crate::zookeeper::{Access, Keeper, SessionOptions};

/// The time limit of a request to ZooKeeper.
pub(crate) const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// Sessions of ZooKeeper for one application.
#[derive(Clone, Debug)]
pub(crate) struct Sessions {
    keeper: Arc<Keeper>,
    /// The path of the node of the application.
    root: String,
    application: String,
}

impl Sessions {
    /// Uses the sessions of a keeper.
    pub(crate) fn of(keeper: Arc<Keeper>, root: &str, application: &str) -> Self {
        Self { keeper, root: root.to_owned(), application: application.to_owned() }
    }

    /// Connects to ZooKeeper.
    pub(crate) async fn connect(options: &OracleOptions) -> Result<Self> {
        options.check()?;
        let (servers, chroot) =
            options.zookeepers.split_once('/').unwrap_or((&options.zookeepers, ""));
        let root = format!("/{chroot}/{}", options.application);
        let root = root.replace("//", "/");
        let secret = options.secret.clone();
        let keeper = Keeper::connect(SessionOptions {
            servers: servers.to_owned(),
            access: secret.map(Access::with_secret).unwrap_or_default(),
            session_timeout: options.session_timeout,
        });
        let keeper = Arc::new(keeper.await?);
        Ok(Self::of(keeper, &root, &options.application))
    }

    /// Returns a session whose root is the node of the application. Begins another one if the last
    /// one has ended.
    pub(crate) async fn session(&self) -> Result<Client> {
        self.keeper.session().await?.below(&self.root)
    }

    /// Checks whether new nodes are accessible only with the secret.
    pub(crate) fn is_protected(&self) -> bool {
        self.keeper.is_protected()
    }

    /// Returns the name of the application.
    pub(crate) fn application(&self) -> &str {
        &self.application
    }
}

/// Waits for a request to ZooKeeper up to [`REQUEST_LIMIT`].
pub(crate) async fn within_limit<T>(
    request: impl Future<Output = Result<T, ZooKeeperError>>,
) -> Result<T, ZooKeeperError> {
    match timeout(REQUEST_LIMIT, request).await {
        Ok(result) => result,
        Err(_) => Err(ZooKeeperError::Timeout),
    }
}

/// Reads a node as the leader of the ensemble has it; a member may be late. Returns `None` if the
/// node does not exist.
pub(crate) async fn read_current(
    session: &Client,
    path: &str,
) -> Result<Option<(Vec<u8>, Stat)>, ZooKeeperError> {
    let read = async {
        session.sync(path).await?;
        session.get_data(path).await
    };
    match within_limit(read).await {
        Ok(found) => Ok(Some(found)),
        Err(ZooKeeperError::NoNode) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the id of the application.
pub(crate) async fn application_id(session: &Client, application: &str) -> Result<String> {
    let path = zookeeper_format::ID;
    let found = read_current(session, path).await;
    let found = found.map_err(|error| request_error("read the id of the application", error))?;
    let (id, _) = found.ok_or_else(|| Error::no_such_application(application))?;
    String::from_utf8(id)
        .map_err(|_| Error::corrupt(format!("the data at `{path}` of `{application}` is not text")))
}

/// Checks whether the application with this id exists.
///
/// # Errors
///
/// [`NotFound`](ErrorKind::NotFound) if it was removed, also if another one has its name.
pub(crate) async fn check_application(session: &Client, application: &str, id: &str) -> Result<()> {
    if application_id(session, application).await? != id {
        let message = format!("the application `{application}` was removed, and initialized again");
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    Ok(())
}

/// Converts the error of a request that had no effect.
pub(crate) fn request_error(task: &str, error: ZooKeeperError) -> Error {
    let kind = match error {
        ZooKeeperError::NoAuth | ZooKeeperError::AuthFailed => ErrorKind::Denied,
        ZooKeeperError::NoNode => ErrorKind::NotFound,
        _ => ErrorKind::Unavailable,
    };
    Error::with_source(kind, format!("cannot {task} in ZooKeeper: {error}"), error)
}
